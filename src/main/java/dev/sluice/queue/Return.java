package dev.sluice.queue;

import java.time.Duration;

/**
 * A message that goes back to its queue.
 *
 * @param delay until it may be claimed again; not negative
 */
public record Return(Receipt receipt, Duration delay) {
  public Return {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("delay: must not be negative, was " + delay);
    }
  }
}
