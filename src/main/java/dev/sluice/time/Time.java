package dev.sluice.time;

import java.time.Duration;
import java.time.Instant;

/** The clock and the timers of a process. Implementations are safe for use by many threads. */
public interface Time {

  /** The wall clock; for what leaves the process (signatures, logs). */
  Instant now();

  /** A monotonic clock in nanoseconds with any origin; for durations and deadlines. */
  long nanos();

  /**
   * Runs a task once after a delay, on a thread of this clock: it must not block.
   *
   * @param delay zero or negative for as soon as possible
   */
  Timer after(Duration delay, Runnable task);

  /** A task that waits. */
  @FunctionalInterface
  interface Timer {
    /** Keeps the task from running if it has not started. */
    void cancel();
  }
}
