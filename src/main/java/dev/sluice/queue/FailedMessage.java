package dev.sluice.queue;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A message in quarantine.
 *
 * @param queue the queue it came from
 * @param id its key there: the id column, or the harel seq
 * @param groupOrNull its group column
 * @param payload the text as the producer wrote it
 * @param error why it is here
 * @param receivesOrNull how often it was claimed
 * @param createdAt when it was published, to the second; {@link Instant#EPOCH} where unknown
 * @param failedAt when it came here, to the second
 */
public record FailedMessage(
    String queue,
    String id,
    @Nullable String groupOrNull,
    String payload,
    String error,
    @Nullable Integer receivesOrNull,
    Instant createdAt,
    Instant failedAt) {

  /** What {@link #error} of a message begins with that holds back its whole group. */
  public static final String BLOCKED_PREFIX = "BLOCKED: ";

  /** The group, if it has one. */
  public Optional<String> group() {
    return Optional.ofNullable(groupOrNull);
  }

  /** How often it was claimed; empty where nobody counted. */
  public OptionalInt receiveCount() {
    return receivesOrNull == null ? OptionalInt.empty() : OptionalInt.of(receivesOrNull);
  }

  /** Leaves out the payload, which may hold secrets. */
  @Override
  public String toString() {
    return "FailedMessage[queue=" + queue + ", id=" + id + ", error=" + error + "]";
  }
}
