package dev.sluice.queue;

import java.time.Instant;
import java.util.OptionalInt;

/**
 * A message together with the claim that holds it.
 *
 * @param message what the payload says; for {@link Kind#EVENT} made by the backend around the event
 * @param kind what the payload is
 * @param payload the text as the producer wrote it
 * @param receipt the claim
 * @param brokerId the message's key in its table: the {@code id} column, or the harel {@code seq}
 * @param queue the queue it came from
 * @param claimGroup the key by which the backend orders claims: {@code COALESCE(message_group_id,
 *     id)} of the columns, or the harel {@code group_id}
 * @param receives how often it was claimed, this claim included; 0 where the backend keeps no count
 * @param createdAt when it was published, to the second; {@link Instant#EPOCH} where unknown
 * @param visibleAt when the claim lapses unless extended
 */
public record Delivery(
    Message message,
    Kind kind,
    String payload,
    Receipt receipt,
    String brokerId,
    String queue,
    String claimGroup,
    int receives,
    Instant createdAt,
    Instant visibleAt) {

  /** What a payload is. */
  public enum Kind {
    /** The JSON of a {@link Message}; its target gets the message's id. */
    MESSAGE,
    /** A harel event that carries no message; its target gets the text itself. */
    EVENT
  }

  /** How often the message was claimed, this claim included; empty where nobody counts. */
  public OptionalInt receiveCount() {
    return receives > 0 ? OptionalInt.of(receives) : OptionalInt.empty();
  }

  /** Leaves out the payload, which may hold secrets. */
  @Override
  public String toString() {
    return "Delivery[queue=" + queue + ", id=" + brokerId + ", receipt=" + receipt + "]";
  }
}
