package dev.sluice.queue.harel.interleave;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The rows that each schedule starts from; all operations run at the time {@link #NOW}. */
record State(List<Group> groups, List<Message> messages) {
  static final double NOW = 1000;
  static final double LATER = NOW + 30;
  private static final double LAPSED = NOW - 1;
  private static final long FIRST_PUBLISHED_SEQ = 100;

  State {
    groups = List.copyOf(groups);
    messages = List.copyOf(messages);
  }

  static State empty() {
    return new State(List.of(), List.of());
  }

  /** With a group that nobody holds, and its messages. */
  State free(String group, long... seqs) {
    return with(new Group(group, null, null), seqs);
  }

  /** With a group whose lease is running. */
  State leased(String group, String token, long... seqs) {
    return with(new Group(group, token, LATER), seqs);
  }

  /** With a group whose lease has run out, and that nobody else has claimed yet. */
  State lapsed(String group, String token, long... seqs) {
    return with(new Group(group, token, LAPSED), seqs);
  }

  private State with(Group group, long... seqs) {
    List<Group> moreGroups = new ArrayList<>(groups);
    moreGroups.add(group);
    List<Message> moreMessages = new ArrayList<>(messages);
    for (long seq : seqs) {
      moreMessages.add(new Message(group.id(), seq, group.id() + seq));
    }
    return new State(moreGroups, moreMessages);
  }

  /** Replaces whatever the tables hold, and gives the next published message a known seq. */
  String sql() {
    StringBuilder sql =
        new StringBuilder(
            """
            DELETE FROM transport_messages;
            DELETE FROM transport_groups;
            DELETE FROM transport_messages_failed;
            """);
    for (Group group : groups) {
      sql.append("INSERT INTO transport_groups (group_id, locked_by, lock_expiry) VALUES (")
          .append(
              "%s, %s, %s);\n"
                  .formatted(text(group.id()), text(group.lockedBy()), number(group.lockExpiry())));
    }
    for (Message message : messages) {
      sql.append("INSERT INTO transport_messages (group_id, seq, event) VALUES (")
          .append(
              "%s, %d, %s);\n"
                  .formatted(text(message.group()), message.seq(), text(message.event())));
    }
    return sql.append("SELECT setval('transport_messages_seq_seq', ")
        .append(FIRST_PUBLISHED_SEQ)
        .append(", false)")
        .toString();
  }

  private static String text(@Nullable String value) {
    return value == null ? "NULL" : "'" + value + "'";
  }

  private static String number(@Nullable Double value) {
    return value == null ? "NULL" : String.format(Locale.ROOT, "%f", value);
  }
}
