package dev.sluice.queue.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the scripts of a schema, runs them, and compares what is there with what must be. */
public final class SchemaTools {
  private static final String DEADLOCK = "40P01";
  private static final int DEADLOCKS = 20;

  /** A function of a script: its name and its body. */
  public static final Pattern FUNCTION =
      Pattern.compile(
          "CREATE (?:OR REPLACE )?FUNCTION (\\w+)\\(.*?AS \\$\\$(.*?)\\$\\$;", Pattern.DOTALL);

  private SchemaTools() {}

  /** The script of this name. */
  public static String resource(String file) {
    try (InputStream in = SchemaTools.class.getResourceAsStream("/dev/sluice/schema/" + file)) {
      if (in == null) {
        throw new IllegalStateException("missing from the jar: " + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The statements of a script that holds no function bodies. */
  public static List<String> statements(String script) {
    return List.of(script.split(";\\s*\\n", -1)).stream().filter(s -> !s.isBlank()).toList();
  }

  /** Runs one statement, or several at once in one transaction. */
  public static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      // Not taken apart by the driver: "?" and "{" are the script's own.
      statement.setEscapeProcessing(false);
      statement.execute(sql);
    }
  }

  /** Whether the search path leads to a table or index of this name. */
  public static boolean exists(Connection connection, String relation) throws SQLException {
    return Session.query(
            connection, "SELECT to_regclass(?) IS NOT NULL", row -> row.getBoolean(1), relation)
        .get(0);
  }

  /** Whether all functions of this script are there, as it has them. */
  public static boolean hasFunctions(Connection connection, String script) throws SQLException {
    Matcher function = FUNCTION.matcher(script);
    while (function.find()) {
      if (!functionBody(connection, function.group(1)).equals(Optional.of(function.group(2)))) {
        return false;
      }
    }
    return true;
  }

  /** The body of the function of this name, if there is one. */
  public static Optional<String> functionBody(Connection connection, String function)
      throws SQLException {
    return Session.query(
            connection,
            "SELECT prosrc FROM pg_proc WHERE oid = to_regproc(?)",
            row -> row.getString(1),
            function)
        .stream()
        .findFirst();
  }

  /**
   * Which of these indexes the tables have, in a state in which they serve, or in one in which not.
   */
  public static List<String> indexes(
      Connection connection, List<String> tables, Collection<String> names, boolean valid)
      throws SQLException {
    return Session.query(
        connection,
        """
        SELECT i.indexrelid::regclass::text
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid IN (SELECT to_regclass(t.name) FROM unnest(CAST(? AS text[])) AS t(name))
          AND c.relname = ANY (CAST(? AS text[]))
          AND (i.indisvalid AND i.indisready) = ?""",
        row -> row.getString(1),
        tables.toArray(String[]::new),
        names.toArray(String[]::new),
        valid);
  }

  /**
   * Creates indexes without blocking writers, and those anew whose creation was interrupted: they
   * stay behind, are kept up, and serve nobody.
   *
   * @param lock the advisory lock that keeps two of these calls apart
   */
  public static void createIndexes(
      Connection connection,
      List<String> tables,
      Collection<String> names,
      String script,
      long lock)
      throws SQLException {
    lockIndexes(connection, lock);
    try {
      throughDeadlocks(() -> createMissing(connection, tables, names, script));
    } finally {
      execute(connection, "SELECT pg_advisory_unlock(" + lock + ")");
    }
  }

  private static void createMissing(
      Connection connection, List<String> tables, Collection<String> names, String script)
      throws SQLException {
    for (String index : indexes(connection, tables, names, false)) {
      execute(connection, "DROP INDEX CONCURRENTLY IF EXISTS " + index);
    }
    for (String statement : statements(script)) {
      execute(connection, statement);
    }
  }

  private interface Step {
    void run() throws SQLException;
  }

  // Workers ask for their own indexes at their start: such a statement waits for ours, which waits
  // for every snapshot that is older than it. Whoever is stopped has only to begin again.
  private static void throughDeadlocks(Step step) throws SQLException {
    for (int left = DEADLOCKS; ; left--) {
      try {
        step.run();
        return;
      } catch (SQLException e) {
        if (left == 0 || !DEADLOCK.equals(e.getSQLState())) {
          throw e;
        }
      }
    }
  }

  /** Drops those of these indexes that these tables have; another schema may have its own. */
  public static void dropIndexes(
      Connection connection, List<String> tables, Collection<String> names) throws SQLException {
    throughDeadlocks(
        () -> {
          for (boolean valid : new boolean[] {true, false}) {
            for (String index : indexes(connection, tables, names, valid)) {
              execute(connection, "DROP INDEX CONCURRENTLY IF EXISTS " + index);
            }
          }
        });
  }

  // Two at once would deadlock, or take each other's index for a leftover. Asked for again and
  // again instead of waited for: CREATE INDEX CONCURRENTLY waits for every statement under way.
  private static void lockIndexes(Connection connection, long lock) throws SQLException {
    while (!Session.query(
            connection, "SELECT pg_try_advisory_lock(?)", row -> row.getBoolean(1), lock)
        .get(0)) {
      try {
        Thread.sleep(200);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SQLException("interrupted while another session makes the indexes", e);
      }
    }
  }

  /**
   * How the columns of a table differ from these names and types, a line each; columns beside them
   * may be there as long as nobody must write them.
   */
  public static List<String> differences(
      Connection connection, String table, Map<String, String> columns) throws SQLException {
    record Column(String name, String type, boolean mustBeGiven) {}
    Map<String, Column> found = new LinkedHashMap<>();
    Session.query(
            connection,
            """
            SELECT attname, format_type(atttypid, atttypmod),
              attnotnull AND NOT atthasdef AND attidentity = '' AND attgenerated = ''
            FROM pg_attribute
            WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped
            ORDER BY attnum""",
            row -> new Column(row.getString(1), row.getString(2), row.getBoolean(3)),
            table)
        .forEach(column -> found.put(column.name(), column));
    List<String> differences = new ArrayList<>();
    columns.forEach(
        (name, type) -> {
          Column column = found.remove(name);
          if (column == null) {
            differences.add("table " + table + " has no column " + name + " " + type);
          } else if (!column.type().equals(type)) {
            differences.add(
                "table %s: column %s is %s, must be %s"
                    .formatted(table, name, column.type(), type));
          }
        });
    found.values().stream()
        .filter(Column::mustBeGiven)
        .forEach(
            column ->
                differences.add(
                    "table %s: column %s is NOT NULL without a default, and nobody writes it"
                        .formatted(table, column.name())));
    return differences;
  }
}
