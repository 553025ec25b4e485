package dev.sluice.model;

/**
 * What the tables and functions of one harel deployment are called.
 *
 * @param tables what the names of the tables and their indexes begin with, {@code ""} or {@code
 *     "P_"}
 * @param functions what the names of the functions begin with
 * @param byGroup what the name of the messages' index ends with
 */
public record HarelNames(String tables, String functions, String byGroup) {
  /** Up to harel 0.6. */
  public static final HarelNames SEED = new HarelNames("", "harel_", "group");

  /** As harel 0.7 and later name them, {@code harel} being its default. */
  public static HarelNames prefixed(String prefix) {
    return new HarelNames(prefix + "_", prefix + "_", "by_group");
  }

  /** One row per waiting event. */
  public String messages() {
    return tables + "transport_messages";
  }

  /** One row per group that has events. */
  public String groups() {
    return tables + "transport_groups";
  }

  /** The quarantine, which is ours. */
  public String failed() {
    return messages() + "_failed";
  }

  /** Puts the names where {@code {messages}}, {@code {groups}} and the like stand. */
  public String sql(String template) {
    return template
        .replace("{messages}", messages())
        .replace("{groups}", groups())
        .replace("{failed}", failed())
        .replace("{messages_index}", messages() + "_" + byGroup)
        .replace("{claim}", functions + "claim")
        .replace("{ack}", functions + "ack");
  }
}
