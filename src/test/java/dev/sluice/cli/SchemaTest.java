package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** schema init, check, drop-indexes; and what other commands say of a schema that does not fit. */
class SchemaTest extends WithDatabase {

  @Test
  void initCreatesTheTablesOnce() {
    assertThat(run("schema", "init").err()).isEqualTo("tables created\n");
    assertThat(run("schema", "init").err()).isEqualTo("the tables were there already\n");
    assertThat(run("schema", "check").exitCode()).isZero();
  }

  @Test
  void indexesComeAndGo() {
    assertThat(run("schema", "init", "--indexes").exitCode()).isZero();
    assertThat(run("schema", "check", "--json").json().at("/claimIndexes").asBoolean()).isTrue();

    assertThat(run("schema", "drop-indexes").exitCode()).isZero();
    assertThat(run("schema", "check", "--json").json().at("/claimIndexes").asBoolean()).isFalse();
  }

  @Test
  void indexesOfAnOlderVersionAreToldAndReplaced() {
    initSchema();
    execute("CREATE INDEX sluice_claim_order ON queue_messages (queue_name, created_at, id)");
    assertThat(run("schema", "check").out())
        .contains("no claim indexes", "claim indexes of an older version are there");
    assertThat(run("schema", "check", "--json").json().at("/oldClaimIndexes").asBoolean()).isTrue();

    CliRun init = run("schema", "init");

    assertThat(init.exitCode()).isZero();
    assertThat(init.err())
        .isEqualTo(
            """
            the tables were there already
            claim indexes of an older version are there, and are replaced
            claim indexes are there
            """);
    assertThat(run("schema", "check").out())
        .contains("the claim indexes are there")
        .doesNotContain("older version");
  }

  @Test
  void theWakeUpTriggerComesAndGoes() {
    assertThat(run("schema", "init", "--notify").err())
        .isEqualTo("tables created\nthe wake-up trigger is there\n");
    assertThat(run("schema", "check", "--json").json().at("/notify").asBoolean()).isTrue();
    assertThat(run("schema", "check").out()).contains("the wake-up trigger is there");

    assertThat(run("schema", "drop-notify").err()).isEqualTo("the wake-up trigger is gone\n");
    assertThat(run("schema", "check", "--json").json().at("/notify").asBoolean()).isFalse();
    assertThat(run("schema", "print").out()).contains("CREATE TRIGGER sluice_notify");
  }

  @Test
  void checkOfAnEmptyDatabaseNamesTheTables() {
    CliRun run = run("schema", "check", "--json");

    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.json().at("/differences").toString())
        .isEqualTo(
            "[\"table queue_messages does not exist\",\"table queue_messages_failed does not exist\"]");
  }

  @Test
  void aMissingTableIsExitCode3AndNothingIsCreated() {
    for (String command : new String[] {"drain", "run", "peek", "publish"}) {
      CliRun run = run(command, "--queue", "orders");

      assertThat(run.exitCode()).as(command).isEqualTo(3);
      assertThat(run.errorLines()).as(command).hasSize(1);
      assertThat(run.err())
          .contains("table queue_messages does not exist; create it with: sluice schema init");
    }
    assertThat(query("SELECT to_regclass('queue_messages')")).containsExactly((String) null);
  }

  @Test
  void aColumnOfAnotherTypeIsNamed() {
    initSchema();
    execute("ALTER TABLE queue_messages ALTER COLUMN created_at TYPE integer");

    CliRun run = run("drain", "--queue", "orders");

    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err())
        .contains("table queue_messages: column created_at is integer, must be bigint");
  }

  @Test
  void drainNeedsAQuarantineUnlessToldToDrop() {
    initSchema();
    execute("DROP TABLE queue_messages_failed");

    CliRun run = run("drain", "--queue", "orders");

    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err())
        .contains("queue_messages_failed", "sluice schema init", "--on-reject drop");
    assertThat(run("drain", "--queue", "orders", "--on-reject", "drop").exitCode()).isZero();
  }
}
