package dev.sluice.migrate;

import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was moved, a row each, at the target. Written in the transaction that writes the rows; what
 * goes back takes its record along. The last row that it has of a group is always marked so.
 */
final class RecordTable {
  static final String NAME = "sluice_migration";

  private static final String CREATE =
      """
      CREATE TABLE IF NOT EXISTS {record} (
        move          BIGINT NOT NULL,
        group_id      TEXT NOT NULL,
        position      BIGINT NOT NULL,
        source_key    TEXT NOT NULL,
        target_key    TEXT NOT NULL,
        sha256        BYTEA NOT NULL,
        created_at    BIGINT,
        receive_count INTEGER,
        ungrouped     BOOLEAN NOT NULL,
        priority      INTEGER,
        placed_at     BIGINT,
        batch         TEXT,
        last_of_part  BOOLEAN NOT NULL
      )""";

  /** An entry for each part of a group that has moved: a row each would cost as much as the row. */
  private static final String CREATE_PARTS =
      """
      CREATE INDEX ON {record} (move, group_id, position) WHERE last_of_part""";

  private static final String CREATE_ROWS =
      """
      CREATE INDEX IF NOT EXISTS sluice_migration_rows ON {record} (move, group_id, position)""";

  /** One descent in the index per group. */
  private static final String LAST =
      """
      SELECT g.group_id, l.position, l.placed_at, l.target_key
      FROM unnest(CAST(? AS text[])) AS g(group_id)
      CROSS JOIN LATERAL (
        SELECT r.position, r.placed_at, r.target_key FROM {record} r
        WHERE r.move = ? AND r.group_id = g.group_id AND r.last_of_part
        ORDER BY r.position DESC LIMIT 1
      ) l""";

  private final Ends ends;
  private final Names names;

  RecordTable(Ends ends) {
    this.ends = ends;
    this.names = ends.names();
  }

  /** The last row of a group that has moved. */
  record Last(long position, long placedAt, String targetKey) {}

  boolean exists() throws SQLException {
    boolean exists = SchemaTools.exists(ends.target(), names.get(Names.RECORD));
    ends.commit();
    return exists;
  }

  void create() throws SQLException {
    if (!exists()) {
      SchemaTools.execute(ends.target(), names.in(CREATE));
      SchemaTools.execute(ends.target(), names.in(CREATE_PARTS));
      ends.commit();
    }
  }

  /** Has each row be found by its place, which only an abort does. */
  void index() throws SQLException {
    SchemaTools.execute(ends.target(), names.in(CREATE_ROWS));
    ends.commit();
  }

  /** What each of these groups has in the record; groups that have nothing are not in it. */
  Map<String, Last> last(List<String> groups) throws SQLException {
    Map<String, Last> last = new HashMap<>();
    for (Map.Entry<String, Last> entry :
        Session.query(
            ends.target(),
            names.in(LAST),
            row ->
                Map.entry(
                    row.getString(1), new Last(row.getLong(2), row.getLong(3), row.getString(4))),
            groups.toArray(String[]::new),
            ends.move())) {
      last.put(entry.getKey(), entry.getValue());
    }
    return last;
  }

  long count() throws SQLException {
    return Session.query(
            ends.target(),
            names.in("SELECT count(*) FROM {record} WHERE move = ?"),
            row -> row.getLong(1),
            ends.move())
        .get(0);
  }

  /** Forgets this migration; the table goes with the last one. */
  void forget(Connection connection) throws SQLException {
    boolean shared =
        Session.query(
                connection,
                names.in("SELECT EXISTS (SELECT 1 FROM {record} WHERE move <> ? AND last_of_part)"),
                row -> row.getBoolean(1),
                ends.move())
            .get(0);
    if (!shared) {
      SchemaTools.execute(connection, names.in("DROP TABLE {record}"));
      return;
    }
    try (var delete =
        connection.prepareStatement(names.in("DELETE FROM {record} WHERE move = ?"))) {
      delete.setLong(1, ends.move());
      delete.executeUpdate();
    }
  }
}
