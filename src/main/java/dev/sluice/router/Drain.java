package dev.sluice.router;

import dev.sluice.queue.Queue;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Decides when a drain is over: at once when nothing is left to claim, or, if it is to wait, when
 * the queue is empty or the wait is over. Owned by the router's thread.
 */
final class Drain {
  private final Queue queue;
  private final Duration wait;
  private final Time time;
  private final Executor core;
  private final Executor polls;
  private final Runnable pollAnew;
  private final CompletableFuture<Void> end;
  private boolean waiting;
  private boolean waitOver;

  /**
   * @param pollAnew has the queue looked at once more, now
   * @param end completes when the drain is over
   */
  Drain(
      Queue queue,
      Duration wait,
      Time time,
      Executor core,
      Executor polls,
      Runnable pollAnew,
      CompletableFuture<Void> end) {
    this.queue = queue;
    this.wait = wait;
    this.time = time;
    this.core = core;
    this.polls = polls;
    this.pollAnew = pollAnew;
    this.end = end;
  }

  /** A poll that began with nothing held has found nothing. */
  void nothingLeft() {
    if (wait.isZero() || waitOver) {
      end.complete(null);
      return;
    }
    if (!waiting) {
      waiting = true;
      Time.Timer unused = time.after(wait, () -> core.execute(this::waitIsOver));
    }
    polls.execute(this::endIfEmpty);
  }

  private void waitIsOver() {
    waitOver = true;
    pollAnew.run();
  }

  // On the poller's thread.
  private void endIfEmpty() {
    try {
      if (queue.metrics().total() == 0) {
        end.complete(null);
      }
    } catch (RuntimeException e) {
      // The next poll meets the same database and says so.
    }
  }
}
