package dev.sluice.migrate;

import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of what waits at one side, in the order of groups by their bytes and of messages within
 * them. The server sorts them once and keeps them; no snapshot stays open meanwhile, which would
 * slow down everybody's claims. Not thread-safe.
 */
final class Keys implements AutoCloseable {
  static final int FETCH = 5_000;

  private final Connection connection;
  private final String cursor;

  private Keys(Connection connection, String cursor) {
    this.connection = connection;
    this.cursor = cursor;
  }

  /** Reads the answer of a query: group, key, size of the group, bytes. */
  static Keys of(Connection connection, String cursor, String sql, @Nullable Object... parameters)
      throws SQLException {
    // One pass over the table and a sort is what this is about.
    SchemaTools.execute(
        connection,
        "SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on;"
            + " SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL work_mem = '64MB'");
    try (var declare =
        connection.prepareStatement(
            "DECLARE " + cursor + " NO SCROLL CURSOR WITH HOLD FOR " + sql)) {
      for (int i = 0; i < parameters.length; i++) {
        declare.setObject(i + 1, parameters[i]);
      }
      declare.execute();
    }
    connection.commit();
    return new Keys(connection, cursor);
  }

  List<RowKey> next() throws SQLException {
    List<RowKey> keys =
        Session.query(
            connection,
            "FETCH " + FETCH + " FROM " + cursor,
            row -> new RowKey(row.getString(1), row.getString(2), row.getLong(3), row.getLong(4)));
    connection.commit();
    return keys;
  }

  @Override
  public void close() throws SQLException {
    connection.rollback();
    SchemaTools.execute(connection, "CLOSE " + cursor);
    connection.commit();
  }
}
