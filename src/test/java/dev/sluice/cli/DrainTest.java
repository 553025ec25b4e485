package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DrainTest extends WithDatabase {
  private final AnsweringTarget target;

  DrainTest() throws IOException {
    target = AnsweringTarget.start();
  }

  @BeforeEach
  void init() {
    initSchema();
  }

  @AfterEach
  void stop() {
    target.close();
  }

  @Test
  void deliversWhatIsThereInOrder() {
    publish("orders", "g", "o1", target.url("/"));
    publish("orders", "g", "o2", target.url("/"));
    publish("orders", "g", "o3", target.url("/"));

    CliRun run = run("drain", "--queue", "orders", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(target.seen())
        .containsExactly(
            "{\"messageId\":\"o1\"}", "{\"messageId\":\"o2\"}", "{\"messageId\":\"o3\"}");
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
  }

  @Test
  void anEmptyQueueIsDrained() {
    CliRun run = run("drain", "--queue", "orders");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("drained queue 'orders'", "remaining            0");
  }

  @Test
  void whatIsDelayedIsLeftWithExitCode4() {
    publish("orders", "g", "o1", target.url("/later"));

    CliRun run = run("drain", "--queue", "orders");

    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.out()).contains("remaining            1  delayed, or in flight");
  }

  @Test
  void whatIsRejectedAloneIsExitCode0() {
    publish("orders", "g", "o1", target.url("/refuse"));

    CliRun run = run("drain", "--queue", "orders");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("rejected             1  see them with: sluice failed list");
    assertThat(run("failed", "list", "--queue", "orders").out()).contains("o1", "404");
  }

  @Test
  void whatIsForAHostThatIsNotAllowedIsRejectedUncalled() {
    publish("orders", "g", "o1", target.url("/"));

    CliRun run = run("drain", "--queue", "orders", "--allow-target", "a.example,*.b.example");

    assertThat(run.exitCode()).isZero();
    assertThat(target.seen()).isEmpty();
    assertThat(run("failed", "list", "--queue", "orders").out())
        .contains("target host not allowed: 127.0.0.1");
  }

  @Test
  void whatIsForAnAllowedHostIsDelivered() {
    publish("orders", "g", "o1", target.url("/"));

    CliRun run =
        shell()
            .with("SLUICE_ALLOW_TARGET", "a.example,127.0.0.1")
            .run("drain", "--queue", "orders");

    assertThat(run.exitCode()).isZero();
    assertThat(target.seen()).hasSize(1);
  }
}
