package dev.sluice.queue;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A message that the next poll would claim, seen without claiming it.
 *
 * @param id its key: the id column, or the harel seq
 * @param groupOrNull its group column
 * @param createdAt when it was published, to the second; {@link Instant#EPOCH} where unknown
 * @param visibleAt since when it may be claimed
 * @param receivesOrNull how often it was claimed before
 * @param payload the text as the producer wrote it
 */
public record PeekedMessage(
    String id,
    @Nullable String groupOrNull,
    Instant createdAt,
    Instant visibleAt,
    @Nullable Integer receivesOrNull,
    String payload) {

  /** The group, if it has one. */
  public Optional<String> group() {
    return Optional.ofNullable(groupOrNull);
  }

  /** How often it was claimed before; empty where nobody counted. */
  public OptionalInt receiveCount() {
    return receivesOrNull == null ? OptionalInt.empty() : OptionalInt.of(receivesOrNull);
  }

  /** Leaves out the payload, which may hold secrets. */
  @Override
  public String toString() {
    return "PeekedMessage[id=" + id + "]";
  }
}
