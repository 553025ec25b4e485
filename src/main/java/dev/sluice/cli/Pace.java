package dev.sluice.cli;

import java.util.concurrent.TimeUnit;

/** Spreads work over time: so many a second, without catching up on a delay. Not thread-safe. */
final class Pace {
  private final int perSecond;
  private long next = System.nanoTime();

  /**
   * @param perSecond 0 for as fast as it goes
   */
  Pace(int perSecond) {
    this.perSecond = perSecond;
  }

  /** How many to do at once, at most {@code most}: a tenth of a second's worth. */
  int batch(int most) {
    return perSecond == 0 ? most : Math.max(1, Math.min(most, perSecond / 10));
  }

  /** Waits until so many more may be done. */
  void await(int count) throws InterruptedException {
    if (perSecond > 0) {
      long now = System.nanoTime();
      TimeUnit.NANOSECONDS.sleep(next - now);
      next = Math.max(next, now) + TimeUnit.SECONDS.toNanos(count) / perSecond;
    }
  }
}
