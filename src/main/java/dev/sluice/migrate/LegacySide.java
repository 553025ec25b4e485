package dev.sluice.migrate;

import dev.sluice.queue.jdbc.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Our rows in the legacy table. A hold is a delayed row, never claimed, that sorts before all
 * others of its group: the second NOT EXISTS of the Go router's claim lets nothing of the group
 * pass it.
 */
final class LegacySide {
  static final String NOW = "(SELECT floor(extract(epoch FROM clock_timestamp()))::bigint)";

  /** The group of the row that names the last batch that the source has committed. */
  private static final String MARK = Tokens.HOLD + "batch";

  private static final String HOLD =
      """
      INSERT INTO {legacy} (id, queue_name, message_group_id, receipt_handle, visible_at, payload,
        created_at, receive_count)
      SELECT h.id, ?, h.group_id, NULL, ?,
        '{"id":"' || h.id || '","mediationType":"HTTP",'
          || '"mediationTarget":"https://sluice.invalid/migration/' || ? || '"}',
        h.created_at, 0
      FROM (
        SELECT g.group_id, g.created_at,
          ? || left(encode(sha256(convert_to(g.group_id, 'UTF8')), 'hex'), 32) AS id
        FROM unnest(CAST(? AS text[]), CAST(? AS bigint[])) AS g(group_id, created_at)
      ) h
      ORDER BY h.id
      ON CONFLICT (queue_name, id) DO UPDATE SET payload = EXCLUDED.payload
      RETURNING 1""";

  private static final String RELEASE =
      """
      WITH gone AS (
        DELETE FROM {legacy}
        WHERE queue_name = ? AND id IN (
          SELECT ? || left(encode(sha256(convert_to(g.group_id, 'UTF8')), 'hex'), 32)
          FROM unnest(CAST(? AS text[])) AS g(group_id))
        RETURNING 1
      )
      SELECT count(*) FROM gone""";

  private final Connection connection;
  private final Names names;
  private final String queue;

  /**
   * When a row becomes visible that is put in with an old date: a second after it, as if it had
   * been handed back. A poll may trust that what it has not seen yet of the others is new.
   */
  static long visibleAt(long createdAt) {
    return createdAt + 1;
  }

  LegacySide(Connection connection, Names names, String queue) {
    this.connection = connection;
    this.names = names;
    this.queue = queue;
  }

  /**
   * Holds groups.
   *
   * @param kind what the ids of our rows begin with
   * @param groups with the second before the first row of each
   */
  void hold(String kind, Map<String, Long> groups, String batch) throws SQLException {
    if (groups.isEmpty()) {
      return;
    }
    Session.query(
        connection,
        names.in(HOLD),
        row -> true,
        queue,
        Tokens.HOLD_UNTIL,
        batch,
        kind,
        groups.keySet().toArray(String[]::new),
        groups.values().toArray(Long[]::new));
  }

  void mark(String batch) throws SQLException {
    hold(Tokens.HOLD, Map.of(MARK, 0L), batch);
  }

  boolean isMarked(String batch) throws SQLException {
    return batchOf(Tokens.HOLD, batch).isPresent();
  }

  /** The batch that rows of this kind name, if there are any. */
  Optional<String> batchOf(String kind, String ending) throws SQLException {
    return Session.query(
            connection,
            names.in(
                """
                SELECT substring(payload FROM '([0-9a-f]{32})"}$') FROM {legacy}
                WHERE queue_name = ? AND starts_with(id, ?) AND message_group_id IS NOT NULL
                  AND payload LIKE '%' || ? || '"}' LIMIT 1"""),
            row -> row.getString(1),
            queue,
            kind,
            ending)
        .stream()
        .findFirst();
  }

  void release(String kind, Collection<String> groups) throws SQLException {
    Session.query(
        connection,
        names.in(RELEASE),
        row -> row.getLong(1),
        queue,
        kind,
        groups.toArray(String[]::new));
  }

  void releaseAll(String kind) throws SQLException {
    try (var delete =
        connection.prepareStatement(
            names.in("DELETE FROM {legacy} WHERE queue_name = ? AND starts_with(id, ?)"))) {
      delete.setString(1, queue);
      delete.setString(2, kind);
      delete.executeUpdate();
    }
  }

  long count() throws SQLException {
    return Session.query(
            connection,
            names.in(
                """
                SELECT count(*) FROM {legacy}
                WHERE queue_name = ? AND NOT starts_with(id, ?) AND NOT starts_with(id, ?)"""),
            row -> row.getLong(1),
            queue,
            Tokens.HOLD,
            Tokens.ARRIVING)
        .get(0);
  }

  /** Which of these ids the queue holds. */
  List<String> present(Collection<String> ids) throws SQLException {
    return Session.query(
        connection,
        names.in("SELECT id FROM {legacy} WHERE queue_name = ? AND id = ANY (CAST(? AS text[]))"),
        row -> row.getString(1),
        queue,
        ids.toArray(String[]::new));
  }
}
