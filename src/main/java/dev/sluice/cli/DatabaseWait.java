package dev.sluice.cli;

import dev.sluice.queue.QueueException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for a database that does not answer yet. */
final class DatabaseWait {
  private static final Logger log = LoggerFactory.getLogger(DatabaseWait.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final Duration patience;

  /**
   * @param patience how long to wait at most
   */
  DatabaseWait(Duration patience) {
    this.patience = patience;
  }

  /**
   * Tries this until the database answers.
   *
   * @throws QueueException if it does not in time, or answers with a failure
   */
  void until(Runnable attempt) {
    long began = System.nanoTime();
    Duration pause = FIRST_PAUSE;
    while (true) {
      try {
        attempt.run();
        return;
      } catch (QueueException e) {
        Duration waited = Duration.ofNanos(System.nanoTime() - began);
        if (!e.isConnectionFailure() || waited.plus(pause).compareTo(patience) > 0) {
          throw e;
        }
        log.warn(
            "the database does not answer, trying again reason={}",
            LogLine.quoted(String.valueOf(e.getMessage())));
        sleep(pause, e);
        pause =
            pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0
                ? LONGEST_PAUSE
                : pause.multipliedBy(2);
      }
    }
  }

  private static void sleep(Duration pause, QueueException instead) {
    try {
      Thread.sleep(pause.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw instead;
    }
  }
}
