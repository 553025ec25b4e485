package dev.sluice.queue;

/**
 * A message that goes to quarantine.
 *
 * @param reason why, for the person who will look at it; cut at 1,000 characters
 * @param onlyWhileBlocked whether it goes there only behind others: once its group is {@linkplain
 *     Queue#blockedGroups blocked} no more it goes back to the queue instead, visible at once
 */
public record Rejection(Receipt receipt, String reason, boolean onlyWhileBlocked) {

  /** How a reason begins that blocks the group of its message. */
  public static final String BLOCKED = "BLOCKED: ";

  /** A rejection for the message's own sake. */
  public Rejection(Receipt receipt, String reason) {
    this(receipt, reason, false);
  }
}
