package dev.sluice.delivery;

/** What came of calling a message's target. */
public sealed interface Outcome {

  /** The target has it. */
  record Delivered() implements Outcome {}

  /**
   * The target has it, and wants no more of its group for a while.
   *
   * @param seconds how long, 1 to 300
   */
  record DeliveredAndFlush(int seconds) implements Outcome {}

  /**
   * The target asks for it later.
   *
   * @param delaySeconds in how long, 0 to 4294967295; 0 when the target does not say
   */
  record Deferred(long delaySeconds) implements Outcome {}

  /**
   * It can never be delivered as it is.
   *
   * @param reason status and cause, fit for a person and for quarantine
   * @param critical whether it points at a fault of the installation rather than of the message
   */
  record Permanent(String reason, boolean critical) implements Outcome {}

  /**
   * The target is asked too often.
   *
   * @param retryAfterSeconds how long it wants to be left alone
   */
  record RateLimited(long retryAfterSeconds) implements Outcome {}

  /** The target's host answers 502, 503 or 504. */
  record Unavailable(String reason, int delaySeconds) implements Outcome {}

  /** The target fails with another 5xx. */
  record ProcessError(String reason, int delaySeconds) implements Outcome {}

  /** No answer came: refused, reset, TLS, DNS, time-out. */
  record Unreachable(String reason, int delaySeconds) implements Outcome {}

  /**
   * Its target failed too often lately, and was not called.
   *
   * @param resetSeconds in how long calls are let through again, from 1
   */
  record CircuitOpen(long resetSeconds) implements Outcome {}
}
