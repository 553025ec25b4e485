package dev.sluice.queue.harel;

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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tables, indexes, functions and triggers: their scripts, and how what is there differs. */
final class HarelSchema {
  private static final long INDEX_LOCK = 7723023;

  private static final Pattern CREATED =
      Pattern.compile("CREATE (?:TABLE|INDEX) IF NOT EXISTS (\\w+)");
  private static final Map<String, String> MESSAGES = new LinkedHashMap<>();
  private static final Map<String, String> GROUPS = new LinkedHashMap<>();
  private static final Map<String, String> FAILED = new LinkedHashMap<>();

  static {
    MESSAGES.put("seq", "bigint");
    MESSAGES.put("group_id", "text");
    MESSAGES.put("event", "text");
    GROUPS.put("group_id", "text");
    GROUPS.put("locked_by", "text");
    GROUPS.put("lock_expiry", "double precision");
    GROUPS.put("priority", "integer");
    FAILED.put("seq", "bigint");
    FAILED.put("group_id", "text");
    FAILED.put("event", "text");
    FAILED.put("error_message", "text");
    FAILED.put("priority", "integer");
    FAILED.put("failed_at", "bigint");
  }

  private final Session session;
  private final HarelNames names;

  HarelSchema(Session session, HarelNames names) {
    this.session = session;
    this.names = names;
  }

  static String script(HarelNames names) {
    return String.join(
        "\n",
        List.of(
            resource(names, "harel_tables.sql"),
            resource(names, "harel_failed.sql"),
            resource(names, "harel_functions.sql"),
            resource(names, "harel_python.sql"),
            resource(names, "harel_indexes.sql"),
            resource(names, "harel_guard.sql"),
            resource(names, "harel_notify.sql")));
  }

  /** Creates what is missing, in one transaction; takes no lock on a table that is there. */
  void init() {
    session.transaction(
        "schema init",
        connection -> {
          // The lock under which Python workers create the same.
          SchemaTools.execute(connection, "SELECT pg_advisory_xact_lock(7723019)");
          boolean fresh = !SchemaTools.exists(connection, names.groups());
          for (String statement : SchemaTools.statements(resource("harel_tables.sql"))) {
            createTable(connection, statement, fresh);
          }
          if (!SchemaTools.exists(connection, names.failed())) {
            SchemaTools.execute(connection, resource("harel_failed.sql"));
          }
          if (!SchemaTools.hasFunctions(connection, resource("harel_functions.sql"))) {
            SchemaTools.execute(connection, resource("harel_functions.sql"));
          }
          createPythonFunctions(connection);
          return true;
        });
  }

  // CREATE INDEX IF NOT EXISTS waits for every open writer, also when the index is there; and an
  // index that a table lacks is added by --indexes, which blocks nobody.
  private static void createTable(Connection connection, String statement, boolean fresh)
      throws SQLException {
    Matcher created = CREATED.matcher(statement);
    boolean isIndex = statement.contains("CREATE INDEX");
    if (created.find()
        && !SchemaTools.exists(connection, created.group(1))
        && (fresh || !isIndex)) {
      SchemaTools.execute(connection, statement);
    }
  }

  private void createPythonFunctions(Connection connection) throws SQLException {
    SchemaTools.execute(connection, names.in("DROP FUNCTION IF EXISTS {ack}(text, bigint, text)"));
    Matcher function = SchemaTools.FUNCTION.matcher(resource("harel_python.sql"));
    while (function.find()) {
      if (SchemaTools.functionBody(connection, function.group(1)).isEmpty()) {
        SchemaTools.execute(connection, function.group());
      }
    }
  }

  SchemaReport check() {
    return session.run(
        "schema check",
        connection -> {
          List<String> differences = new ArrayList<>();
          differences.addAll(differences(connection, names.messages(), MESSAGES));
          differences.addAll(differences(connection, names.groups(), GROUPS));
          boolean quarantine = SchemaTools.exists(connection, names.failed());
          if (quarantine) {
            differences.addAll(differences(connection, names.failed(), FAILED));
          }
          if (differences.isEmpty()) {
            differences.addAll(functionDifferences(connection));
          }
          List<Extra> extras = new ArrayList<>();
          if (hasIndexes(connection)) {
            extras.add(Extra.CLAIM_INDEXES);
          }
          if (hasGuard(connection)) {
            extras.add(Extra.GUARD);
          }
          if (wakeUp().isThere(connection)) {
            extras.add(Extra.NOTIFY);
          }
          return new SchemaReport(
              differences, quarantine ? Optional.empty() : Optional.of(names.failed()), extras);
        });
  }

  private static List<String> differences(
      Connection connection, String table, Map<String, String> columns) throws SQLException {
    return SchemaTools.exists(connection, table)
        ? SchemaTools.differences(connection, table, columns)
        : List.of("table " + table + " does not exist");
  }

  private List<String> functionDifferences(Connection connection) throws SQLException {
    List<String> differences = new ArrayList<>();
    Matcher function = SchemaTools.FUNCTION.matcher(resource("harel_functions.sql"));
    while (function.find()) {
      Optional<String> there = SchemaTools.functionBody(connection, function.group(1));
      if (there.isEmpty()) {
        differences.add("function " + function.group(1) + " does not exist");
      } else if (!there.get().equals(function.group(2))) {
        differences.add("function " + function.group(1) + " differs from the one of this version");
      }
    }
    return differences;
  }

  boolean hasQuarantine() {
    return session.run(
        "schema check", connection -> SchemaTools.exists(connection, names.failed()));
  }

  /**
   * Whether Python workers have been here: they replace the claim function at their start, and they
   * hold leases.
   */
  boolean hasSeenPython(Optional<Double> clock) {
    return session.run(
        "schema check",
        connection -> {
          Matcher ours = SchemaTools.FUNCTION.matcher(resource("harel_python.sql"));
          Optional<String> there = SchemaTools.functionBody(connection, names.python("claim"));
          return (there.isPresent() && ours.find() && !there.get().equals(ours.group(2)))
              || holdsForeignLeases(connection, clock);
        });
  }

  // Looks at some leases only: the order is that of an index, whichever of the two there is.
  private boolean holdsForeignLeases(Connection connection, Optional<Double> clock)
      throws SQLException {
    String expiry = names.prefix().isEmpty() ? "lock_expiry" : "COALESCE(lock_expiry, 0)";
    return Session.query(
            connection,
            names.in(
                """
                SELECT EXISTS (
                  SELECT 1
                  FROM (
                    SELECT locked_by FROM {groups}
                    WHERE %1$s > COALESCE(
                      CAST(? AS double precision), extract(epoch FROM clock_timestamp()))
                    ORDER BY %1$s LIMIT 100
                  ) l
                  WHERE NOT starts_with(l.locked_by, ?))"""
                    .formatted(expiry)),
            row -> row.getBoolean(1),
            clock.orElse(null),
            HarelQueue.WORKER_PREFIX)
        .get(0);
  }

  void create(Extra extra) {
    session.run(
        "schema init",
        connection -> {
          switch (extra) {
            case CLAIM_INDEXES ->
                SchemaTools.createIndexes(
                    connection,
                    indexedTables(),
                    claimIndexes(),
                    resource("harel_indexes.sql"),
                    INDEX_LOCK);
            case GUARD -> createGuard(connection);
            case NOTIFY -> wakeUp().create(connection);
            case OLD_CLAIM_INDEXES -> throw noOldIndexes();
          }
          return true;
        });
  }

  private void createGuard(Connection connection) throws SQLException {
    if (!hasGuard(connection)) {
      dropTriggers(connection);
      SchemaTools.execute(connection, resource("harel_guard.sql"));
    }
  }

  void drop(Extra extra) {
    session.run(
        "schema drop",
        connection -> {
          switch (extra) {
            case CLAIM_INDEXES ->
                SchemaTools.dropIndexes(connection, indexedTables(), ownIndexes());
            case GUARD -> dropGuard(connection);
            case NOTIFY -> wakeUp().drop(connection);
            case OLD_CLAIM_INDEXES -> throw noOldIndexes();
          }
          return true;
        });
  }

  private static IllegalArgumentException noOldIndexes() {
    return new IllegalArgumentException("the harel tables have no older claim indexes");
  }

  private void dropGuard(Connection connection) throws SQLException {
    dropTriggers(connection);
    Matcher function = SchemaTools.FUNCTION.matcher(resource("harel_guard.sql"));
    while (function.find()) {
      SchemaTools.execute(connection, "DROP FUNCTION IF EXISTS " + function.group(1) + "()");
    }
  }

  private WakeUpTrigger wakeUp() {
    return new WakeUpTrigger(names.messages(), resource("harel_notify.sql"));
  }

  private void dropTriggers(Connection connection) throws SQLException {
    if (SchemaTools.exists(connection, names.groups())) {
      SchemaTools.execute(
          connection,
          names.in(
              "DROP TRIGGER IF EXISTS sluice_guard_insert ON {groups};"
                  + " DROP TRIGGER IF EXISTS sluice_guard_delete ON {groups}"));
    }
  }

  private boolean hasGuard(Connection connection) throws SQLException {
    return Session.query(
                connection,
                """
                SELECT count(*) = 2 FROM pg_trigger
                WHERE tgrelid = to_regclass(?) AND tgenabled <> 'D'
                  AND tgname IN ('sluice_guard_insert', 'sluice_guard_delete')""",
                row -> row.getBoolean(1),
                names.groups())
            .get(0)
        && SchemaTools.hasFunctions(connection, resource("harel_guard.sql"));
  }

  private boolean hasIndexes(Connection connection) throws SQLException {
    List<String> all = claimIndexes();
    return SchemaTools.indexes(connection, indexedTables(), all, true).size() == all.size();
  }

  private List<String> indexedTables() {
    return List.of(names.groups(), names.failed());
  }

  private List<String> claimIndexes() {
    List<String> all = ownIndexes();
    if (!all.contains(names.orderIndex())) {
      all.add(names.orderIndex());
    }
    return all;
  }

  // With a prefix the index of the order is the Python package's.
  private List<String> ownIndexes() {
    List<String> own = new ArrayList<>(List.of(names.blockedIndex()));
    if (names.prefix().isEmpty()) {
      own.add(names.orderIndex());
    }
    for (String suffix : List.of("free", "p1", "p2", "p3", "p4")) {
      own.add(names.own() + "transport_groups_sluice_" + suffix);
    }
    return own;
  }

  private String resource(String file) {
    return resource(names, file);
  }

  private static String resource(HarelNames names, String file) {
    return names.in(SchemaTools.resource(file));
  }
}
