package dev.sluice.cli;

import dev.sluice.config.ConfigException;
import dev.sluice.queue.QueueException;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for a database, or a source of a config, that does not answer yet. */
final class StartWait {
  private static final Logger log = LoggerFactory.getLogger(StartWait.class);

  /** As good as for ever: a service starts before its database, and waits. */
  static final Duration NO_END = Duration.ofDays(365_000);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final Duration patience;

  /**
   * @param patience how long to wait at most
   */
  StartWait(Duration patience) {
    this.patience = patience;
  }

  /**
   * Tries this until there is an answer.
   *
   * @throws QueueException if the database does not answer in time, or with a failure
   * @throws ConfigException if a source does not answer in time, or is wrong
   */
  void until(Runnable attempt) {
    Object unused =
        answer(
            () -> {
              attempt.run();
              return "";
            });
  }

  /** As {@link #until}, with what comes of it. */
  <T> T answer(Supplier<T> attempt) {
    long began = System.nanoTime();
    Duration pause = FIRST_PAUSE;
    while (true) {
      try {
        return attempt.get();
      } catch (QueueException | ConfigException e) {
        Duration waited = Duration.ofNanos(System.nanoTime() - began);
        if (!isNoAnswer(e) || waited.plus(pause).compareTo(patience) > 0) {
          throw e;
        }
        log.warn(
            "no answer yet, trying again reason={}",
            LogLine.quoted(String.valueOf(e.getMessage())));
        sleep(pause, e);
        pause =
            pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0
                ? LONGEST_PAUSE
                : pause.multipliedBy(2);
      }
    }
  }

  private static boolean isNoAnswer(RuntimeException failure) {
    return failure instanceof ConfigException e
        ? e.isUnanswered()
        : failure instanceof QueueException q && q.isConnectionFailure();
  }

  private static void sleep(Duration pause, RuntimeException instead) {
    try {
      Thread.sleep(pause.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw instead;
    }
  }
}
