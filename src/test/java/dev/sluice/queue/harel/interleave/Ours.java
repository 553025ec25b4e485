package dev.sluice.queue.harel.interleave;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.queue.harel.interleave.Happening.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Our own functions, from the files that the program installs, and calls of them. */
final class Ours {
  /** Claims and acks one message, for {@link Stage}. */
  static final String CLAIM_AND_ACK =
      """
      SELECT c.seq, c.group_id, c.event INTO r
      FROM sluice_claim_v1(p_now, 30, p_token, 0, 1, '{}') c;
      PERFORM sluice_ack_v1(p_now, ARRAY[r.group_id], ARRAY[r.seq], ARRAY[p_token]);
      """;

  private Ours() {}

  /** The functions, and the indexes that claims are made for. */
  static List<String> functions() {
    // Nobody is to be spared a lock on a table of the test's own.
    return List.of(
        resource("harel_functions.sql"),
        resource("harel_indexes.sql").replace(" CONCURRENTLY", ""));
  }

  /** The functions, to be stopped within their statements too. */
  static List<String> functionsStoppedWithin() {
    return functions().stream().map(SteppedSql::withinStatements).toList();
  }

  /** The triggers against publishers and workers of others. */
  static String guard() {
    return resource("harel_guard.sql");
  }

  private static String resource(String name) {
    try (InputStream in = Ours.class.getResourceAsStream("/dev/sluice/schema/" + name)) {
      if (in == null) {
        throw new IllegalStateException("no resource " + name);
      }
      return named(new String(in.readAllBytes(), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String named(String template) {
    return template
        .replace("{own}", "")
        .replace("{messages}", "transport_messages")
        .replace("{groups}", "transport_groups")
        .replace("{failed}", "transport_messages_failed")
        .replace("{messages_index}", "transport_messages_group")
        .replace("{blocked_index}", "transport_failed_sluice_blocked")
        .replace("{order_index}", "transport_groups_claim_order");
  }

  /** Publishes one event into each of the groups, in this order. */
  static Script publish(String mark, String... groups) {
    String[] events = Stream.of(groups).map(group -> group + mark).toArray(String[]::new);
    Integer[] priorities = Stream.of(groups).map(group -> 0).toArray(Integer[]::new);
    return Script.transaction(
        "publish " + String.join("", groups),
        log -> {
          log.run("SELECT sluice_publish_v1(?, ?, ?)", groups, events, priorities);
          for (int i = 0; i < groups.length; i++) {
            log.note(Kind.PUBLISHED, new Message(groups[i], 0, events[i]), "");
          }
        });
  }

  static Script claim(String token, int max) {
    return Script.transaction(
        "claim " + max,
        log -> {
          for (List<Object> row :
              log.run(
                  "SELECT group_id, seq, event FROM sluice_claim_v1(?, 30, ?, 0, ?, '{}')",
                  State.NOW,
                  token,
                  max)) {
            log.note(Kind.CLAIMED, message(row), token);
          }
        });
  }

  private static Message message(List<Object> row) {
    return new Message((String) row.get(0), (Long) row.get(1), (String) row.get(2));
  }

  /** Acks the messages; the n-th is held under the token {@code tn}. */
  static Script ack(Message... messages) {
    return Script.transaction("ack " + events(messages), log -> sendAck(log, List.of(messages)));
  }

  private static void sendAck(SessionLog log, List<Message> messages) throws SQLException {
    settled(
        log,
        Kind.ACKED,
        messages,
        log.run(
            "SELECT group_id, seq FROM sluice_ack_v1(?, ?, ?, ?)",
            State.NOW,
            groups(messages),
            seqs(messages),
            tokens(messages)));
  }

  /** Acks what the session has claimed under the token, if anything. */
  static Script ackClaimed(String token) {
    return Script.transaction(
        "ack",
        log -> {
          for (Message message : log.claimed(token)) {
            for (List<Object> row :
                log.run(
                    "SELECT group_id, seq FROM sluice_ack_v1(?, ?, ?, ?)",
                    State.NOW,
                    new String[] {message.group()},
                    new Long[] {message.seq()},
                    new String[] {token})) {
              check(message, row);
              log.note(Kind.ACKED, message, token);
            }
          }
        });
  }

  private static void check(Message message, List<Object> row) {
    if (!row.equals(List.of(message.group(), message.seq()))) {
      throw new IllegalStateException(row + " for " + message);
    }
  }

  static Script reject(Message... messages) {
    return reject("reject ", "broken", false, messages);
  }

  /** Moves the messages behind those that block their groups, or gives them back. */
  static Script rejectBehind(Message... messages) {
    return reject("reject behind ", "BLOCKED: behind", true, messages);
  }

  private static Script reject(
      String name, String reason, boolean onlyWhileBlocked, Message... messages) {
    String[] reasons = Stream.of(messages).map(m -> reason).toArray(String[]::new);
    Boolean[] behind = Stream.of(messages).map(m -> onlyWhileBlocked).toArray(Boolean[]::new);
    List<Message> list = List.of(messages);
    return Script.transaction(
        name + events(messages),
        log -> {
          List<List<Object>> held =
              log.run(
                  "SELECT group_id, seq, moved FROM sluice_reject_v2(?, ?, ?, ?, ?, ?)",
                  State.NOW,
                  groups(list),
                  seqs(list),
                  tokens(list),
                  reasons,
                  behind);
          settled(log, Kind.REJECTED, list, those(held, true));
          settled(log, Kind.NACKED, list, those(held, false));
        });
  }

  private static List<List<Object>> those(List<List<Object>> held, boolean moved) {
    return held.stream()
        .filter(row -> row.get(2).equals(moved))
        .map(row -> row.subList(0, 2))
        .toList();
  }

  private static void settled(
      SessionLog log, Kind kind, List<Message> messages, List<List<Object>> held) {
    for (int i = 0; i < messages.size(); i++) {
      Message message = messages.get(i);
      if (held.contains(List.<Object>of(message.group(), message.seq()))) {
        log.note(kind, message, tokens(messages)[i]);
      }
    }
  }

  static Script nack(String group, double delay) {
    return Script.transaction(
        delay > 0 ? "nack delayed" : delay < 0 ? "nack to the back" : "nack",
        log ->
            held(
                log,
                Kind.NACKED,
                group,
                log.run(
                    "SELECT group_id, token FROM sluice_nack_v1(?, ?, ?, ?)",
                    State.NOW,
                    new String[] {group},
                    new String[] {"t1"},
                    new Double[] {delay})));
  }

  static Script extend(String group) {
    return Script.transaction(
        "extend",
        log ->
            held(
                log,
                Kind.EXTENDED,
                group,
                log.run(
                    "SELECT group_id, token FROM sluice_extend_v1(?, ?, ?, 30)",
                    State.NOW,
                    new String[] {group},
                    new String[] {"t1"})));
  }

  /** Puts a quarantined message back. */
  static Script requeue(Message message) {
    return Script.transaction(
        "requeue " + message.event(),
        log -> {
          Long[] seqs = {message.seq()};
          for (List<Object> row : log.run("SELECT sluice_requeue_v1(?)", (Object) seqs)) {
            log.note(Kind.REQUEUED, message, "");
            if (!row.equals(List.of(message.seq()))) {
              throw new IllegalStateException(row + " for " + message);
            }
          }
        });
  }

  /** Puts all of a group back that is in quarantine, or takes it away. */
  static Script undo(String group, boolean requeue) {
    return Script.transaction(
        (requeue ? "requeue " : "discard ") + group,
        log ->
            log.run(
                "SELECT 1 FROM pg_advisory_xact_lock(hashtext('transport_messages_failed'), 0)"),
        log -> {
          Map<Long, Message> there = new LinkedHashMap<>();
          for (List<Object> row :
              log.run(
                  "SELECT group_id, seq, event FROM transport_messages_failed"
                      + " WHERE group_id = ? ORDER BY seq",
                  group)) {
            there.put((Long) row.get(1), message(row));
          }
          Long[] seqs = there.keySet().toArray(Long[]::new);
          for (List<Object> row :
              log.run(
                  requeue
                      ? "SELECT sluice_requeue_v1(?)"
                      : "DELETE FROM transport_messages_failed WHERE seq = ANY (?) RETURNING seq",
                  (Object) seqs)) {
            Message message = there.get((Long) row.get(0));
            if (message == null) {
              throw new IllegalStateException(row + " was not chosen");
            }
            log.note(requeue ? Kind.REQUEUED : Kind.DISCARDED, message, "");
          }
        });
  }

  /** Gives a stranded group its row again. */
  static Script restore(String group) {
    String[] groups = {group};
    return Script.transaction(
        "restore " + group, log -> log.run("SELECT sluice_restore_v1(?)", (Object) groups));
  }

  private static void held(SessionLog log, Kind kind, String group, List<List<Object>> rows) {
    for (List<Object> row : rows) {
      log.note(kind, new Message(group, 0, ""), "t1");
      if (!row.equals(List.of(group, "t1"))) {
        throw new IllegalStateException(row + " for " + group);
      }
    }
  }

  private static String events(Message... messages) {
    return String.join("", Stream.of(messages).map(Message::event).toList());
  }

  private static String[] groups(List<Message> messages) {
    return messages.stream().map(Message::group).toArray(String[]::new);
  }

  private static Long[] seqs(List<Message> messages) {
    return messages.stream().map(Message::seq).toArray(Long[]::new);
  }

  private static String[] tokens(List<Message> messages) {
    return Stream.iterate(1, n -> n + 1)
        .limit(messages.size())
        .map(n -> "t" + n)
        .toArray(String[]::new);
  }
}
