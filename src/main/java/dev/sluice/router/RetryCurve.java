package dev.sluice.router;

import java.time.Duration;

/** How long a message waits for its next call, doubling with each retry up to a cap. */
enum RetryCurve {
  /** For a target that says it is asked too often. */
  RATE_LIMITED(Duration.ofMillis(100), Duration.ofMinutes(5)),
  /** For a target that asks for the message later. */
  DEFERRED(Duration.ofSeconds(5), Duration.ofSeconds(60));

  private final long first;
  private final long cap;

  RetryCurve(Duration first, Duration cap) {
    this.first = first.toMillis();
    this.cap = cap.toMillis();
  }

  /**
   * The wait before a retry.
   *
   * @param retry 0 for the first
   * @param floorSeconds what the target asked for; the cap is stronger
   */
  Duration delay(int retry, long floorSeconds) {
    long curve = first << Math.min(retry, 20);
    long floor = Math.min(floorSeconds, cap) * 1000;
    return Duration.ofMillis(Math.min(Math.max(curve, floor), cap));
  }
}
