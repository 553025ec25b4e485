package dev.sluice.queue.harel;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the last walk over the groups found its first one. A walk from the front passes what was
 * served and not vacuumed yet: where that takes long, time after time, it is done for a twentieth
 * of the time only, and claims in between begin at the mark. New groups then wait for up to twenty
 * such walks, and never for more than 10 s. Thread-safe.
 */
final class ClaimMark {
  static final long QUICK_NANOS = 2_000_000;

  private static final long QUICK_NANOS_A_GROUP = 50_000;
  private static final long SHARE = 20;
  private static final int SLOW_IN_A_ROW = 3;

  // However long a walk took: it may have been the machine that stood still.
  private static final long LONGEST_PAUSE_NANOS = 10_000_000_000L;

  private final long quickNanos;
  private @Nullable Place mark;
  private long fullWalkDueAt;
  private int slowInARow;

  /** A place in the order of claims. */
  record Place(double served, String group) {}

  /**
   * @param quickNanos up to which a claim of one group is quick
   */
  ClaimMark(long quickNanos) {
    this.quickNanos = quickNanos;
  }

  /** Where to begin a claim; null for the front. */
  synchronized @Nullable Place begin(long nowNanos) {
    return nowNanos - fullWalkDueAt >= 0 ? null : mark;
  }

  /**
   * Takes in a claim.
   *
   * @param begun where it began
   * @param first the first group that it found, if any
   * @param groups how many it found
   */
  synchronized void claimed(
      @Nullable Place begun, Optional<Place> first, int groups, long tookNanos, long nowNanos) {
    if (begun == null) {
      boolean quick = tookNanos - groups * QUICK_NANOS_A_GROUP < quickNanos;
      slowInARow = quick ? 0 : slowInARow + 1;
      // A machine that was busy elsewhere makes one walk slow, or two.
      mark = slowInARow < SLOW_IN_A_ROW ? null : first.orElse(null);
      fullWalkDueAt = nowNanos + Math.min(tookNanos * SHARE, LONGEST_PAUSE_NANOS);
    } else {
      mark = first.orElse(null);
    }
  }
}
