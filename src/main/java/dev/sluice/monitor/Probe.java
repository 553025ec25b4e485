package dev.sluice.monitor;

import dev.sluice.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks something that may fail or never answer. At most one question is under way: who asks in the
 * meantime gets the same answer, or none as soon as its time is over. So a source that hangs costs
 * one thread, and whoever asks again costs no time. Safe for use by many threads.
 */
final class Probe<T> {
  private static final Logger log = LoggerFactory.getLogger(Probe.class);

  private final Supplier<T> source;
  private final Duration patience;
  private final Time time;
  private final Executor executor;
  private boolean underWay;
  private CompletableFuture<Optional<T>> answer =
      CompletableFuture.completedFuture(Optional.empty());

  /**
   * @param patience how long a question may take
   */
  Probe(Supplier<T> source, Duration patience, Time time, Executor executor) {
    this.source = source;
    this.patience = patience;
    this.time = time;
    this.executor = executor;
  }

  /** The answer; empty if the source fails, or does not answer in time. */
  Optional<T> ask() {
    CompletableFuture<Optional<T>> asked;
    synchronized (this) {
      if (!underWay) {
        answer = new CompletableFuture<>();
        start(answer);
      }
      asked = answer;
    }
    return asked.join();
  }

  private void start(CompletableFuture<Optional<T>> question) {
    underWay = true;
    try {
      Time.Timer timer = time.after(patience, () -> question.complete(Optional.empty()));
      executor.execute(
          () -> {
            Optional<T> result = Optional.empty();
            try {
              result = Optional.of(source.get());
            } catch (RuntimeException e) {
              log.debug("event=no_status error={}", e.getClass().getName());
            } finally {
              timer.cancel();
              end();
              question.complete(result);
            }
          });
    } catch (RejectedExecutionException e) {
      // The process ends.
      underWay = false;
      question.complete(Optional.empty());
    }
  }

  private synchronized void end() {
    underWay = false;
  }
}
