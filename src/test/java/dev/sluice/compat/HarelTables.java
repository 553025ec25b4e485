package dev.sluice.compat;

import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.harel.HarelQueue;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** A database with the tables of the harel transport, as one version of the package names them. */
final class HarelTables implements AutoCloseable {
  /** The prefix that harel from 0.7 on has by itself. */
  static final String PREFIX = "harel";

  /** Python workers call these two. */
  private static final Pattern SHARED =
      Pattern.compile("CREATE FUNCTION .*?\\$\\$;", Pattern.DOTALL);

  private final TestDatabase database;
  private final HarelPackage harel;

  HarelTables(HarelPackage harel) {
    this(TestDatabase.fresh(), harel);
  }

  private HarelTables(TestDatabase database, HarelPackage harel) {
    this.database = database;
    this.harel = harel;
  }

  /** The tables of another version in the same database, which closes with this one. */
  HarelTables of(HarelPackage other) {
    return new HarelTables(database, other);
  }

  HarelPackage harel() {
    return harel;
  }

  private Optional<String> prefix() {
    return harel.hasPrefix() ? Optional.of(PREFIX) : Optional.empty();
  }

  String messages() {
    return prefix().map(p -> p + "_").orElse("") + "transport_messages";
  }

  String groups() {
    return prefix().map(p -> p + "_").orElse("") + "transport_groups";
  }

  /** The database as psycopg takes it. */
  String dsn() {
    return database.uri();
  }

  /** The URI as our program takes it. */
  String uri() {
    String uri = database.uri().replaceFirst("^postgres(ql)?:", "harel:");
    return prefix().map(p -> uri + (uri.contains("?") ? "&" : "?") + "prefix=" + p).orElse(uri);
  }

  HarelQueue.Builder queue() {
    return queue(database.dataSource());
  }

  /** With connections of its own. */
  HarelQueue.Builder queue(int connections) {
    return queue(database.dataSource(connections));
  }

  private HarelQueue.Builder queue(DataSource dataSource) {
    HarelQueue.Builder builder = HarelQueue.builder(dataSource);
    prefix().ifPresent(builder::prefix);
    return builder;
  }

  /** As {@code schema init} does. */
  void init() {
    queue().build().initSchema();
  }

  /** As {@code schema init --guard} does. */
  void guard() {
    queue().build().admin().createExtra(Extra.GUARD);
  }

  /** As a Python worker does at its start. */
  void initByPython() throws Exception {
    harel.run(command("schema"));
  }

  /** A command of the Python program on these tables. */
  String[] command(String command, String... options) {
    List<String> arguments = new ArrayList<>(List.of(command, "--dsn", dsn()));
    prefix().ifPresent(p -> arguments.addAll(List.of("--prefix", p)));
    arguments.addAll(List.of(options));
    return arguments.toArray(String[]::new);
  }

  PeerProcess start(String command, String... options) throws Exception {
    return harel.start(List.of(command(command, options)));
  }

  /** Puts our bodies of the functions that Python calls in the place of its own. */
  void replaceFunctions() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      // The lock under which Python workers do the same.
      statement.execute("SELECT pg_advisory_xact_lock(7723019)");
      statement.execute(sharedFunctions(prefix()));
      connection.commit();
    }
  }

  /** The statements that put our bodies in the place of Python's. */
  static String sharedFunctions(Optional<String> prefix) {
    return SHARED
        .matcher(HarelQueue.schemaScript(prefix))
        .results()
        .map(MatchResult::group)
        .reduce("", String::concat)
        .replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION");
  }

  /** Whether Python's claims run through our statements. */
  boolean hasOurFunctions() throws SQLException {
    return number(
            "SELECT count(*) FROM pg_proc WHERE proname IN ('harel_claim', 'harel_ack')"
                + " AND prosrc LIKE '%sluice_%'")
        == 2;
  }

  long waiting() throws SQLException {
    return number("SELECT count(*) FROM " + messages());
  }

  DataSource dataSource() {
    return database.dataSource();
  }

  long number(String sql) throws SQLException {
    return Long.parseLong(text(sql));
  }

  /** The first column of the one row that a query yields. */
  String text(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  Connection connect() {
    return database.connect();
  }

  StrandedGroups watchStranded() {
    return new StrandedGroups(connect(), messages(), groups());
  }

  HarelSession session(String name, Duration visibility) {
    return new HarelSession(name, queue(2), visibility);
  }

  @Override
  public void close() {
    database.close();
  }
}
