package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every command on the harel tables, without {@code --queue}. */
class HarelCommandsTest extends WithDatabase {
  private static final String NO_MESSAGE =
      "{\"id\":\"e1\",\"kind\":\"order.paid\",\"data\":{\"n\":1}}";

  private final AnsweringTarget target;

  HarelCommandsTest() throws IOException {
    target = AnsweringTarget.start();
  }

  @BeforeEach
  void init() {
    harel("schema", "init");
  }

  @AfterEach
  void stop() {
    target.close();
  }

  private String uri(String query) {
    return database().uri().replaceFirst("^postgres(ql)?:", "harel:") + query;
  }

  private CliRun.Shell harelShell(String query) {
    return new CliRun.Shell().with("FC_DATABASE_URL", uri(query));
  }

  private CliRun harel(String... arguments) {
    return harelShell("").run(arguments);
  }

  private static String line(String id, String group, String target) {
    return "{\"id\":\"%s\",\"mediationTarget\":\"%s\",\"messageGroupId\":\"%s\",\"dispatchMode\":\"NEXT_ON_ERROR\"}\n"
        .formatted(id, target, group);
  }

  private CliRun publishLines(String... lines) {
    return harelShell("").typing(String.join("", lines)).run("publish");
  }

  private void event(String group, String text) {
    execute(
        "INSERT INTO transport_messages (group_id, event) VALUES ('%s', '%s')"
            .formatted(group, text));
    execute(
        "INSERT INTO transport_groups (group_id) VALUES ('%s') ON CONFLICT DO NOTHING"
            .formatted(group));
  }

  /** As a Python worker does at its start. */
  private void beVisitedByPython() {
    execute(
        "CREATE OR REPLACE FUNCTION harel_claim(p_now double precision, p_lease double precision,"
            + " p_token text, p_min_priority int DEFAULT 0) RETURNS TABLE(group_id text, seq bigint,"
            + " event text) LANGUAGE plpgsql AS $$ BEGIN RETURN; END $$");
  }

  private static void assertOneLine(CliRun run, int exitCode, String... parts) {
    assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err()).startsWith("sluice: ").contains(parts);
    assertThat(run.out()).isEmpty();
  }

  // ---- drain

  @Test
  void anEmptyQueueIsDrained() {
    CliRun run = harel("drain");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("drained queue 'transport_messages'", "remaining            0")
        .doesNotContain("delayed");
  }

  @Test
  void drainDeliversInGroupOrder() {
    publishLines(
        line("o3", "g", target.url("/")),
        line("o1", "g", target.url("/")),
        line("o2", "g", target.url("/")));

    CliRun run = harel("drain", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(target.seen())
        .containsExactly(
            "{\"messageId\":\"o3\"}", "{\"messageId\":\"o1\"}", "{\"messageId\":\"o2\"}");
    assertThat(run.keys())
        .containsExactly(
            "queue",
            "polled",
            "delivered",
            "deferred",
            "released",
            "rejected",
            "suppressed",
            "remaining",
            "seconds",
            "perSecond");
    assertThat(run.json().at("/delivered").asInt()).isEqualTo(3);
    assertThat(run.json().at("/remaining").asInt()).isZero();
    assertThat(query("SELECT group_id FROM transport_groups")).isEmpty();
  }

  @Test
  void aParkedGroupIsLeftWithExitCode4() {
    publishLines(line("l1", "g", target.url("/later")), line("l2", "g", target.url("/")));

    CliRun run = harel("drain");

    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.out()).contains("remaining            2  delayed, or in flight");
    assertThat(target.seen()).containsExactly("{\"messageId\":\"l1\"}");
  }

  @Test
  void eventsWithoutAMessageAreLeftToPython() {
    event("g", NO_MESSAGE);
    event("h", "[1]");
    publishLines(line("o1", "i", target.url("/")));

    CliRun run = harel("drain");

    assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
    assertThat(run.out()).contains("remaining            2  delayed, in flight, or left to Python");
    assertThat(target.seen()).containsExactly("{\"messageId\":\"o1\"}");
    assertThat(query("SELECT count(*) FROM transport_groups WHERE locked_by IS NULL"))
        .containsExactly("2");
  }

  @Test
  void eventsWithoutAMessageGoToTheTargetNamedForThem() {
    event("order 17 ✓", NO_MESSAGE);
    publishLines(line("o1", "i", target.url("/")));

    CliRun run = harel("drain", "--target", target.url("/events"));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(target.seen())
        .containsExactlyInAnyOrder(
            "order%2017%20%E2%9C%93 " + NO_MESSAGE, "{\"messageId\":\"o1\"}");
  }

  @Test
  void aTargetThatIsNoUrlIsWrongUsageBeforeAnyEventIsTouched() {
    event("order 17", NO_MESSAGE);

    CliRun run = harel("drain", "--target", "shop.example/events");

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE);
    assertThat(harel("failed", "list", "--json").out()).contains("\"messages\":[]");
  }

  // ---- publish

  @Test
  void publishKeepsTheOrderOfTheFile(@TempDir Path directory) throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("orders"), line("b", "g", "http://t/") + line("a", "g", "http://t/"));

    CliRun run = harel("publish", file.toString());

    assertThat(run.exitCode()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .startsWith("published 2 messages to queue 'transport_messages' in ")
        .doesNotContain("existed");
    assertThat(query("SELECT event::json ->> 'id' FROM transport_messages ORDER BY seq"))
        .containsExactly("b", "a");
  }

  @Test
  void publishKnowsOfNoIdWhetherItExisted() {
    CliRun run = harelShell("").typing(line("a", "g", "http://t/")).run("publish", "--json");

    assertThat(run.keys()).containsExactly("queue", "published", "existed", "skipped", "seconds");
    assertThat(run.json().at("/published").asInt()).isEqualTo(1);
    assertThat(run.json().at("/existed").isNull()).isTrue();
  }

  @Test
  void publishWritesEventsOfAKindThatPythonReadsAndDrainReadsThem() {
    beVisitedByPython();

    CliRun run =
        harelShell("?kind=order.paid").typing(line("o1", "g", target.url("/"))).run("publish");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(query("SELECT event::json ->> 'kind' FROM transport_messages"))
        .containsExactly("order.paid");
    assertThat(harel("drain").exitCode()).isZero();
    assertThat(target.seen()).containsExactly("{\"messageId\":\"o1\"}");
  }

  @Test
  void publishIsRefusedWherePythonWorkersHaveBeen() {
    beVisitedByPython();

    assertOneLine(
        publishLines(line("o1", "g", "http://t/")), 1, "Python workers", "?kind=NAME", "--force");
    assertThat(query("SELECT seq FROM transport_messages")).isEmpty();
  }

  @Test
  void publishByForceIsDone() {
    beVisitedByPython();

    CliRun run = harelShell("").typing(line("o1", "g", "http://t/")).run("publish", "--force");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(query("SELECT seq FROM transport_messages")).hasSize(1);
  }

  // ---- stats, peek

  @Test
  void statsDoNotKnowWhatTheTablesDoNotTell() {
    publishLines(line("o1", "g", "http://t/"), line("o2", "g", "http://t/"));

    CliRun run = harel("stats", "--json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.json().at("/queues/0/queue").asText()).isEqualTo("transport_messages");
    assertThat(run.json().at("/queues/0/backend").asText()).isEqualTo("harel");
    assertThat(run.json().at("/queues/0/pending").asInt()).isEqualTo(2);
    assertThat(run.json().at("/queues/0/groups").asInt()).isEqualTo(1);
    assertThat(run.json().at("/queues/0/delayed").isNull()).isTrue();
    assertThat(run.json().at("/queues/0/oldestSeconds").isNull()).isTrue();
    assertThat(run.json().at("/queues/0/failed").asInt()).isZero();
    assertThat(harel("stats").out().lines().map(l -> l.replaceAll(" +", " ")))
        .containsExactly(
            "QUEUE PENDING DELAYED IN FLIGHT LAPSED GROUPS BLOCKED OLDEST FAILED",
            "transport_messages 2 - 0 0 1 0 - 0");
  }

  @Test
  void peekShowsTheHeadOfEachGroup() {
    publishLines(
        line("o1", "g", "http://t/"), line("o2", "g", "http://t/"), line("o3", "h", "http://t/"));

    CliRun run = harel("peek", "--json", "--payload");

    assertThat(run.json().at("/messages")).hasSize(2);
    assertThat(CliRun.keys(run.json().at("/messages/0")))
        .containsExactly("id", "group", "createdAt", "visibleAt", "receiveCount", "payload");
    assertThat(run.json().at("/messages/0/group").asText()).isEqualTo("g");
    assertThat(run.json().at("/messages/0/createdAt").isNull()).isTrue();
    assertThat(run.json().at("/messages/0/receiveCount").isNull()).isTrue();
    assertThat(harel("peek", "--group", "h").out()).contains("h").doesNotContain("g ");
    assertThat(query("SELECT locked_by FROM transport_groups")).containsOnlyNulls();
  }

  // ---- failed

  private void rejectTwo() {
    publishLines(line("o1", "g", target.url("/refuse")), line("o2", "g", target.url("/refuse")));
    assertThat(harel("drain").exitCode()).isZero();
  }

  @Test
  void failedMessagesAreListedAndShown() {
    rejectTwo();

    CliRun list = harel("failed", "list", "--json");
    assertThat(list.json().at("/messages")).hasSize(2);
    assertThat(CliRun.keys(list.json().at("/messages/0")))
        .containsExactly("id", "group", "error", "receiveCount", "createdAt", "failedAt");
    assertThat(harel("failed", "list", "--reason", "404").out()).contains("g", "404 from ");
    assertThat(harel("failed", "show", "1").out())
        .contains("id        1", "group     g", "payload   {\"id\":\"o1\"");
    assertThat(harel("failed", "show", "o1").err())
        .contains("not in the quarantine of queue 'transport_messages': 'o1'");
  }

  @Test
  void failedMessagesAreRequeuedInTheirOldPlaces() {
    rejectTwo();
    publishLines(line("o3", "g", target.url("/")));

    CliRun run = harel("failed", "requeue", "--group", "g", "--json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.json().at("/requeued").asInt()).isEqualTo(2);
    assertThat(query("SELECT event::json ->> 'id' FROM transport_messages ORDER BY seq"))
        .containsExactly("o1", "o2", "o3");
  }

  @Test
  void failedMessagesAreDiscarded() {
    rejectTwo();

    assertThat(harel("failed", "discard", "1").out()).isEqualTo("discarded 1 message\n");
    assertThat(harel("failed", "discard", "--all", "--yes").exitCode()).isZero();
    assertThat(query("SELECT seq FROM transport_messages_failed")).isEmpty();
  }

  // ---- schema

  @Test
  void schemaPrintNeedsNoDatabase() {
    CliRun run = CliRun.sluice("schema", "print", "--uri", "harel://nowhere.invalid/x?prefix=shop");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains("CREATE TABLE IF NOT EXISTS shop_transport_groups", "FUNCTION shop_claim(")
        .doesNotContain("{own}", "{groups}", "{messages}");
  }

  @Test
  void schemaInitCreatesOnce() {
    assertThat(harel("schema", "init").err()).isEqualTo("the tables were there already\n");
    CliRun check = harel("schema", "check", "--json");
    assertThat(check.exitCode()).isZero();
    assertThat(check.keys())
        .containsExactly(
            "differences", "claimIndexes", "oldClaimIndexes", "guard", "notify", "repairedGroups");
    assertThat(check.json().at("/repairedGroups").isNull()).isTrue();
  }

  @Test
  void indexesAndGuardComeAndGo() {
    assertThat(harel("schema", "init", "--indexes", "--guard").exitCode()).isZero();
    assertThat(harel("schema", "check").out())
        .contains("the claim indexes are there", "the guard triggers are there");

    assertThat(harel("schema", "drop-indexes").exitCode()).isZero();
    assertThat(harel("schema", "drop-guard").exitCode()).isZero();
    assertThat(harel("schema", "check").out()).contains("no claim indexes", "no guard triggers");
  }

  @Test
  void checkRepairsGroupsThatNobodyCanClaim() {
    publishLines(line("o1", "g", "http://t/"));
    execute("DELETE FROM transport_groups");

    CliRun run = harel("schema", "check", "--repair", "--json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.json().at("/repairedGroups").asInt()).isEqualTo(1);
    assertThat(harel("peek").out()).contains("g");
    assertThat(harel("schema", "check", "--repair").out()).contains("repaired 0 groups");
  }

  @Test
  void aPrefixNamesOtherTables() {
    assertThat(harelShell("?prefix=shop").run("schema", "init").err())
        .isEqualTo("tables created\n");
    harelShell("?prefix=shop").typing(line("o1", "g", target.url("/"))).run("publish");

    assertThat(query("SELECT group_id FROM shop_transport_messages")).containsExactly("g");
    assertThat(harel("stats", "--json").json().at("/queues/0/pending").asInt()).isZero();
    CliRun run = harelShell("?prefix=shop").run("drain");
    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("queue 'shop_transport_messages'");
  }

  @Test
  void aBadPrefixIsRefused() {
    assertOneLine(
        harelShell("?prefix=a-b%3BDROP").run("stats"), 2, "URI: prefix: must be a letter or '_'");
  }

  @Test
  void missingTablesAreExitCode3AndNothingIsCreated() {
    for (String command : new String[] {"drain", "run", "peek", "publish", "stats"}) {
      assertOneLine(
          harelShell("?prefix=none").run(command),
          3,
          "table none_transport_messages does not exist",
          "sluice schema init");
    }
    assertThat(query("SELECT to_regclass('none_transport_messages')")).containsOnlyNulls();
  }

  @Test
  void missingFunctionsAreExitCode3AndInitCreatesThem() {
    execute("DROP FUNCTION sluice_nack_v1");

    assertOneLine(
        harel("drain"), 3, "function sluice_nack_v1 does not exist", "sluice schema init");

    assertThat(harel("schema", "check").out()).contains("function sluice_nack_v1 does not exist");
    assertThat(harel("schema", "init").exitCode()).isZero();
    assertThat(harel("drain").exitCode()).isZero();
  }

  @Test
  void drainNeedsAQuarantineUnlessToldToDrop() {
    execute("DROP TABLE transport_messages_failed");

    assertOneLine(harel("drain"), 3, "transport_messages_failed", "--on-reject drop");
    assertThat(harel("drain", "--on-reject", "drop").exitCode()).isZero();
  }

  // ---- demo

  @Test
  void theDemoUsesTablesOfItsOwnAndLeavesNone() {
    CliRun run = CliRun.sluice("demo", "--uri", uri(""));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("     3,200  published", "         0  lost", "         0  order violations")
        .contains("awk ", "the tables of this demo are gone again")
        .doesNotContain("failed list", "failed discard");
    assertThat(query("SELECT relname FROM pg_class WHERE relname LIKE 'sluice_demo%'")).isEmpty();
    assertThat(query("SELECT proname FROM pg_proc WHERE proname LIKE 'sluice_demo%'")).isEmpty();
  }
}
