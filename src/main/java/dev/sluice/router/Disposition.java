package dev.sluice.router;

import java.time.Duration;

/** What the router does with a message after a call. */
sealed interface Disposition {

  /** It is done. */
  record Ack() implements Disposition {}

  /** It is done, and so is what comes of its group within this time. */
  record AckAndFlush(Duration time) implements Disposition {}

  /** It is called again after the delay, while its group waits. */
  record RetryInPlace(Duration delay) implements Disposition {}

  /**
   * It will never be delivered.
   *
   * @param critical whether the installation is at fault rather than the message
   */
  record Reject(String reason, boolean critical) implements Disposition {}

  /** It returns to the queue, and the untried messages of its ordered group behind it. */
  sealed interface HandBack extends Disposition {
    /** In how long it may be claimed again; whole seconds. */
    Duration delay();
  }

  /** It goes back because the call failed. */
  record Release(Duration delay, String reason) implements HandBack {}

  /** It goes back because its target asked for it later. */
  record Defer(Duration delay) implements HandBack {}
}
