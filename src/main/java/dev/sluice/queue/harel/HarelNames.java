package dev.sluice.queue.harel;

import static java.util.Map.entry;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What the tables, indexes and functions are called: as in harel up to 0.6 without a prefix, as
 * from 0.7 on with one. Ours begin with {@code sluice}, after the prefix.
 */
record HarelNames(String prefix) {
  private static final Pattern PREFIX = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,29}");

  static HarelNames of(Optional<String> prefix) {
    prefix.ifPresent(HarelNames::requireValid);
    // Nobody quotes these names, so PostgreSQL reads them in lower case.
    return new HarelNames(prefix.map(p -> p.toLowerCase(java.util.Locale.ROOT)).orElse(""));
  }

  static boolean isPrefix(String text) {
    return PREFIX.matcher(text).matches();
  }

  private static void requireValid(String prefix) {
    if (!isPrefix(prefix)) {
      throw new IllegalArgumentException(
          "prefix: must be a letter or _, then letters, digits or _, at most 30 in all");
    }
  }

  String messages() {
    return own() + "transport_messages";
  }

  String groups() {
    return own() + "transport_groups";
  }

  String failed() {
    return own() + "transport_messages_failed";
  }

  String messagesIndex() {
    return prefix.isEmpty() ? "transport_messages_group" : own() + "transport_messages_by_group";
  }

  /** The index of groups that the Python package creates. */
  String groupsIndex() {
    return prefix.isEmpty() ? "transport_groups_claimable" : orderIndex();
  }

  /** The index in the order of claims. */
  String orderIndex() {
    return own() + "transport_groups_claim_order";
  }

  /** The index of quarantined messages that hold back their groups. */
  String blockedIndex() {
    return own() + "transport_failed_sluice_blocked";
  }

  /** What Python's functions are called: {@code harel_claim}, {@code harel_ack}. */
  String python(String function) {
    return (prefix.isEmpty() ? "harel_" : own()) + function;
  }

  String own() {
    return prefix.isEmpty() ? "" : prefix + "_";
  }

  /** Puts the names into a statement. */
  String in(String sql) {
    String filled = sql;
    for (Map.Entry<String, String> name :
        Map.ofEntries(
                entry("{messages}", messages()),
                entry("{groups}", groups()),
                entry("{failed}", failed()),
                entry("{messages_index}", messagesIndex()),
                entry("{groups_index}", groupsIndex()),
                entry(
                    "{groups_index_columns}",
                    prefix.isEmpty() ? "(lock_expiry)" : "((COALESCE(lock_expiry, 0)), group_id)"),
                entry("{order_index}", orderIndex()),
                entry("{blocked_index}", blockedIndex()),
                entry("{claim}", python("claim")),
                entry("{ack}", python("ack")),
                entry("{own}", own()))
            .entrySet()) {
      filled = filled.replace(name.getKey(), name.getValue());
    }
    return filled;
  }
}
