package dev.sluice.queue.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Matcher;

/**
 * The trigger {@code sluice_notify} of a table, which {@link Wakeups} hears.
 *
 * @param table as the search path finds it
 * @param script creates the function and the trigger
 */
public record WakeUpTrigger(String table, String script) {
  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final int TRIES = 100;

  /** Whether it is there, on, and as this version makes it. */
  public boolean isThere(Connection connection) throws SQLException {
    return Session.query(
                connection,
                """
                SELECT EXISTS (
                  SELECT 1 FROM pg_trigger
                  WHERE tgrelid = to_regclass(?) AND tgname = 'sluice_notify' AND tgenabled <> 'D')""",
                row -> row.getBoolean(1),
                table)
            .get(0)
        && SchemaTools.hasFunctions(connection, script);
  }

  /** Creates it; does nothing if it is there. */
  public void create(Connection connection) throws SQLException {
    if (!isThere(connection)) {
      briefly(connection, dropTrigger() + script);
    }
  }

  /** Drops it and its function; does nothing if they are not there. */
  public void drop(Connection connection) throws SQLException {
    if (SchemaTools.exists(connection, table)) {
      briefly(connection, dropTrigger());
    }
    Matcher function = SchemaTools.FUNCTION.matcher(script);
    while (function.find()) {
      SchemaTools.execute(connection, "DROP FUNCTION IF EXISTS " + function.group(1) + "()");
    }
  }

  private String dropTrigger() {
    return "DROP TRIGGER IF EXISTS sluice_notify ON " + table + ";\n";
  }

  // Waits for whoever writes to the table, and everybody who comes later waits behind it: for a
  // moment only, then again.
  private static void briefly(Connection connection, String sql) throws SQLException {
    for (int left = TRIES; ; left--) {
      try {
        SchemaTools.execute(
            connection, "SELECT set_config('lock_timeout', '200ms', true);\n" + sql);
        return;
      } catch (SQLException e) {
        if (left == 0 || !LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
          throw e;
        }
      }
    }
  }
}
