package dev.sluice.router;

import dev.sluice.queue.Receipt;
import java.time.Duration;

/**
 * How a claim ends.
 *
 * @param message the message that is settled
 * @param receipt the claim, as known when the settlement was decided
 * @param delay of a hand-back
 * @param reason of a rejection
 */
record Settlement(Kind kind, Held message, Receipt receipt, Duration delay, String reason) {

  /** In the order in which the statements of one round run. */
  enum Kind {
    ACK,
    REJECT,
    NACK,
    DEFER
  }

  static Settlement ack(Held message) {
    return new Settlement(Kind.ACK, message, message.receipt(), Duration.ZERO, "");
  }

  static Settlement reject(Held message, String reason) {
    return new Settlement(Kind.REJECT, message, message.receipt(), Duration.ZERO, reason);
  }

  static Settlement nack(Held message, Duration delay) {
    return new Settlement(Kind.NACK, message, message.receipt(), delay, "");
  }

  static Settlement defer(Held message, Duration delay) {
    return new Settlement(Kind.DEFER, message, message.receipt(), delay, "");
  }

  /** The same end for the newest claim of the message. */
  Settlement withNewestReceipt() {
    return new Settlement(kind, message, message.receipt(), delay, reason);
  }
}
