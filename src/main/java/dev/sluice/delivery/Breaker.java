package dev.sluice.delivery;

import java.time.Duration;
import java.util.BitSet;

/**
 * The circuit breaker of one target, as the Go router has it. Closed, it lets every call through,
 * and opens as soon as at least half of its last 100 samples are failures, given 10. Open, it
 * refuses calls for 5 s; then it lets all of them through, until 3 successes in a row close it,
 * with no samples, or one failure opens it for another 5 s.
 *
 * <p>A sample counts only if the breaker has not opened since its call began. What was under way
 * when it opened tells of the time before: it neither closes the breaker, nor prolongs the 5 s, nor
 * opens it again.
 *
 * <p>Ours, because neither Resilience4j nor Failsafe does this: half-open, both refuse all but a
 * fixed number of calls; Resilience4j then goes by the share of failures among these, and Failsafe
 * has a share of failures with a minimum of samples only over a time, not over a number of calls.
 *
 * <p>Pure: instants are nanoseconds with any origin. Not safe for use by many threads.
 */
final class Breaker {

  /** What a sample did to the breaker. */
  enum Change {
    NONE,
    OPENED,
    /** Opened by a call that was let through to see whether the target is well again. */
    REOPENED,
    CLOSED
  }

  private static final int WINDOW = 100;
  private static final int FEWEST_SAMPLES = 10;
  private static final int SUCCESSES_TO_CLOSE = 3;
  private static final long OPEN_NANOS = Duration.ofSeconds(5).toNanos();

  /** Which of the samples are failures; a ring. */
  private final BitSet window = new BitSet(WINDOW);

  private int oldest;
  private int samples;
  private boolean tripped;
  private boolean everOpened;
  private long openedAt;
  private int successesInRow;

  /** For how long calls are refused from now, in nanoseconds; 0 when they are let through. */
  long nanosRefused(long now) {
    return tripped ? Math.max(0, openedAt + OPEN_NANOS - now) : 0;
  }

  /**
   * A call that was let through is over.
   *
   * @param startedAt when it was let through
   */
  Change record(boolean success, long startedAt, long now) {
    if (everOpened && startedAt - openedAt <= 0) {
      return Change.NONE;
    }
    if (tripped) {
      return success ? succeededOnTrial() : open(Change.REOPENED, now);
    }
    add(success);
    return samples >= FEWEST_SAMPLES && 2 * failures() >= samples
        ? open(Change.OPENED, now)
        : Change.NONE;
  }

  /** How many calls it judges by, up to 100; those that opened it while it is open. */
  int samples() {
    return samples;
  }

  /** How many of the samples are failures. */
  int failures() {
    return window.cardinality();
  }

  private Change succeededOnTrial() {
    successesInRow++;
    if (successesInRow < SUCCESSES_TO_CLOSE) {
      return Change.NONE;
    }
    tripped = false;
    window.clear();
    samples = 0;
    oldest = 0;
    return Change.CLOSED;
  }

  private Change open(Change change, long now) {
    tripped = true;
    everOpened = true;
    openedAt = now;
    successesInRow = 0;
    return change;
  }

  private void add(boolean success) {
    if (samples < WINDOW) {
      window.set(samples, !success);
      samples++;
    } else {
      window.set(oldest, !success);
      oldest = (oldest + 1) % WINDOW;
    }
  }
}
