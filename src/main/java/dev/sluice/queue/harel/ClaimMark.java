package dev.sluice.queue.harel;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the last walk over the groups found its first one. A walk from the front passes what was
 * served and not vacuumed yet: where that takes long, it is done for a twentieth of the time only,
 * and claims in between begin at the mark. New groups then wait for up to twenty such walks.
 * Thread-safe.
 */
final class ClaimMark {
  private static final long QUICK_NANOS = 2_000_000;
  private static final long QUICK_NANOS_A_GROUP = 50_000;
  private static final long SHARE = 20;

  /** A place in the order of claims. */
  record Place(double served, String group) {}

  private @Nullable Place mark;
  private long fullWalkDueAt = Long.MIN_VALUE;

  /** Where to begin a claim; null for the front. */
  synchronized @Nullable Place begin(long nowNanos) {
    return mark == null || nowNanos - fullWalkDueAt >= 0 ? null : mark;
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
      fullWalkDueAt = nowNanos + tookNanos * SHARE;
      boolean quick = tookNanos < QUICK_NANOS + groups * QUICK_NANOS_A_GROUP;
      mark = quick ? null : first.orElse(null);
    } else {
      mark = first.orElse(null);
    }
  }
}
