package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** stats and peek. */
class LookingTest extends WithDatabase {

  @Test
  void statsCountsEachQueue() {
    initSchema();
    publish("mails", "a", "m1", "http://t/");
    publish("orders", "g", "o1", "http://t/");
    publish("orders", "g", "o2", "http://t/");
    quarantine("orders", "h", "o3", "404");

    CliRun run = run("stats");

    assertThat(run.exitCode()).isZero();
    assertThat(
            run.out()
                .lines()
                .map(line -> line.replaceAll(" +", " ").replaceAll("\\d+d \\d+h", "AGE")))
        .containsExactly(
            "QUEUE PENDING DELAYED IN FLIGHT LAPSED GROUPS BLOCKED OLDEST FAILED",
            "mails 1 0 0 0 1 0 AGE 0",
            "orders 2 0 0 0 1 0 AGE 1");
  }

  @Test
  void statsJsonHasItsKeys() {
    initSchema();
    publish("orders", "g", "o1", "http://t/");

    CliRun run = run("stats", "--json");

    assertThat(run.keys()).containsExactly("queues");
    assertThat(CliRun.keys(run.json().at("/queues/0")))
        .containsExactly(
            "queue",
            "backend",
            "pending",
            "delayed",
            "inFlight",
            "lapsed",
            "groups",
            "blockedGroups",
            "oldestSeconds",
            "failed");
    assertThat(run.json().at("/queues/0/pending").asInt()).isEqualTo(1);
  }

  @Test
  void statsOfAQueueThatIsNotThereAreZeroAndItsAgeIsNull() {
    initSchema();

    CliRun run = run("stats", "--queue", "nobody's", "--json");

    assertThat(run.json().at("/queues/0/queue").asText()).isEqualTo("nobody's");
    assertThat(run.json().at("/queues/0/pending").asInt()).isZero();
    assertThat(run.json().at("/queues/0/oldestSeconds").isNull()).isTrue();
  }

  @Test
  void statsAndPeekWorkWithoutAQuarantine() {
    initSchema();
    execute("DROP TABLE queue_messages_failed");
    publish("orders", "g", "o1", "http://t/");

    assertThat(run("stats").exitCode()).isZero();
    assertThat(run("peek", "--queue", "orders").out()).contains("o1");
  }

  @Test
  void peekShowsTheHeadOfEachGroupAndNoPayload() {
    initSchema();
    publish("orders", "g", "o1", "http://secret-target/");
    publish("orders", "g", "o2", "http://secret-target/");
    publish("orders", "h", "o3", "http://secret-target/");

    CliRun run = run("peek", "--queue", "orders");

    assertThat(run.out())
        .contains("o1", "o3", "2023-11-14T22:13:20Z")
        .doesNotContain("o2", "secret");
    assertThat(query("SELECT count(*) FROM queue_messages WHERE receipt_handle IS NULL"))
        .containsExactly("3");
  }

  @Test
  void peekJsonHasItsKeys() {
    initSchema();
    publish("orders", "g", "o1", "http://t/");

    assertThat(CliRun.keys(run("peek", "--queue", "orders", "--json").json().at("/messages/0")))
        .containsExactly("id", "group", "createdAt", "visibleAt", "receiveCount");
    assertThat(
            run("peek", "--queue", "orders", "--json", "--payload")
                .json()
                .at("/messages/0/payload")
                .asText())
        .startsWith("{\"id\":\"o1\"");
  }

  @Test
  void peekOfAGroupShowsNoOther() {
    initSchema();
    publish("orders", "g", "o1", "http://t/");
    publish("orders", "h", "o3", "http://t/");

    CliRun run = run("peek", "--queue", "orders", "--group", "h", "--json");

    assertThat(run.json().at("/messages")).hasSize(1);
    assertThat(run.json().at("/messages/0/id").asText()).isEqualTo("o3");
  }

  @Test
  void controlCharactersOfIdsDoNotReachTheTerminal() {
    initSchema();
    execute(
        "INSERT INTO queue_messages (id, queue_name, visible_at, payload, created_at)"
            + " VALUES (E'a\\x1b[31mb', 'orders', 0, '{}', 0)");

    assertThat(run("peek", "--queue", "orders").out()).contains("a\\u001b[31mb");
  }
}
