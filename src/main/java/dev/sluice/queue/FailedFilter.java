package dev.sluice.queue;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which quarantined messages of a queue are meant; all conditions hold at once.
 *
 * @param ids these keys; an empty list for any
 * @param groupOrNull this group column
 * @param reasonOrNull a text that the error contains, upper and lower case alike
 */
public record FailedFilter(
    List<String> ids, @Nullable String groupOrNull, @Nullable String reasonOrNull) {

  /** Every message. */
  public static final FailedFilter ALL = new FailedFilter(List.of(), null, null);

  public FailedFilter {
    ids = List.copyOf(ids);
  }

  /** The group, if one is asked for. */
  public Optional<String> group() {
    return Optional.ofNullable(groupOrNull);
  }

  /** The text that the error must contain, if any. */
  public Optional<String> reason() {
    return Optional.ofNullable(reasonOrNull);
  }
}
