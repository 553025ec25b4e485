package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** failed list, show, requeue, discard. */
class FailedTest extends WithDatabase {

  @BeforeEach
  void quarantineThree() {
    initSchema();
    quarantine("orders", "g", "o1", "404 from http://t/");
    quarantine("orders", "g", "o2", "BLOCKED: o1");
    quarantine("orders", "h", "o3", "malformed: no object");
  }

  @Test
  void listShowsWhatAndWhy() {
    CliRun run = run("failed", "list", "--queue", "orders");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("o1", "404 from http://t/", "o2", "o3", "malformed: no object");
  }

  @Test
  void listJsonHasItsKeys() {
    CliRun run = run("failed", "list", "--queue", "orders", "--reason", "MALFORMED", "--json");

    assertThat(run.keys()).containsExactly("messages");
    assertThat(run.json().at("/messages")).hasSize(1);
    assertThat(CliRun.keys(run.json().at("/messages/0")))
        .containsExactly("id", "group", "error", "receiveCount", "createdAt", "failedAt");
  }

  @Test
  void listSaysThatThereIsMore() {
    CliRun run = run("failed", "list", "--queue", "orders", "--limit", "2");

    assertThat(run.out()).contains("o1", "o2").doesNotContain("o3");
    assertThat(run.err()).contains("there are more than these 2");
  }

  @Test
  void showPrintsThePayload() {
    CliRun run = run("failed", "show", "--queue", "orders", "o1");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("id        o1", "error     404 from http://t/", "payload   {}");
  }

  @Test
  void showOfWhatIsNotThereFails() {
    CliRun run = run("failed", "show", "--queue", "orders", "o1", "o9");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("not in the quarantine of queue 'orders': 'o9'");
  }

  @Test
  void requeuePutsAGroupBack() {
    CliRun run = run("failed", "requeue", "--queue", "orders", "--group", "g", "--json");

    assertThat(run.exitCode()).isZero();
    assertThat(run.keys()).containsExactly("requeued", "inTheWay", "missing");
    assertThat(run.json().at("/requeued").asInt()).isEqualTo(2);
    assertThat(query("SELECT id FROM queue_messages ORDER BY id")).containsExactly("o1", "o2");
    assertThat(query("SELECT id FROM queue_messages_failed")).containsExactly("o3");
  }

  @Test
  void requeueReportsAnIdThatIsBackInTheQueue() {
    publish("orders", "g", "o1", "http://t/");

    CliRun run = run("failed", "requeue", "--queue", "orders", "o1", "o2");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEqualTo("requeued 1 message\n");
    assertThat(run.err()).contains("the queue holds a message of that id again: 'o1'");
  }

  @Test
  void discardDeletesWhatIsNamed() {
    assertThat(run("failed", "discard", "--queue", "orders", "o1", "o3").exitCode()).isZero();

    assertThat(query("SELECT id FROM queue_messages_failed")).containsExactly("o2");
  }

  @Test
  void nothingNamedChangesNothing() {
    CliRun run = run("failed", "discard", "--queue", "orders");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("give ids, --group, --reason or --all");
    assertThat(query("SELECT id FROM queue_messages_failed")).hasSize(3);
  }

  @Test
  void allAsks() {
    CliRun run =
        shell().onATerminal().typing("n\n").run("failed", "discard", "--queue", "orders", "--all");

    assertThat(run.err()).contains("discard 3 quarantined messages of queue 'orders'? [y/N]");
    assertThat(query("SELECT id FROM queue_messages_failed")).hasSize(3);
  }

  @Test
  void allAsksAndTakesYes() {
    CliRun run =
        shell().onATerminal().typing("y\n").run("failed", "discard", "--queue", "orders", "--all");

    assertThat(run.exitCode()).isZero();
    assertThat(query("SELECT id FROM queue_messages_failed")).isEmpty();
  }

  @Test
  void allWithoutATerminalNeedsYes() {
    CliRun run = run("failed", "requeue", "--queue", "orders", "--all");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("There is no terminal to answer on; add --yes");
    assertThat(run("failed", "requeue", "--queue", "orders", "--all", "--yes").out())
        .isEqualTo("requeued 3 messages\n");
  }

  @Test
  void requeueWithoutAQuarantineTableNamesIt() {
    execute("DROP TABLE queue_messages_failed");

    CliRun run = run("failed", "requeue", "--queue", "orders", "o1");

    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err()).contains("queue_messages_failed", "sluice schema init");
  }
}
