package dev.sluice.queue.jdbc;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the last walk along an index found its first row or group. A walk from the front passes
 * what was served and not vacuumed yet: where that takes long, time after time, and twice as long
 * as from the mark, it is done for a twentieth of the time only, and claims in between begin at the
 * mark. What is put in before the mark then waits for up to twenty such walks, and never for more
 * than 10 s. Thread-safe.
 *
 * @param <P> a place in the order of the walk
 */
public final class ClaimMark<P> {
  private static final long QUICK_NANOS_EACH = 50_000;
  private static final long SHARE = 20;
  private static final int SLOW_IN_A_ROW = 3;

  // However long a walk took: it may have been the machine that stood still.
  private static final long LONGEST_PAUSE_NANOS = 10_000_000_000L;

  private static final int TIMES_AS_LONG = 2;
  private static final int WEIGHT_OF_OLD = 7;

  // A machine that stood still then, or is quicker now: marks are tried anew.
  private static final long SAMPLES_COUNT_NANOS = 60_000_000_000L;

  private final long quickNanos;
  private @Nullable P mark;
  private long fullWalkDueAt;
  private int slowInARow;
  private long tookFromMark;
  private long tookFromMarkAt;

  /**
   * A mark at the front.
   *
   * @param quickNanos up to which a claim of one row or group is quick; 0 if none ever is
   */
  public ClaimMark(long quickNanos) {
    this.quickNanos = quickNanos;
  }

  /** Where to begin a claim; null for the front. */
  public synchronized @Nullable P begin(long nowNanos) {
    return nowNanos - fullWalkDueAt >= 0 ? null : mark;
  }

  /**
   * Takes in a claim.
   *
   * @param begun where it began; if the mark has moved meanwhile, what it found does not move it
   * @param first the first that it found, if any
   * @param found how many it found
   */
  public synchronized void claimed(
      @Nullable P begun, Optional<P> first, int found, long tookNanos, long nowNanos) {
    long excess = Math.max(1, tookNanos - found * QUICK_NANOS_EACH);
    if (begun == null) {
      slowInARow = isQuick(excess, nowNanos) ? 0 : slowInARow + 1;
      // A machine that was busy elsewhere makes one walk slow, or two.
      mark = slowInARow < SLOW_IN_A_ROW ? null : first.orElse(null);
      tookInAll(tookNanos, nowNanos);
      return;
    }
    tookFromMark =
        tookFromMark == 0
            ? excess
            : (tookFromMark * WEIGHT_OF_OLD + Math.min(excess, TIMES_AS_LONG * tookFromMark))
                / (WEIGHT_OF_OLD + 1);
    tookFromMarkAt = nowNanos;
    if (first.isEmpty()) {
      mark = null;
    } else if (mark == begun) {
      mark = first.get();
    }
  }

  // Where the machine or the way to it is slow, a walk from the mark is no quicker.
  private boolean isQuick(long excess, long nowNanos) {
    boolean known = nowNanos - tookFromMarkAt < SAMPLES_COUNT_NANOS;
    return excess < quickNanos
        || (quickNanos > 0 && known && excess < TIMES_AS_LONG * tookFromMark);
  }

  /** Takes in how long all took that belongs to a walk from the front. */
  public synchronized void tookInAll(long tookNanos, long nowNanos) {
    fullWalkDueAt = nowNanos + Math.min(tookNanos * SHARE, LONGEST_PAUSE_NANOS);
  }
}
