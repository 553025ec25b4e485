package dev.sluice.delivery;

import java.time.Duration;

/** How long a message waits before it is tried again in place: doubled each time, up to a limit. */
public enum Backoff {
  /** For {@link Outcome.RateLimited}: 100 ms, doubled, at most 5 min. */
  RATE_LIMITED(Duration.ofMillis(100), Duration.ofMinutes(5)),
  /** For {@link Outcome.Deferred}: 5 s, doubled, at most 60 s. */
  DEFERRED(Duration.ofSeconds(5), Duration.ofSeconds(60));

  private static final int MAX_DOUBLINGS = 30;

  private final long firstMillis;
  private final long maxMillis;

  Backoff(Duration first, Duration max) {
    firstMillis = first.toMillis();
    maxMillis = max.toMillis();
  }

  /**
   * The wait before a retry.
   *
   * @param retry 0 for the first retry
   * @param floorSeconds what the target asks for, at least; the limit is above it
   * @throws IllegalArgumentException if one is negative
   */
  public Duration delay(int retry, long floorSeconds) {
    if (retry < 0) {
      throw new IllegalArgumentException("retry is negative: " + retry);
    }
    if (floorSeconds < 0) {
      throw new IllegalArgumentException("floorSeconds is negative: " + floorSeconds);
    }
    long curve = firstMillis << Math.min(retry, MAX_DOUBLINGS);
    long floor = Math.min(floorSeconds, maxMillis / 1000) * 1000;
    return Duration.ofMillis(Math.min(Math.max(curve, floor), maxMillis));
  }
}
