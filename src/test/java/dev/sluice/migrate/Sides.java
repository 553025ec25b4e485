package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.CliRun;
import dev.sluice.model.LegacyRow;
import dev.sluice.model.LegacyTable;
import dev.sluice.queue.harel.HarelQueue;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A legacy queue, harel tables, in one database or in two, and the command that moves between. */
final class Sides implements AutoCloseable {
  static final String QUEUE = "orders";

  /** Where the two are. */
  enum Place {
    ONE_DATABASE,
    TWO_DATABASES
  }

  /** Which way messages move. */
  enum Direction {
    TO_HAREL,
    TO_LEGACY;

    Direction back() {
      return this == TO_HAREL ? TO_LEGACY : TO_HAREL;
    }
  }

  private final TestDatabase legacy;
  private final TestDatabase harel;

  private Sides(TestDatabase legacy, TestDatabase harel) {
    this.legacy = legacy;
    this.harel = harel;
  }

  static Sides empty(Place place) {
    TestDatabase legacy = TestDatabase.fresh();
    return new Sides(legacy, place == Place.ONE_DATABASE ? legacy : TestDatabase.fresh());
  }

  static Sides in(Place place) {
    Sides sides = empty(place);
    sides.legacyQueue().initSchema();
    sides.harelQueue().initSchema();
    return sides;
  }

  LegacyQueue legacyQueue() {
    return LegacyQueue.builder(legacy.dataSource(), QUEUE)
        .groups(LegacyQueue.Groups.EXCLUSIVE)
        .build();
  }

  HarelQueue harelQueue() {
    return HarelQueue.builder(harel.dataSource()).build();
  }

  TestDatabase legacy() {
    return legacy;
  }

  TestDatabase harel() {
    return harel;
  }

  TestDatabase source(Direction direction) {
    return direction == Direction.TO_HAREL ? legacy : harel;
  }

  TestDatabase target(Direction direction) {
    return direction == Direction.TO_HAREL ? harel : legacy;
  }

  String legacyUri() {
    return legacy.uri();
  }

  String harelUri() {
    return asHarel(harel.uri());
  }

  static String asHarel(String uri) {
    return "harel" + uri.substring(uri.indexOf("://"));
  }

  String fromUri(Direction direction) {
    return direction == Direction.TO_HAREL ? legacyUri() : harelUri();
  }

  String toUri(Direction direction) {
    return direction == Direction.TO_HAREL ? harelUri() : legacyUri();
  }

  /** The arguments of the command, for a process of its own. */
  List<String> arguments(Direction direction, String... options) {
    return arguments(fromUri(direction), toUri(direction), options);
  }

  static List<String> arguments(String from, String to, String... options) {
    return Stream.concat(
            Stream.of("migrate", "--from", from, "--to", to, "--queue", QUEUE), Stream.of(options))
        .toList();
  }

  CliRun migrate(Direction direction, String... options) {
    return migrate(fromUri(direction), toUri(direction), options);
  }

  static CliRun migrate(String from, String to, String... options) {
    return CliRun.sluice(arguments(from, to, options).toArray(String[]::new));
  }

  /** Migrates and fails the test where anything is left. */
  void migrateAll(Direction direction, String... options) {
    CliRun run = migrate(direction, options);
    assertThat(run.exitCode()).as(run.err() + run.out()).isZero();
  }

  Snapshot snapshot(Direction sideOfSource) {
    return sideOfSource == Direction.TO_HAREL ? legacySnapshot() : harelSnapshot();
  }

  Snapshot legacySnapshot() {
    return Snapshot.of(
        legacy,
        "SELECT COALESCE(message_group_id, id), payload FROM queue_messages WHERE queue_name = '"
            + QUEUE
            + "' ORDER BY created_at, id");
  }

  Snapshot harelSnapshot() {
    return Snapshot.of(harel, "SELECT group_id, event FROM transport_messages ORDER BY seq");
  }

  /** Rows of the legacy queue that are no message of a test: holds. */
  List<String> legacyHolds() {
    return query(
        legacy,
        "SELECT id FROM queue_messages WHERE queue_name = '%s' AND payload NOT LIKE '%%%s%%'"
            .formatted(QUEUE, Snapshot.MARK));
  }

  /** Messages of the harel side that are none of a test's, and leased groups. */
  List<String> harelHolds() {
    return query(
        harel,
        """
        SELECT event FROM transport_messages WHERE event NOT LIKE '%%%s%%'
        UNION ALL
        SELECT group_id FROM transport_groups
        WHERE locked_by IS NOT NULL AND lock_expiry > extract(epoch FROM clock_timestamp())
        """
            .formatted(Snapshot.MARK));
  }

  /** The databases that hold a record of a migration. */
  List<String> records() {
    return Stream.of(legacy, harel)
        .distinct()
        .flatMap(
            database ->
                query(database, "SELECT relname FROM pg_class WHERE relname = 'sluice_migration'")
                    .stream())
        .toList();
  }

  void assertNothingLeftBehind() {
    assertThat(legacyHolds()).as("holds on the legacy side").isEmpty();
    assertThat(records()).as("records").isEmpty();
    assertThat(
            query(
                harel,
                """
                SELECT group_id FROM transport_groups g WHERE NOT EXISTS
                  (SELECT 1 FROM transport_messages m WHERE m.group_id = g.group_id)
                """))
        .as("groups without messages")
        .isEmpty();
    assertThat(
            query(
                harel,
                """
                SELECT group_id FROM transport_messages m WHERE NOT EXISTS
                  (SELECT 1 FROM transport_groups g WHERE m.group_id = g.group_id)
                """))
        .as("stranded messages")
        .isEmpty();
  }

  /** A published event, its group free. */
  void event(String group, String text) {
    execute(
        harel,
        """
        INSERT INTO transport_messages (group_id, event) VALUES ('%1$s', '%2$s');
        INSERT INTO transport_groups (group_id) VALUES ('%1$s') ON CONFLICT DO NOTHING
        """
            .formatted(group, text));
  }

  void load(List<LegacyRow> rows) throws SQLException {
    try (Connection connection = legacy.connect()) {
      LegacyTable.load(connection, rows);
    }
  }

  /** A message of the legacy queue that waits since {@code createdAt}. */
  void row(String group, String id, long createdAt) throws SQLException {
    load(List.of(waiting(group, id, createdAt)));
  }

  static LegacyRow waiting(String group, String id, long createdAt) {
    return new LegacyRow(
        QUEUE, id, group, null, createdAt, Snapshot.payload(id, group), createdAt, 0);
  }

  /** A claim by somebody else that holds for an hour. */
  void claim(String id) {
    execute(
        legacy,
        "UPDATE queue_messages SET receipt_handle = 'elsewhere:' || id, visible_at = "
            + "extract(epoch FROM now())::bigint + 3600 WHERE id = '"
            + id
            + "'");
  }

  void lapse(String id) {
    execute(legacy, "UPDATE queue_messages SET visible_at = 1 WHERE id = '" + id + "'");
  }

  /** A claim that holds for longer than a test, and for less than a park of minutes. */
  void lease(String group) {
    execute(
        harel,
        "UPDATE transport_groups SET locked_by = 'elsewhere:1', lock_expiry ="
            + " extract(epoch FROM now()) + 240 WHERE group_id = '"
            + group
            + "'");
  }

  void free(String group) {
    execute(
        harel,
        "UPDATE transport_groups SET locked_by = NULL, lock_expiry = NULL WHERE group_id = '"
            + group
            + "'");
  }

  static void execute(TestDatabase database, String sql) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  static List<String> query(TestDatabase database, String sql) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (row.next()) {
        values.add(row.getString(1));
      }
      return values;
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  @Override
  public void close() {
    legacy.close();
    if (harel != legacy) {
      harel.close();
    }
  }
}
