package dev.sluice.queue.legacy;

import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.jdbc.Session;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tables and indexes: their scripts, and how what is there differs from them. */
final class LegacySchema {
  private static final String TABLE = "queue_messages";
  private static final String FAILED_TABLE = "queue_messages_failed";
  private static final List<String> CLAIM_INDEXES =
      List.of("sluice_claim_order", "sluice_claim_group", "sluice_claim_long", "sluice_claim_held");

  private static final Map<String, String> COLUMNS = new LinkedHashMap<>();
  private static final Map<String, String> FAILED_COLUMNS = new LinkedHashMap<>();

  static {
    COLUMNS.put("id", "text");
    COLUMNS.put("queue_name", "text");
    COLUMNS.put("message_group_id", "text");
    COLUMNS.put("receipt_handle", "text");
    COLUMNS.put("visible_at", "bigint");
    COLUMNS.put("payload", "text");
    COLUMNS.put("created_at", "bigint");
    COLUMNS.put("receive_count", "integer");
    FAILED_COLUMNS.put("id", "text");
    FAILED_COLUMNS.put("queue_name", "text");
    FAILED_COLUMNS.put("message_group_id", "text");
    FAILED_COLUMNS.put("payload", "text");
    FAILED_COLUMNS.put("error_message", "text");
    FAILED_COLUMNS.put("receive_count", "integer");
    FAILED_COLUMNS.put("created_at", "bigint");
    FAILED_COLUMNS.put("failed_at", "bigint");
  }

  private final Session session;

  LegacySchema(Session session) {
    this.session = session;
  }

  static String script() {
    return resource("queue_messages.sql")
        + "\n"
        + resource("queue_messages_failed.sql")
        + "\n"
        + resource("claim_indexes.sql");
  }

  /** Creates what is missing, in one transaction; takes no lock on a table that is there. */
  void init() {
    session.transaction(
        "schema init",
        connection -> {
          // Two at once: CREATE ... IF NOT EXISTS fails when another session commits it in between.
          execute(connection, "SELECT pg_advisory_xact_lock(7723021)");
          if (!exists(connection, TABLE)) {
            execute(connection, resource("queue_messages.sql"));
          }
          if (!exists(connection, FAILED_TABLE)) {
            execute(connection, resource("queue_messages_failed.sql"));
          }
          return true;
        });
  }

  SchemaReport check() {
    return session.run(
        "schema check",
        connection -> {
          List<String> differences = new ArrayList<>(differences(connection, TABLE, COLUMNS));
          if (differences.isEmpty() && !hasKey(connection, TABLE)) {
            differences.add("table " + TABLE + " has no unique key (queue_name, id)");
          }
          boolean quarantineMissing = !exists(connection, FAILED_TABLE);
          if (!quarantineMissing) {
            List<String> failed = differences(connection, FAILED_TABLE, FAILED_COLUMNS);
            differences.addAll(failed);
            if (failed.isEmpty() && !hasKey(connection, FAILED_TABLE)) {
              differences.add("table " + FAILED_TABLE + " has no unique key (queue_name, id)");
            }
          }
          return new SchemaReport(
              differences,
              quarantineMissing,
              hasClaimIndexes(connection) ? List.of(SchemaReport.Extra.CLAIM_INDEXES) : List.of());
        });
  }

  boolean hasClaimIndexes() {
    return session.run("poll", LegacySchema::hasClaimIndexes);
  }

  boolean hasQuarantine() {
    return session.run("schema check", connection -> exists(connection, FAILED_TABLE));
  }

  void createClaimIndexes() {
    session.run(
        "schema init --indexes",
        connection -> {
          // An index whose creation was interrupted stays behind, is kept up, and serves nobody.
          lockIndexes(connection);
          try {
            for (String index : indexes(connection, false)) {
              execute(connection, "DROP INDEX CONCURRENTLY IF EXISTS " + index);
            }
            for (String statement : statements(resource("claim_indexes.sql"))) {
              execute(connection, statement);
            }
          } finally {
            execute(connection, "SELECT pg_advisory_unlock(7723022)");
          }
          return true;
        });
  }

  void dropClaimIndexes() {
    session.run(
        "schema drop-indexes",
        connection -> {
          // Those of this table: another schema of the search path may have its own.
          for (boolean valid : new boolean[] {true, false}) {
            for (String index : indexes(connection, valid)) {
              execute(connection, "DROP INDEX CONCURRENTLY IF EXISTS " + index);
            }
          }
          return true;
        });
  }

  // Two at once would deadlock, or take each other's index for a leftover. Asked for again and
  // again
  // instead of waited for: CREATE INDEX CONCURRENTLY waits for every statement that is under way.
  private static void lockIndexes(Connection connection) throws SQLException {
    while (!Session.query(
            connection, "SELECT pg_try_advisory_lock(7723022)", row -> row.getBoolean(1))
        .get(0)) {
      try {
        Thread.sleep(200);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SQLException("interrupted while another session makes the indexes", e);
      }
    }
  }

  private static boolean hasClaimIndexes(Connection connection) throws SQLException {
    return indexes(connection, true).size() == CLAIM_INDEXES.size();
  }

  private static List<String> indexes(Connection connection, boolean valid) throws SQLException {
    return Session.query(
        connection,
        """
        SELECT i.indexrelid::regclass::text
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = to_regclass(?) AND c.relname = ANY (CAST(? AS text[]))
          AND (i.indisvalid AND i.indisready) = ?""",
        row -> row.getString(1),
        TABLE,
        CLAIM_INDEXES.toArray(String[]::new),
        valid);
  }

  private static boolean exists(Connection connection, String table) throws SQLException {
    return Session.query(
            connection, "SELECT to_regclass(?) IS NOT NULL", row -> row.getBoolean(1), table)
        .get(0);
  }

  // The place of a row (ctid), by which a claim finds it again, is unique in one table only.
  private static boolean isPlain(Connection connection, String table) throws SQLException {
    return Session.query(
            connection,
            """
            SELECT c.relkind = 'r'
              AND NOT EXISTS (SELECT 1 FROM pg_inherits h WHERE h.inhparent = c.oid)
            FROM pg_class c WHERE c.oid = to_regclass(?)""",
            row -> row.getBoolean(1),
            table)
        .get(0);
  }

  private static boolean hasKey(Connection connection, String table) throws SQLException {
    return Session.query(
            connection,
            """
            SELECT EXISTS (
              SELECT 1 FROM pg_index i
              WHERE i.indrelid = to_regclass(?) AND i.indisunique AND i.indisvalid
                AND i.indpred IS NULL AND i.indnkeyatts = 2
                AND ARRAY(SELECT a.attname::text FROM pg_attribute a
                          WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
                          ORDER BY 1) = ARRAY['id', 'queue_name'])""",
            row -> row.getBoolean(1),
            table)
        .get(0);
  }

  private static List<String> differences(
      Connection connection, String table, Map<String, String> columns) throws SQLException {
    if (!exists(connection, table)) {
      return List.of("table " + table + " does not exist");
    }
    if (!isPlain(connection, table)) {
      return List.of(
          "table " + table + " is partitioned or inherited from; it must be a plain table");
    }
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
                "table "
                    + table
                    + ": column "
                    + name
                    + " is "
                    + column.type()
                    + ", must be "
                    + type);
          }
        });
    found.values().stream()
        .filter(Column::mustBeGiven)
        .forEach(
            column ->
                differences.add(
                    "table "
                        + table
                        + ": column "
                        + column.name()
                        + " is NOT NULL without a default, and nobody writes it"));
    return differences;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> statements(String script) {
    return List.of(script.split(";\\s*\\n", -1)).stream().filter(s -> !s.isBlank()).toList();
  }

  private static String resource(String file) {
    try (InputStream in = LegacySchema.class.getResourceAsStream("/dev/sluice/schema/" + file)) {
      if (in == null) {
        throw new IllegalStateException("missing from the jar: " + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
