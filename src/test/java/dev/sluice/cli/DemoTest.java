package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DemoTest extends WithDatabase {

  @Test
  void provesThatNothingWasLostAndLeavesOtherQueuesAlone() {
    initSchema();
    publish("orders", "g", "o1", "http://t/");

    CliRun run = run("demo", "--json", "--uri", database().uri());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.keys())
        .containsExactly(
            "queue",
            "published",
            "requests",
            "delivered",
            "quarantined",
            "lost",
            "repeats",
            "orderViolations",
            "remaining",
            "seconds",
            "perSecond");
    assertThat(run.json().at("/published").asInt()).isEqualTo(3200);
    assertThat(run.json().at("/delivered").asInt()).isEqualTo(3196);
    assertThat(run.json().at("/quarantined").asInt()).isEqualTo(4);
    assertThat(run.json().at("/orderViolations").asInt()).isZero();
    assertThat(query("SELECT queue_name FROM queue_messages")).containsExactly("orders");
  }
}
