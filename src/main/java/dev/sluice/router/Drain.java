package dev.sluice.router;

import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Decides when a drain is over: when nothing is left to claim and nothing is to come back that was
 * sent away for lack of room, or, if it is to wait, when the queue is empty or the wait is over.
 * Owned by the router's thread.
 */
final class Drain {
  /** One poll beside others may find every row locked; rows behind a delayed one stay pending. */
  private static final int EMPTY_POLLS = 3;

  private static final Duration BETWEEN_EMPTY_POLLS = Duration.ofMillis(100);

  private final Queue queue;
  private final Duration wait;
  private final Time time;
  private final Executor core;
  private final Executor polls;
  private final Supplier<Duration> untilLastReturn;
  private final Runnable pollAnew;
  private final CompletableFuture<Void> end;
  private boolean waiting;
  private boolean waitOver;
  private int emptyPolls;

  /**
   * @param untilLastReturn in how long the last message is back that was sent away for lack of room
   * @param pollAnew has the queue looked at once more, now
   * @param end completes when the drain is over
   */
  Drain(
      Queue queue,
      Duration wait,
      Time time,
      Executor core,
      Executor polls,
      Supplier<Duration> untilLastReturn,
      Runnable pollAnew,
      CompletableFuture<Void> end) {
    this.queue = queue;
    this.wait = wait;
    this.time = time;
    this.core = core;
    this.polls = polls;
    this.untilLastReturn = untilLastReturn;
    this.pollAnew = pollAnew;
    this.end = end;
    this.waitOver = wait.isZero();
  }

  /** The queue cannot be polled. */
  void fails(Throwable cause) {
    end.completeExceptionally(cause);
  }

  /** A poll has taken something. */
  void someTaken() {
    emptyPolls = 0;
  }

  /**
   * A poll that began with nothing held has found nothing.
   *
   * @param inDoubt whether there may be more to find within seconds
   */
  void nothingLeft(boolean inDoubt) {
    if (inDoubt) {
      Time.Timer unused = time.after(BETWEEN_EMPTY_POLLS, () -> core.execute(pollAnew));
      return;
    }
    emptyPolls++;
    if (!waiting && !waitOver) {
      waiting = true;
      Time.Timer unused = time.after(wait, () -> core.execute(this::waitIsOver));
    }
    polls.execute(this::count);
  }

  private void waitIsOver() {
    waitOver = true;
    pollAnew.run();
  }

  private void count() {
    try {
      QueueMetrics metrics = queue.metrics();
      core.execute(() -> judge(metrics));
    } catch (QueueException e) {
      // A database that is away is waited for; the next poll meets it too and says so.
      if (!e.isConnectionFailure()) {
        core.execute(() -> end.completeExceptionally(e));
      }
    }
  }

  private void judge(QueueMetrics metrics) {
    if (emptyPolls == 0) {
      return;
    }
    boolean nothingClaimable = metrics.pending() + metrics.lapsed() == 0;
    Duration away = untilLastReturn.get();
    if (metrics.total() > 0 && !away.isZero()) {
      return;
    }
    if (metrics.total() == 0 || (waitOver && (nothingClaimable || emptyPolls >= EMPTY_POLLS))) {
      end.complete(null);
    } else if (waitOver) {
      Time.Timer unused = time.after(BETWEEN_EMPTY_POLLS, () -> core.execute(pollAnew));
    }
  }
}
