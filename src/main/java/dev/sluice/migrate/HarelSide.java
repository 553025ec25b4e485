package dev.sluice.migrate;

import dev.sluice.queue.jdbc.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Our leases on the groups of the harel tables. */
final class HarelSide {
  private static final String MARK = Tokens.HOLD + "batch";
  private static final int SOME = 2_000;

  private final Connection connection;
  private final Names names;

  HarelSide(Connection connection, Names names) {
    this.connection = connection;
    this.names = names;
  }

  /** One row of the groups, with the time at which it was locked. */
  record Group(String name, @Nullable String token, double expiry, int priority, double now) {
    boolean isHeld() {
      return token != null && token.startsWith(Tokens.HOLD);
    }

    boolean isFree() {
      return token == null || expiry <= now;
    }

    /**
     * Whether it is delayed rather than handled: by a token of ours, or for longer than a lease.
     */
    boolean isParked(double longestLease) {
      String by = token;
      return by != null
          && !isFree()
          && (by.startsWith(Tokens.PARKED) || expiry - now > longestLease);
    }
  }

  /** Has these groups' rows be there until the commit, so that nobody deletes them under us. */
  void hold(Map<String, Integer> priorities) throws SQLException {
    Session.query(
        connection,
        names.in("SELECT {own}sluice_hold_v1(?, ?)"),
        row -> true,
        priorities.keySet().toArray(String[]::new),
        priorities.values().toArray(Integer[]::new));
  }

  /** Locks those of these groups that nobody else has locked; publishers may go on. */
  List<Group> lock(Collection<String> groups) throws SQLException {
    return Session.query(
        connection,
        names.in(
            """
            SELECT group_id, locked_by, COALESCE(lock_expiry, 0), priority,
              extract(epoch FROM clock_timestamp())
            FROM {groups} WHERE group_id = ANY (CAST(? AS text[]))
            FOR NO KEY UPDATE SKIP LOCKED"""),
        row ->
            new Group(
                row.getString(1),
                row.getString(2),
                row.getDouble(3),
                row.getInt(4),
                row.getDouble(5)),
        (Object) groups.toArray(String[]::new));
  }

  Set<String> present(Collection<String> groups) throws SQLException {
    return new HashSet<>(
        Session.query(
            connection,
            names.in("SELECT group_id FROM {groups} WHERE group_id = ANY (CAST(? AS text[]))"),
            row -> row.getString(1),
            (Object) groups.toArray(String[]::new)));
  }

  /** Which of these groups have messages. */
  Set<String> withMessages(Collection<String> groups) throws SQLException {
    return new HashSet<>(
        Session.query(
            connection,
            names.in(
                """
                SELECT g.group_id FROM unnest(CAST(? AS text[])) AS g(group_id)
                WHERE EXISTS (SELECT 1 FROM {messages} m WHERE m.group_id = g.group_id)"""),
            row -> row.getString(1),
            (Object) groups.toArray(String[]::new)));
  }

  /**
   * A message that waits.
   *
   * @param isHead whether it is the first of its group
   */
  record Waiting(String group, long seq, boolean isHead) {}

  /** The messages of these groups behind a seq each, in order. */
  List<Waiting> behind(Map<String, Long> seqs) throws SQLException {
    return seqs.isEmpty()
        ? List.of()
        : Session.query(
            connection,
            names.in(
                """
                SELECT m.group_id, m.seq, NOT EXISTS (
                  SELECT 1 FROM {messages} h WHERE h.group_id = m.group_id AND h.seq < m.seq)
                FROM unnest(CAST(? AS text[]), CAST(? AS bigint[])) AS g(group_id, seq)
                JOIN {messages} m ON m.group_id = g.group_id AND m.seq > g.seq
                ORDER BY m.seq"""),
            row -> new Waiting(row.getString(1), row.getLong(2), row.getBoolean(3)),
            seqs.keySet().toArray(String[]::new),
            seqs.values().toArray(Long[]::new));
  }

  /** Puts messages, of groups that the caller has locked, behind all others, in this order. */
  void renumber(List<Long> seqs) throws SQLException {
    if (!seqs.isEmpty()) {
      Session.query(
          connection,
          names.in(
              """
              WITH numbered AS MATERIALIZED (
                SELECT l.seq, nextval('{sequence}') AS number
                FROM unnest(CAST(? AS bigint[])) AS l(seq)
              )
              UPDATE {messages} m SET seq = n.number FROM numbered n WHERE m.seq = n.seq
              RETURNING 1"""),
          row -> true,
          (Object) seqs.toArray(Long[]::new));
    }
  }

  /** Leases groups that the caller has locked, to a token of ours. */
  void lease(Collection<String> groups, String token) throws SQLException {
    Session.query(
        connection,
        names.in(
            """
            UPDATE {groups} SET locked_by = ?, lock_expiry = ?
            WHERE group_id = ANY (CAST(? AS text[])) RETURNING 1"""),
        row -> true,
        token,
        (double) Tokens.HOLD_UNTIL,
        groups.toArray(String[]::new));
  }

  /** Delays groups that are free, each until its time; yields those. */
  Set<String> park(Map<String, Double> until, String batch) throws SQLException {
    return new HashSet<>(
        Session.query(
            connection,
            names.in(
                """
                UPDATE {groups} g SET locked_by = ?, lock_expiry = p.until
                FROM unnest(CAST(? AS text[]), CAST(? AS double precision[])) AS p(group_id, until)
                WHERE g.group_id = p.group_id
                  AND (g.locked_by IS NULL OR g.lock_expiry < extract(epoch FROM clock_timestamp()))
                RETURNING g.group_id"""),
            row -> row.getString(1),
            Tokens.PARKED + batch,
            until.keySet().toArray(String[]::new),
            until.values().toArray(Double[]::new)));
  }

  /** Has the groups that arrive be parked when the batch is confirmed. */
  void parkOnRelease(Map<String, Double> until, String batch) throws SQLException {
    Session.query(
        connection,
        names.in(
            """
            UPDATE {groups} g SET locked_by = ? || p.until
            FROM unnest(CAST(? AS text[]), CAST(? AS double precision[])) AS p(group_id, until)
            WHERE g.group_id = p.group_id RETURNING 1"""),
        row -> true,
        Tokens.ARRIVING + batch + ":",
        until.keySet().toArray(String[]::new),
        until.values().toArray(Double[]::new));
  }

  /** Lets go of what has arrived with a batch: free, or parked. */
  void releaseArrived(String batch) throws SQLException {
    Session.query(
        connection,
        names.in(
            """
            UPDATE {groups}
            SET locked_by = CASE WHEN split_part(locked_by, ':', 3) <> '' THEN ? END,
              lock_expiry = CASE WHEN split_part(locked_by, ':', 3) <> ''
                THEN CAST(split_part(locked_by, ':', 3) AS double precision) END
            WHERE starts_with(locked_by, ?) RETURNING 1"""),
        row -> true,
        Tokens.PARKED + batch,
        Tokens.ARRIVING + batch);
  }

  /** As {@link #releaseArrived(String)}, where the groups are known and found by key. */
  void releaseArrived(Collection<String> groups, String batch) throws SQLException {
    Session.query(
        connection,
        names.in(
            """
            UPDATE {groups}
            SET locked_by = CASE WHEN split_part(locked_by, ':', 3) <> '' THEN ? END,
              lock_expiry = CASE WHEN split_part(locked_by, ':', 3) <> ''
                THEN CAST(split_part(locked_by, ':', 3) AS double precision) END
            WHERE group_id = ANY (CAST(? AS text[])) AND starts_with(locked_by, ?) RETURNING 1"""),
        row -> true,
        Tokens.PARKED + batch,
        groups.toArray(String[]::new),
        Tokens.ARRIVING + batch);
  }

  /** Frees groups that the caller has locked, or deletes the rows of those that are empty. */
  void free(Collection<String> groups) throws SQLException {
    Session.query(
        connection,
        names.in("SELECT {own}sluice_free_v1(extract(epoch FROM clock_timestamp())::float8, ?)"),
        row -> true,
        (Object) groups.toArray(String[]::new));
  }

  void mark(String batch) throws SQLException {
    hold(Map.of(MARK, 0));
    lease(List.of(MARK), Tokens.HOLD + batch);
  }

  boolean isMarked(String batch) throws SQLException {
    return !Session.query(
            connection,
            names.in("SELECT 1 FROM {groups} WHERE group_id = ? AND locked_by = ?"),
            row -> true,
            MARK,
            Tokens.HOLD + batch)
        .isEmpty();
  }

  /** The batch whose groups have arrived and wait to be confirmed. */
  Optional<String> arrivingBatch() throws SQLException {
    return Session.query(
            connection,
            names.in(
                """
                SELECT split_part(locked_by, ':', 2) FROM {groups}
                WHERE starts_with(locked_by, ?) LIMIT 1"""),
            row -> row.getString(1),
            Tokens.ARRIVING)
        .stream()
        .findFirst();
  }

  /** Frees all groups that are leased to tokens of this kind, some at a time, each committed. */
  void freeAll(String kind) throws SQLException {
    while (true) {
      List<String> groups =
          Session.query(
              connection,
              names.in(
                  """
                  SELECT group_id FROM {groups} WHERE starts_with(locked_by, ?) LIMIT %d
                  FOR NO KEY UPDATE SKIP LOCKED"""
                      .formatted(SOME)),
              row -> row.getString(1),
              kind);
      if (groups.isEmpty()) {
        connection.commit();
        return;
      }
      free(groups);
      connection.commit();
    }
  }

  long count() throws SQLException {
    return Session.query(
            connection, names.in("SELECT count(*) FROM {messages}"), row -> row.getLong(1))
        .get(0);
  }
}
