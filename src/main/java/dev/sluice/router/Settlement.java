package dev.sluice.router;

import dev.sluice.queue.Receipt;
import dev.sluice.queue.Rejection;
import java.time.Duration;

/**
 * How a claim ends.
 *
 * @param message the message that is settled
 * @param receipt the claim, as known when the settlement was decided
 * @param delay of a hand-back
 * @param reason of a rejection
 * @param onlyWhileBlocked of a rejection: whether it holds only behind others
 */
record Settlement(
    Kind kind,
    Held message,
    Receipt receipt,
    Duration delay,
    String reason,
    boolean onlyWhileBlocked) {
  private static final String BEHIND = Rejection.BLOCKED + "behind an earlier message of its group";

  /** In the order in which the statements of one round run. */
  enum Kind {
    ACK(RouterListener.End.ACKED),
    REJECT(RouterListener.End.REJECTED),
    NACK(RouterListener.End.NACKED),
    DEFER(RouterListener.End.DEFERRED);

    private final RouterListener.End end;

    Kind(RouterListener.End end) {
      this.end = end;
    }

    /** What it is once it is committed. */
    RouterListener.End end() {
      return end;
    }
  }

  static Settlement ack(Held message) {
    return of(Kind.ACK, message, Duration.ZERO, "", false);
  }

  static Settlement reject(Held message, String reason) {
    return of(Kind.REJECT, message, Duration.ZERO, reason, false);
  }

  /** To quarantine behind an earlier message of its group, for as long as that blocks the group. */
  static Settlement rejectBehind(Held message) {
    return of(Kind.REJECT, message, Duration.ZERO, BEHIND, true);
  }

  static Settlement nack(Held message, Duration delay) {
    return of(Kind.NACK, message, delay, "", false);
  }

  static Settlement defer(Held message, Duration delay) {
    return of(Kind.DEFER, message, delay, "", false);
  }

  private static Settlement of(
      Kind kind, Held message, Duration delay, String reason, boolean onlyWhileBlocked) {
    return new Settlement(kind, message, message.receipt(), delay, reason, onlyWhileBlocked);
  }

  /** The same end for the newest claim of the message. */
  Settlement withNewestReceipt() {
    return of(kind, message, delay, reason, onlyWhileBlocked);
  }
}
