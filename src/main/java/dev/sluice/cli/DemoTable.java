package dev.sluice.cli;

import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.uri.Database;
import dev.sluice.queue.uri.QueueSettings;
import dev.sluice.queue.uri.QueueUri;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

/**
 * A queue of the demo's own, in the user's tables or, for the harel transport, in tables of its
 * own. Takes away what demos leave, and touches no other queue.
 */
final class DemoTable implements AutoCloseable {
  private static final String QUEUE_PREFIX = "sluice-demo-";
  private static final String TABLE_PREFIX = "sluice_demo_";
  private static final List<String> TABLES = List.of("queue_messages", "queue_messages_failed");
  private static final int CONNECTIONS = 4;

  /** One that runs now has begun in the last ten minutes. */
  private static final long OLD_SECONDS = 600;

  private final OpenQueue open;
  private final boolean ownTables;
  private final String name;

  private DemoTable(OpenQueue open, boolean ownTables, String name) {
    this.open = open;
    this.ownTables = ownTables;
    this.name = name;
  }

  /**
   * A queue that no other demo has.
   *
   * @throws dev.sluice.queue.SchemaException if the user's tables are missing or differ
   */
  static DemoTable open(QueueUri uri, QueueSettings settings) {
    boolean ownTables = uri.backend() == QueueUri.Backend.HAREL;
    String name = (ownTables ? TABLE_PREFIX : QUEUE_PREFIX) + System.currentTimeMillis();
    OpenQueue open =
        ownTables
            ? OpenQueue.open(uri.withPrefix(name), Optional.empty(), CONNECTIONS, settings)
            : OpenQueue.open(uri, Optional.of(name), CONNECTIONS, settings);
    try {
      DemoTable table = new DemoTable(open, ownTables, name);
      if (ownTables) {
        open.queue().initSchema();
      }
      SchemaGate.requireQuarantine(open.queue());
      table.removeOld();
      return table;
    } catch (RuntimeException e) {
      open.close();
      throw e;
    }
  }

  Queue queue() {
    return open.queue();
  }

  private void removeOld() {
    if (ownTables) {
      dropTables(
          "relname ~ ('^' || ? || '[0-9]{13}_') AND substr(relname, length(?) + 1, 10)::bigint < "
              + "extract(epoch FROM clock_timestamp()) - "
              + OLD_SECONDS,
          TABLE_PREFIX,
          TABLE_PREFIX);
      return;
    }
    for (String table : TABLES) {
      run(
          "DELETE FROM %s WHERE queue_name ~ ('^' || ? || '[0-9]+$') AND created_at < extract(epoch FROM clock_timestamp()) - %s"
              .formatted(table, OLD_SECONDS),
          QUEUE_PREFIX);
    }
  }

  // The functions go with them, found by the same names.
  private void dropTables(String condition, String... parameters) {
    String named =
        """
        (SELECT relname::text AS relname, 'TABLE' AS kind, '' AS arguments
         FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid)
         UNION ALL
         SELECT proname::text, 'FUNCTION', '(' || pg_get_function_identity_arguments(oid) || ')'
         FROM pg_proc WHERE pg_function_is_visible(oid)) named""";
    String drops =
        "SELECT string_agg(format('DROP %s %I%s', kind, relname, arguments), '; ') FROM "
            + named
            + " WHERE "
            + condition;
    try (Connection connection = connection();
        PreparedStatement statement = connection.prepareStatement(drops)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      try (ResultSet result = statement.executeQuery()) {
        String script = result.next() ? result.getString(1) : null;
        if (script != null) {
          try (Statement drop = connection.createStatement()) {
            drop.execute(script);
          }
        }
      }
    } catch (SQLException e) {
      throw new QueueException("cleaning up", name, e);
    }
  }

  private void run(String sql, String parameter) {
    try (Connection connection = connection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, parameter);
      statement.executeUpdate();
    } catch (SQLException e) {
      throw new QueueException("cleaning up", name, e);
    }
  }

  private Connection connection() throws SQLException {
    Database database = open.database();
    return database.dataSource().getConnection();
  }

  /** Takes away what waits; what is quarantined in the user's tables stays to be looked at. */
  @Override
  public void close() {
    try {
      if (ownTables) {
        dropTables("starts_with(relname, ? || '_')", name);
      } else {
        run("DELETE FROM queue_messages WHERE queue_name = ?", name);
      }
    } finally {
      open.close();
    }
  }
}
