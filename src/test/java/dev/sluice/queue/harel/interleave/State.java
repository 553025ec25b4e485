package dev.sluice.queue.harel.interleave;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The rows that each schedule starts from; all operations run at the time {@link #NOW}. */
record State(List<Group> groups, List<Message> messages, List<Message> quarantine) {
  static final double NOW = 1000;
  static final double LATER = NOW + 30;
  private static final double LAPSED = NOW - 1;
  private static final long FIRST_PUBLISHED_SEQ = 100;

  State {
    groups = List.copyOf(groups);
    messages = List.copyOf(messages);
    quarantine = List.copyOf(quarantine);
  }

  static State empty() {
    return new State(List.of(), List.of(), List.of());
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

  /** With messages in a group without a row. */
  State stranded(String group, long... seqs) {
    return new State(groups, more(messages, group, seqs), quarantine);
  }

  /** With messages in quarantine. */
  State quarantined(String group, long... seqs) {
    return new State(groups, messages, more(quarantine, group, seqs));
  }

  private State with(Group group, long... seqs) {
    List<Group> moreGroups = new ArrayList<>(groups);
    moreGroups.add(group);
    return new State(moreGroups, more(messages, group.id(), seqs), quarantine);
  }

  private static List<Message> more(List<Message> messages, String group, long... seqs) {
    List<Message> more = new ArrayList<>(messages);
    for (long seq : seqs) {
      more.add(new Message(group, seq, group + seq));
    }
    return more;
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
    for (Message m : messages) {
      sql.append("INSERT INTO transport_messages (group_id, seq, event) VALUES (")
          .append("%s, %d, %s);\n".formatted(text(m.group()), m.seq(), text(m.event())));
    }
    for (Message m : quarantine) {
      sql.append("INSERT INTO transport_messages_failed VALUES (")
          .append(
              "%d, %s, %s, 'BLOCKED: 404', 0, 0);\n"
                  .formatted(m.seq(), text(m.group()), text(m.event())));
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
