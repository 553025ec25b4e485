package dev.sluice.monitor;

import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The latest count of one queue. Safe for use by many threads. */
final class QueueCount {
  private static final Logger log = LoggerFactory.getLogger(QueueCount.class);

  /** How long a count is good for. */
  static final Duration INTERVAL = Duration.ofSeconds(15);

  /** How old a count may be and still be shown: longer than anybody waits between two looks. */
  static final Duration SHOWN = Duration.ofMinutes(2);

  /** How long a look waits for a count where there is none to show. */
  static final Duration WAIT = Duration.ofSeconds(1);

  private final Queue queue;
  private final Time time;
  private final Executor executor;
  private boolean underWay;
  private boolean failed;
  private long began;
  private CompletableFuture<Void> waitedFor = CompletableFuture.completedFuture(null);
  private Optional<QueueMetrics> latest = Optional.empty();
  private long taken;

  QueueCount(Queue queue, Time time, Executor executor) {
    this.queue = queue;
    this.time = time;
    this.executor = executor;
    this.began = time.nanos() - INTERVAL.toNanos();
  }

  boolean counts(Queue other) {
    return queue == other;
  }

  String queue() {
    return Shown.queue(queue.identifier());
  }

  /** Begins to count unless that is under way, or was begun a moment ago. */
  synchronized void refreshIfDue() {
    if (underWay || age(began).compareTo(INTERVAL) < 0) {
      return;
    }
    underWay = true;
    began = time.nanos();
    CompletableFuture<Void> end = new CompletableFuture<>();
    waitedFor = end;
    try {
      Time.Timer timer = time.after(WAIT, () -> end.complete(null));
      executor.execute(
          () -> {
            count();
            timer.cancel();
            end.complete(null);
          });
    } catch (RejectedExecutionException e) {
      // The process ends.
      done(Optional.empty());
      end.complete(null);
    }
  }

  /** The latest count, if it is known and not too old. Waits only for one that may well come. */
  Optional<QueueMetrics> current() {
    CompletableFuture<Void> end;
    synchronized (this) {
      if (isShown() || failed) {
        return shown();
      }
      end = waitedFor;
    }
    end.join();
    synchronized (this) {
      return shown();
    }
  }

  private void count() {
    Optional<QueueMetrics> result = Optional.empty();
    try {
      result = Optional.of(queue.metrics());
    } catch (RuntimeException e) {
      // The router tells about its database itself; this is one line per look.
      log.debug("event=count_fails queue={} error={}", queue(), e.getClass().getName());
    } finally {
      done(result);
    }
  }

  private synchronized void done(Optional<QueueMetrics> result) {
    underWay = false;
    failed = result.isEmpty();
    latest = result;
    taken = time.nanos();
  }

  private boolean isShown() {
    return latest.isPresent() && age(taken).compareTo(SHOWN) < 0;
  }

  private Optional<QueueMetrics> shown() {
    return isShown() ? latest : Optional.empty();
  }

  private Duration age(long since) {
    return Duration.ofNanos(time.nanos() - since);
  }
}
