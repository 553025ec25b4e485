package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The common cases of each direction, inside one database and across two. */
class MigrateTest extends WithDatabase {
  private static final String TARGET = "http://t.example/hook";

  private final TestDatabase other = TestDatabase.fresh();

  @BeforeEach
  void initBoth() {
    for (TestDatabase each : List.of(database(), other)) {
      assertThat(CliRun.sluice("schema", "init", "--uri", each.uri()).exitCode()).isZero();
      assertThat(CliRun.sluice("schema", "init", "--uri", harel(each)).exitCode()).isZero();
    }
  }

  @AfterEach
  void dropOther() {
    other.close();
  }

  @Test
  void aStoppedQueueMovesToHarelAndLeavesNothingBehind() {
    publishGroups();
    CliRun run = toHarel(database());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("messages").asLong()).isEqualTo(6);
    assertThat(run.json().get("groups").asLong()).isEqualTo(3);
    assertThat(run.json().get("phase").asText()).isEqualTo("moved");
    assertThat(events("a")).containsExactly("a-1", "a-2", "a-3");
    assertThat(query("SELECT id FROM queue_messages")).isEmpty();
    assertThat(query("SELECT to_regclass('sluice_migration')")).containsOnlyNulls();
  }

  @Test
  void aStoppedQueueMovesToHarelInAnotherDatabase() throws Exception {
    publishGroups();
    CliRun run = toHarel(other);
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("messages").asLong()).isEqualTo(6);
    assertThat(query("SELECT id FROM queue_messages")).isEmpty();
    assertThat(query(other, "SELECT event::json->>'id' FROM transport_messages ORDER BY seq"))
        .containsExactly("a-1", "a-2", "a-3", "b-1", "b-2", "single");
    assertThat(query(other, "SELECT locked_by FROM transport_groups WHERE locked_by IS NOT NULL"))
        .isEmpty();
  }

  @Test
  void aStoppedQueueMovesToLegacyInTheOrderOfSeq() {
    publishEvents();
    CliRun run = toLegacy(database());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("messages").asLong()).isEqualTo(4);
    assertThat(run.json().get("reordered").asLong()).isEqualTo(1);
    assertThat(
            query(
                "SELECT id FROM queue_messages WHERE message_group_id = 'g' ORDER BY created_at, id"))
        .containsExactly("z", "a", "harel-3");
    assertThat(query("SELECT group_id FROM transport_groups")).isEmpty();
    assertThat(
            query(
                "SELECT id FROM queue_messages WHERE created_at >= extract(epoch FROM now())::bigint"))
        .isEmpty();
  }

  @Test
  void aStoppedQueueMovesToLegacyInAnotherDatabase() throws Exception {
    publishEvents();
    CliRun run = toLegacy(other);
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(query("SELECT group_id FROM transport_groups")).isEmpty();
    assertThat(query("SELECT seq FROM transport_messages")).isEmpty();
    assertThat(
            query(
                other,
                "SELECT id FROM queue_messages WHERE message_group_id = 'g' ORDER BY created_at, id"))
        .containsExactly("z", "a", "harel-3");
  }

  @Test
  void aGroupThatHasMovedIsHeldWhileAnotherIsInFlight() {
    publishGroups();
    claim("b-1", 600);
    CliRun run = toHarel(database());
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.LEFT);
    assertThat(run.json().get("phase").asText()).isEqualTo("held");
    assertThat(run.json().get("inFlight").asLong()).isEqualTo(1);
    publish("orders", "a", "a-4", TARGET);
    CliRun peek = CliRun.sluice("peek", "--uri", database().uri(), "--queue", "orders", "--json");
    assertThat(peek.out()).doesNotContain("\"a-4\"");
  }

  @Test
  void finishSweepsWhatProducersWroteBehindTheHold() {
    publishGroups();
    claim("b-1", 600);
    toHarel(database());
    publish("orders", "a", "a-4", TARGET);
    execute("DELETE FROM queue_messages WHERE id = 'b-1'");
    CliRun run = toHarel(database(), "--finish");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("phase").asText()).isEqualTo("finished");
    assertThat(events("a")).containsExactly("a-1", "a-2", "a-3", "a-4");
    assertThat(query("SELECT id FROM queue_messages")).isEmpty();
  }

  @Test
  void abortBringsEverythingBackAsItWas() {
    abortRoundTrip(database());
  }

  @Test
  void abortBringsEverythingBackFromAnotherDatabase() {
    abortRoundTrip(other);
  }

  private void abortRoundTrip(TestDatabase target) {
    publishGroups();
    claim("b-1", 600);
    String all =
        "SELECT id || ' ' || COALESCE(message_group_id, '-') || ' ' || created_at || payload"
            + " FROM queue_messages ORDER BY id";
    List<String> before = query(all);
    toHarel(target);
    CliRun run = toHarel(target, "--abort");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("phase").asText()).isEqualTo("aborted");
    assertThat(query(all)).isEqualTo(before);
  }

  @Test
  void abortBringsHarelGroupsBack() {
    publishEvents();
    execute("INSERT INTO transport_messages (group_id, event) VALUES ('busy', '{}')");
    execute(
        "INSERT INTO transport_groups VALUES ('busy', 'w:1', extract(epoch FROM now()) + 60, 0)");
    String all = "SELECT seq || group_id || event FROM transport_messages ORDER BY seq";
    List<String> before = query(all);
    assertThat(toLegacy(database()).exitCode()).isEqualTo(ExitCode.LEFT);
    CliRun run = toLegacy(database(), "--abort");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(query(all)).isEqualTo(before);
    assertThat(query("SELECT id FROM queue_messages")).isEmpty();
    assertThat(query("SELECT group_id FROM transport_groups WHERE locked_by LIKE 'sluice%'"))
        .isEmpty();
  }

  @Test
  void aDelayedHeadBecomesAParkedGroup() {
    publishGroups();
    execute("UPDATE queue_messages SET visible_at = 4000000000 WHERE id = 'a-1'");
    CliRun run = toHarel(database());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(query("SELECT lock_expiry::bigint FROM transport_groups WHERE group_id = 'a'"))
        .containsExactly("4000000000");
  }

  @Test
  void aParkedGroupBecomesADelayedHead() {
    publishEvents();
    execute("UPDATE transport_groups SET locked_by = 'w:1', lock_expiry = 4000000000.5");
    CliRun run = toLegacy(database());
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(query("SELECT visible_at FROM queue_messages WHERE id = 'z'"))
        .containsExactly("4000000001");
  }

  @Test
  void aGroupThatTheTargetHoldsFromElsewhereIsRefused() {
    publishGroups();
    execute("INSERT INTO transport_messages (group_id, event) VALUES ('a', '{}')");
    CliRun run = toHarel(database());
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.LEFT);
    assertThat(run.json().get("skippedGroups").asLong()).isEqualTo(1);
    assertThat(query("SELECT id FROM queue_messages WHERE message_group_id = 'a'"))
        .contains("a-1", "a-2", "a-3");
  }

  @Test
  void aLegacyGroupFromElsewhereIsRefusedToo() {
    publishEvents();
    publish("orders", "g", "foreign", TARGET);
    CliRun run = toLegacy(database());
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.LEFT);
    assertThat(run.json().get("skippedGroups").asLong()).isEqualTo(1);
  }

  @Test
  void strictRefusesAGroupWithADelayBehindItsHead() {
    publishGroups();
    execute("UPDATE queue_messages SET visible_at = 4000000000 WHERE id = 'a-2'");
    CliRun run = toHarel(database(), "--strict");
    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.LEFT);
    assertThat(run.json().get("skippedGroups").asLong()).isEqualTo(1);
  }

  @Test
  void verifyFindsWhatWasChanged() {
    publishGroups();
    claim("b-1", 600);
    toHarel(database());
    assertThat(toHarel(database(), "--verify").exitCode()).isZero();
    execute("UPDATE transport_messages SET event = '{}' WHERE group_id = 'a'");
    assertThat(toHarel(database(), "--verify").exitCode()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void aDryRunTouchesNothing() {
    publishGroups();
    CliRun run = toHarel(database(), "--dry-run");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("messages").asLong()).isEqualTo(6);
    assertThat(query("SELECT to_regclass('sluice_migration')")).containsOnlyNulls();
    assertThat(query("SELECT id FROM queue_messages")).hasSize(6);
  }

  @Test
  void quarantinedMessagesMoveOnRequestAndBack() {
    quarantine("orders", "q", "q-1", "no such hook");
    assertThat(toHarel(database()).json().get("failedMoved").asLong()).isZero();
    CliRun run = toHarel(database(), "--include-failed");
    assertThat(run.json().get("failedMoved").asLong()).isEqualTo(1);
    assertThat(query("SELECT error_message FROM transport_messages_failed WHERE group_id = 'q'"))
        .containsExactly("no such hook");
    toLegacy(database(), "--include-failed");
    assertThat(query("SELECT id FROM queue_messages_failed WHERE message_group_id = 'q'"))
        .hasSize(1);
  }

  @Test
  void oneUriOfEachKindIsNeeded() {
    CliRun run = migrate(database().uri(), database().uri());
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
  }

  @Test
  void aMissingTargetNamesSchemaInit() {
    CliRun run = migrate(database().uri(), harel(database()) + "?prefix=none");
    assertThat(run.exitCode()).isEqualTo(ExitCode.SCHEMA);
    assertThat(run.err()).contains("schema init");
  }

  @Test
  void seqsOfMoreDigitsComeLater() {
    execute(
        "SELECT sluice_publish_v1(array_agg('g'::text), array_agg('{\"id\":\"' || lpad(i::text, 3, '0')"
            + " || '\"}'), array_agg(0)) FROM generate_series(1, 12) i");
    List<String> order = query("SELECT event::json->>'id' FROM transport_messages ORDER BY seq");
    toLegacy(database());
    assertThat(query("SELECT id FROM queue_messages ORDER BY created_at, id")).isEqualTo(order);
  }

  @Test
  void aGroupLargerThanABatchMovesInPieces() {
    publishGroups();
    CliRun run = toHarel(database(), "--batch", "2");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("groups").asLong()).isEqualTo(3);
    assertThat(events("a")).containsExactly("a-1", "a-2", "a-3");
  }

  private void publishGroups() {
    for (String id : List.of("a-1", "a-2", "a-3")) {
      publish("orders", "a", id, TARGET);
    }
    publish("orders", "b", "b-1", TARGET);
    publish("orders", "b", "b-2", TARGET);
    publish("orders", "single", "single", TARGET);
    execute("UPDATE queue_messages SET message_group_id = NULL WHERE id = 'single'");
  }

  private void publishEvents() {
    execute(
        "SELECT sluice_publish_v1(ARRAY['g','g','g','h'], ARRAY['{\"id\":\"z\"}', '{\"id\":\"a\"}',"
            + " '{}', '{\"id\":\"h\"}'], ARRAY[0,0,0,0])");
  }

  private void claim(String id, int seconds) {
    execute(
        "UPDATE queue_messages SET receipt_handle = 'x:' || id, visible_at = extract(epoch FROM"
            + " now())::bigint + %d WHERE id = '%s'".formatted(seconds, id));
  }

  private List<String> events(String group) {
    return query(
        "SELECT event::json->>'id' FROM transport_messages WHERE group_id = '%s' ORDER BY seq"
            .formatted(group));
  }

  private CliRun toHarel(TestDatabase target, String... options) {
    return migrate(database().uri(), harel(target), options);
  }

  private CliRun toLegacy(TestDatabase target, String... options) {
    return migrate(harel(database()), target.uri(), options);
  }

  private static CliRun migrate(String from, String to, String... options) {
    List<String> arguments =
        new ArrayList<>(
            List.of("migrate", "--from", from, "--to", to, "--queue", "orders", "--json"));
    arguments.addAll(List.of(options));
    return CliRun.sluice(arguments.toArray(String[]::new));
  }

  private static String harel(TestDatabase database) {
    return database.uri().replaceFirst("^postgres(ql)?://", "harel://");
  }

  private static List<String> query(TestDatabase database, String sql) throws Exception {
    try (var connection = database.connect();
        var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (row.next()) {
        values.add(row.getString(1));
      }
      return values;
    }
  }
}
