package dev.sluice.queue.harel.interleave;

import dev.sluice.testing.TestDatabase;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A database with the tables, the functions and the sessions of explorations, and the scheduler's
 * own connection, which holds the gates and sees who stands where. For one thread.
 */
final class Stage implements AutoCloseable {
  private static final int SESSIONS = 4;
  private static final int SCHEDULES_PER_VACUUM = 200;

  /** In place of a gate: the session waits for somebody's lock. */
  static final int FOR_A_LOCK = -1;

  private final TestDatabase database = TestDatabase.fresh();
  private final Connection control = database.connect();
  private final List<Session> sessions = new ArrayList<>();
  private final PreparedStatement pass;
  private final PreparedStatement waiting;
  private final PreparedStatement circle;
  private final PreparedStatement drain;
  private int resets;

  /**
   * @param functions the texts of the functions, with their steps, and whatever else is to be there
   * @param claimAndAck the loop body that claims and acks one message into {@code r}, with {@code
   *     p_now} and {@code p_token}
   */
  Stage(List<String> functions, String claimAndAck) throws SQLException {
    try (Statement statement = control.createStatement()) {
      statement.execute(TABLES);
      statement.execute(SteppedSql.FUNCTIONS);
      for (String function : functions) {
        statement.execute(SteppedSql.of(function));
      }
      statement.execute(DRAIN.formatted(claimAndAck));
    }
    for (int i = 0; i < SESSIONS; i++) {
      closeGates(i);
      sessions.add(new Session(database.connect(), i));
    }
    pass = control.prepareStatement("SELECT pid, place FROM test_pass(?, ?)");
    waiting = control.prepareStatement("SELECT pid, place FROM test_waiting(?)");
    circle =
        control.prepareStatement(
            """
            WITH RECURSIVE behind(pid, other) AS (
              SELECT p.pid, b.other
              FROM unnest(?::int[]) AS p(pid), unnest(pg_blocking_pids(p.pid)) AS b(other)
              UNION
              SELECT r.pid, b.other
              FROM behind r, unnest(pg_blocking_pids(r.other)) AS b(other)
            )
            SELECT EXISTS (SELECT 1 FROM behind WHERE pid = other)
            """);
    drain = control.prepareStatement("SELECT group_id, seq, event FROM test_drain()");
  }

  private static final String TABLES =
      """
      CREATE TABLE transport_messages (
        seq BIGSERIAL PRIMARY KEY, group_id TEXT NOT NULL, event TEXT NOT NULL);
      CREATE INDEX transport_messages_group ON transport_messages (group_id, seq);
      CREATE TABLE transport_groups (
        group_id TEXT PRIMARY KEY, locked_by TEXT, lock_expiry DOUBLE PRECISION,
        priority INT NOT NULL DEFAULT 0);
      CREATE INDEX transport_groups_claimable ON transport_groups (lock_expiry);
      CREATE TABLE transport_messages_failed (
        seq BIGINT PRIMARY KEY, group_id TEXT NOT NULL, event TEXT NOT NULL,
        error_message TEXT NOT NULL, priority INT, failed_at BIGINT NOT NULL);
      ALTER TABLE transport_messages SET (autovacuum_enabled = off);
      ALTER TABLE transport_groups SET (autovacuum_enabled = off);
      ALTER TABLE transport_messages_failed SET (autovacuum_enabled = off);
      """;

  // Long after all leases have lapsed, each claim a second after the last.
  private static final String DRAIN =
      """
      CREATE FUNCTION test_drain() RETURNS SETOF transport_messages LANGUAGE plpgsql AS $$
      DECLARE
        r transport_messages;
        p_now double precision := 1000000;
        p_token text;
      BEGIN
        FOR i IN 1 .. 50 LOOP
          EXIT WHEN NOT EXISTS (SELECT 1 FROM transport_messages);
          p_now := p_now + 1;
          p_token := 'drain:' || i;
          %s
          EXIT WHEN r.seq IS NULL;
          RETURN NEXT r;
        END LOOP;
      END $$
      """;

  private void closeGates(int session) throws SQLException {
    try (Statement statement = control.createStatement()) {
      for (int gate = 2 * session; gate <= 2 * session + 1; gate++) {
        statement.execute("SELECT pg_advisory_lock(%d, %d)".formatted(SteppedSql.GATE, gate));
      }
    }
  }

  List<Session> sessions(int count) {
    return sessions.subList(0, count);
  }

  void reset(State state) throws SQLException {
    try (Statement statement = control.createStatement()) {
      statement.execute(state.sql());
      if (++resets % SCHEDULES_PER_VACUUM == 0) {
        statement.execute("VACUUM transport_messages, transport_groups");
      }
    }
  }

  /**
   * Lets the one session that stands at the gate run on, as far as its next one.
   *
   * @return as {@link #waiting}, a moment later
   */
  Map<Integer, Integer> pass(int gate, List<Integer> pids) throws SQLException {
    pass.setInt(1, gate);
    pass.setArray(2, numbers(pids));
    return places(pass);
  }

  /** Of the sessions with these process ids, those that wait, and at which gate. */
  Map<Integer, Integer> waiting(List<Integer> pids) throws SQLException {
    waiting.setArray(1, numbers(pids));
    return places(waiting);
  }

  private static Map<Integer, Integer> places(PreparedStatement statement) throws SQLException {
    Map<Integer, Integer> places = new HashMap<>();
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        places.put(rows.getInt(1), rows.getInt(2));
      }
    }
    return places;
  }

  /** Whether some of the sessions wait for each other: the server will fail one of them soon. */
  boolean waitInACircle(List<Integer> pids) throws SQLException {
    circle.setArray(1, numbers(pids));
    try (ResultSet row = circle.executeQuery()) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private Array numbers(List<Integer> values) throws SQLException {
    return control.createArrayOf("int", values.toArray());
  }

  EndState end() throws SQLException {
    List<Message> messages = new ArrayList<>();
    List<Group> groups = new ArrayList<>();
    List<String> quarantine = new ArrayList<>();
    try (Statement statement = control.createStatement();
        ResultSet rows = statement.executeQuery(END)) {
      while (rows.next()) {
        String id = rows.getString("group_id");
        switch (rows.getString("kind")) {
          case "message" -> messages.add(new Message(id, rows.getLong("seq"), rows.getString("t")));
          case "failed" -> quarantine.add(rows.getString("t"));
          default ->
              groups.add(new Group(id, rows.getString("t"), (Double) rows.getObject("expiry")));
        }
      }
    }
    return new EndState(messages, groups, quarantine, drained());
  }

  private static final String END =
      """
      SELECT 'message' AS kind, group_id, seq, event AS t, NULL::float8 AS expiry
      FROM transport_messages
      UNION ALL
      SELECT 'failed', group_id, seq, event, NULL FROM transport_messages_failed
      UNION ALL
      SELECT 'group', group_id, NULL, locked_by, lock_expiry FROM transport_groups
      """;

  private List<Message> drained() throws SQLException {
    List<Message> drained = new ArrayList<>();
    try (ResultSet rows = drain.executeQuery()) {
      while (rows.next()) {
        drained.add(new Message(rows.getString(1), rows.getLong(2), rows.getString(3)));
      }
    }
    return drained;
  }

  @Override
  public void close() throws SQLException {
    for (Session session : sessions) {
      session.close();
    }
    control.close();
    database.close();
  }
}
