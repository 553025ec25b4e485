package dev.sluice.queue.legacy;

import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.queue.jdbc.WakeUpTrigger;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The tables and indexes: their scripts, and how what is there differs from them. */
final class LegacySchema {
  static final String TABLE = "queue_messages";
  private static final String FAILED_TABLE = "queue_messages_failed";
  private static final List<String> CLAIM_INDEXES =
      List.of(
          "sluice_claim_fresh",
          "sluice_claim_late",
          "sluice_claim_idle",
          "sluice_claim_taken",
          "sluice_claim_lapse",
          "sluice_claim_returned",
          "sluice_claim_oversized");

  /** What an older version made in their place. */
  private static final List<String> OLD_CLAIM_INDEXES =
      List.of("sluice_claim_order", "sluice_claim_group", "sluice_claim_held", "sluice_claim_long");

  private static final List<String> TABLES = List.of(TABLE, FAILED_TABLE);
  private static final List<String> ALL_INDEXES =
      Stream.concat(CLAIM_INDEXES.stream(), Stream.of("sluice_blocked_groups")).toList();

  private static final String NOTIFY = "queue_notify.sql";
  private static final long INDEX_LOCK = 7723022;

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
    return SchemaTools.resource("queue_messages.sql")
        + "\n"
        + SchemaTools.resource("queue_messages_failed.sql")
        + "\n"
        + SchemaTools.resource("claim_indexes.sql")
        + "\n"
        + SchemaTools.resource(NOTIFY);
  }

  /** Creates what is missing, in one transaction; takes no lock on a table that is there. */
  void init() {
    session.transaction(
        "schema init",
        connection -> {
          // Two at once: CREATE ... IF NOT EXISTS fails when another session commits it in between.
          SchemaTools.execute(connection, "SELECT pg_advisory_xact_lock(7723021)");
          if (!SchemaTools.exists(connection, TABLE)) {
            SchemaTools.execute(connection, SchemaTools.resource("queue_messages.sql"));
          }
          if (!SchemaTools.exists(connection, FAILED_TABLE)) {
            SchemaTools.execute(connection, SchemaTools.resource("queue_messages_failed.sql"));
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
          boolean quarantineMissing = !SchemaTools.exists(connection, FAILED_TABLE);
          if (!quarantineMissing) {
            List<String> failed = differences(connection, FAILED_TABLE, FAILED_COLUMNS);
            differences.addAll(failed);
            if (failed.isEmpty() && !hasKey(connection, FAILED_TABLE)) {
              differences.add("table " + FAILED_TABLE + " has no unique key (queue_name, id)");
            }
          }
          return new SchemaReport(
              differences,
              quarantineMissing ? Optional.of(FAILED_TABLE) : Optional.empty(),
              extras(connection));
        });
  }

  private static List<Extra> extras(Connection connection) throws SQLException {
    List<Extra> extras = new ArrayList<>();
    if (hasIndexes(connection, ALL_INDEXES)) {
      extras.add(Extra.CLAIM_INDEXES);
    }
    if (hasOldIndexes(connection)) {
      extras.add(Extra.OLD_CLAIM_INDEXES);
    }
    if (wakeUp().isThere(connection)) {
      extras.add(Extra.NOTIFY);
    }
    return extras;
  }

  private static WakeUpTrigger wakeUp() {
    return new WakeUpTrigger(TABLE, SchemaTools.resource(NOTIFY));
  }

  boolean hasClaimIndexes() {
    return session.run("poll", connection -> hasIndexes(connection, CLAIM_INDEXES));
  }

  boolean hasQuarantine() {
    return session.run("schema check", connection -> SchemaTools.exists(connection, FAILED_TABLE));
  }

  /**
   * @throws IllegalArgumentException if this table has no such part
   */
  void create(Extra extra) {
    session.run(
        "schema init",
        connection -> {
          switch (extra) {
            case CLAIM_INDEXES -> {
              SchemaTools.createIndexes(
                  connection,
                  TABLES,
                  ALL_INDEXES,
                  SchemaTools.resource("claim_indexes.sql"),
                  INDEX_LOCK);
              SchemaTools.dropIndexes(connection, TABLES, OLD_CLAIM_INDEXES);
            }
            case OLD_CLAIM_INDEXES ->
                throw new IllegalArgumentException("older claim indexes are not made any more");
            case NOTIFY -> wakeUp().create(connection);
            case GUARD -> throw noGuard();
          }
          return true;
        });
  }

  /**
   * @throws IllegalArgumentException if this table has no such part
   */
  void drop(Extra extra) {
    session.run(
        "schema drop",
        connection -> {
          switch (extra) {
            case CLAIM_INDEXES -> {
              SchemaTools.dropIndexes(connection, TABLES, ALL_INDEXES);
              SchemaTools.dropIndexes(connection, TABLES, OLD_CLAIM_INDEXES);
            }
            case OLD_CLAIM_INDEXES ->
                SchemaTools.dropIndexes(connection, TABLES, OLD_CLAIM_INDEXES);
            case NOTIFY -> wakeUp().drop(connection);
            case GUARD -> throw noGuard();
          }
          return true;
        });
  }

  private static IllegalArgumentException noGuard() {
    return new IllegalArgumentException("the legacy table has no guard triggers");
  }

  private static boolean hasOldIndexes(Connection connection) throws SQLException {
    return !SchemaTools.indexes(connection, TABLES, OLD_CLAIM_INDEXES, true).isEmpty()
        || !SchemaTools.indexes(connection, TABLES, OLD_CLAIM_INDEXES, false).isEmpty();
  }

  private static boolean hasIndexes(Connection connection, List<String> indexes)
      throws SQLException {
    return SchemaTools.indexes(connection, TABLES, indexes, true).size() == indexes.size();
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

  // Columns are compared once it is clear that there is one plain table.
  private static List<String> differences(
      Connection connection, String table, Map<String, String> columns) throws SQLException {
    if (!SchemaTools.exists(connection, table)) {
      return List.of("table " + table + " does not exist");
    }
    if (!isPlain(connection, table)) {
      return List.of(
          "table " + table + " is partitioned or inherited from; it must be a plain table");
    }
    return SchemaTools.differences(connection, table, columns);
  }
}
