package dev.sluice.router;

import java.time.Duration;

/** How long to leave the database alone: doubling from one failure to the next. */
final class Outage {
  private final Duration first;
  private final Duration cap;
  private int failures;

  Outage(Duration first, Duration cap) {
    this.first = first;
    this.cap = cap;
  }

  /**
   * Notes a failure.
   *
   * @return whether it is the first of a row
   */
  boolean failed() {
    return ++failures == 1;
  }

  /**
   * Notes a success.
   *
   * @return whether it ends a row of failures
   */
  boolean succeeded() {
    boolean ends = failures > 0;
    failures = 0;
    return ends;
  }

  /** Whether the last try failed. */
  boolean isOn() {
    return failures > 0;
  }

  /** How long to wait before the next try. */
  Duration delay() {
    Duration doubled = first.multipliedBy(1L << Math.min(Math.max(failures - 1, 0), 20));
    return doubled.compareTo(cap) < 0 ? doubled : cap;
  }
}
