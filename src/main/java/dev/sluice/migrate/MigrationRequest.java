package dev.sluice.migrate;

import java.time.Duration;

/**
 * What to move, and how.
 *
 * @param queue what the legacy table calls the queue
 * @param patience how long to wait for what cannot be moved yet
 * @param hold whether moved groups are held at the source until the cut-over
 * @param strict whether a group is refused rather than a delay of a later row lost
 * @param includeFailed whether quarantined messages move too
 * @param batch rows of one transaction, from 1
 * @param longestLease what ends later than this, in the harel tables, is a park and no lease
 */
public record MigrationRequest(
    String queue,
    Mode mode,
    Duration patience,
    boolean hold,
    boolean strict,
    boolean includeFailed,
    int batch,
    Duration longestLease) {
  /** What is asked for. */
  public enum Mode {
    MOVE("moved"),
    FINISH("finished"),
    ABORT("aborted"),
    VERIFY("verified"),
    DRY_RUN("planned");

    private final String done;

    Mode(String done) {
      this.done = done;
    }

    boolean moves() {
      return this != VERIFY && this != DRY_RUN;
    }

    /** What has happened once it is done. */
    public String done() {
      return done;
    }
  }

  public MigrationRequest {
    if (batch < 1 || batch > 100_000) {
      throw new IllegalArgumentException("--batch: must be from 1 to 100000, was " + batch);
    }
    if (queue.isEmpty() || queue.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("--queue: must not be empty or hold a NUL");
    }
  }
}
