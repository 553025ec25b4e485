package dev.sluice.queue.harel.interleave;

import dev.sluice.queue.harel.interleave.Happening.Kind;
import java.sql.SQLException;
import java.util.List;

/**
 * What the Python package does: its functions as it creates them, its statements as it sends them.
 */
final class Seed {
  /** Claims and acks one message, for {@link Stage}. */
  static final String CLAIM_AND_ACK =
      """
      SELECT c.seq, c.group_id, c.event INTO r FROM harel_claim(p_now, p_now + 30, p_token) c;
      PERFORM harel_ack(r.group_id, r.seq, p_token, p_now);
      """;

  private static final String CLAIM =
      """
      CREATE FUNCTION harel_claim(p_now double precision, p_lease double precision, p_token text, p_min_priority int DEFAULT 0)
      RETURNS TABLE(group_id text, seq bigint, event text) AS $$
      DECLARE g text;
      BEGIN
        LOOP
          UPDATE transport_groups tg SET locked_by = p_token, lock_expiry = p_lease
          WHERE tg.group_id = (
            SELECT s.group_id FROM transport_groups s
            WHERE (s.locked_by IS NULL OR s.lock_expiry < p_now)
              AND s.priority >= p_min_priority
            ORDER BY COALESCE(s.lock_expiry, 0) ASC, s.group_id FOR UPDATE SKIP LOCKED LIMIT 1
          ) RETURNING tg.group_id INTO g;
          IF g IS NULL THEN RETURN; END IF;
          -- step
          RETURN QUERY SELECT m.group_id, m.seq, m.event FROM transport_messages m
                       WHERE m.group_id = g ORDER BY m.seq LIMIT 1;
          IF FOUND THEN RETURN; END IF;
          -- step
          DELETE FROM transport_groups WHERE transport_groups.group_id = g AND locked_by = p_token;
          -- step
        END LOOP;
      END; $$ LANGUAGE plpgsql;
      """;

  private static final String ACK_06 =
      """
      CREATE FUNCTION harel_ack(p_group text, p_seq bigint, p_token text, p_now double precision)
      RETURNS void AS $$
      BEGIN
        IF EXISTS (SELECT 1 FROM transport_groups WHERE group_id = p_group AND locked_by = p_token) THEN
          -- step
          DELETE FROM transport_messages WHERE seq = p_seq;
          -- step
          IF EXISTS (SELECT 1 FROM transport_messages WHERE group_id = p_group) THEN
            -- step
            UPDATE transport_groups SET locked_by = NULL, lock_expiry = p_now
            WHERE group_id = p_group AND locked_by = p_token;
          ELSE
            -- step
            DELETE FROM transport_groups WHERE group_id = p_group AND locked_by = p_token;
          END IF;
        END IF;
      END; $$ LANGUAGE plpgsql;
      """;

  private static final String ACK_09 =
      """
      CREATE FUNCTION harel_ack(p_group text, p_seq bigint, p_token text, p_now double precision)
      RETURNS void AS $$
      BEGIN
        PERFORM 1 FROM transport_groups WHERE group_id = p_group AND locked_by = p_token FOR UPDATE;
        IF FOUND THEN
          -- step
          DELETE FROM transport_messages WHERE seq = p_seq;
          -- step
          IF EXISTS (SELECT 1 FROM transport_messages WHERE group_id = p_group) THEN
            -- step
            UPDATE transport_groups SET locked_by = NULL, lock_expiry = p_now
            WHERE group_id = p_group AND locked_by = p_token;
          ELSE
            -- step
            DELETE FROM transport_groups WHERE group_id = p_group AND locked_by = p_token;
          END IF;
        END IF;
      END; $$ LANGUAGE plpgsql;
      """;

  /** Up to harel 0.8 as far as claims and acks go. */
  static final List<String> FUNCTIONS_06 = List.of(CLAIM, ACK_06);

  /** The same names with the bodies of harel 0.9. */
  static final List<String> FUNCTIONS_09 = List.of(CLAIM, ACK_09);

  private static final String INSERT_MESSAGE =
      "INSERT INTO transport_messages (group_id, event) VALUES (?, ?)";
  private static final String INSERT_GROUP =
      "INSERT INTO transport_groups (group_id, locked_by, lock_expiry, priority)"
          + " VALUES (?, NULL, NULL, 0) ON CONFLICT (group_id) ";
  private static final String DO_NOTHING = INSERT_GROUP + "DO NOTHING";
  private static final String DO_LOCK =
      INSERT_GROUP + "DO UPDATE SET priority = transport_groups.priority";

  private Seed() {}

  static Script publish06(String group, String event) {
    return Script.transaction(
        "seed publish", insertMessage(group, event), log -> log.run(DO_NOTHING, group));
  }

  /** On a connection in autocommit mode. */
  static Script publishEach06(String group, String event) {
    return Script.autocommit(
        "seed publish, autocommit", insertMessage(group, event), log -> log.run(DO_NOTHING, group));
  }

  static Script publish09(String group, String event) {
    return Script.transaction(
        "seed publish 0.9", insertMessage(group, event), log -> log.run(DO_LOCK, group));
  }

  private static Step.Work insertMessage(String group, String event) {
    return log -> {
      log.run(INSERT_MESSAGE, group, event);
      log.note(Kind.PUBLISHED, new Message(group, 0, event), "");
    };
  }

  static Script claim(String token) {
    return Script.transaction(
        "seed claim",
        log -> {
          for (List<Object> row :
              log.run(
                  "SELECT group_id, seq, event FROM harel_claim(?, ?, ?)",
                  State.NOW,
                  State.LATER,
                  token)) {
            Message message =
                new Message((String) row.get(0), (Long) row.get(1), (String) row.get(2));
            log.note(Kind.CLAIMED, message, token);
          }
        });
  }

  static Script ack(String token, Message message) {
    return Script.transaction("seed ack", log -> sendAck(log, token, message));
  }

  /** Acks what the script has claimed before, if anything. */
  static Script ackClaimed(String token) {
    return Script.transaction(
        "seed ack",
        log -> {
          for (Message message : log.claimed(token)) {
            sendAck(log, token, message);
          }
        });
  }

  private static void sendAck(SessionLog log, String token, Message message) throws SQLException {
    log.run("SELECT harel_ack(?, ?, ?, ?)", message.group(), message.seq(), token, State.NOW);
    log.note(Kind.ACK_SENT, message, token);
  }
}
