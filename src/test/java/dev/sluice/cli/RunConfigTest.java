package dev.sluice.cli;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code run --config}, as a service does it. */
class RunConfigTest extends WithDatabase {
  private final Path file;
  private final AnsweringTarget target;

  RunConfigTest(@TempDir Path directory) throws IOException {
    file = directory.resolve("router.json");
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

  // As people are told to do it: a file that is written to while it is read is half a config.
  private void config(String json) throws IOException {
    Path written = Files.writeString(file.resolveSibling("new"), json);
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private void queues(String... entries) throws IOException {
    config(
        "{\"processingPools\":[{\"code\":\"DEFAULT-POOL\",\"concurrency\":2}],\"queues\":["
            + String.join(",", entries)
            + "]}");
  }

  private String queue(String name) {
    return queue(name, database().uri());
  }

  private static String queue(String name, String uri) {
    return "{\"queueName\":\"%s\",\"queueUri\":\"%s\"}".formatted(name, uri);
  }

  private SluiceProcess start() throws IOException {
    return SluiceProcess.start(
        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"),
        List.of("run", "--config", file.toString(), "--poll-interval", "100ms"));
  }

  private static void until(Callable<Boolean> condition) {
    await().until(condition);
  }

  private void untilDelivered(String... ids) {
    List<String> bodies =
        Stream.of(ids).map("{\"messageId\":\"%s\"}"::formatted).collect(Collectors.toList());
    until(() -> target.seen().containsAll(bodies));
  }

  @Test
  void servesTheQueuesOfTheConfigAndTakesUpItsChangesAtAHangup() throws Exception {
    queues(queue("a"), queue("b"));
    publish("a", "g", "a1", target.url("/"));
    publish("b", "g", "b1", target.url("/"));
    publish("c", "g", "c1", target.url("/"));
    try (SluiceProcess router = start()) {
      untilDelivered("a1", "b1");

      queues(queue("b"), queue("c"));
      router.hangUp();
      untilDelivered("c1");
      until(() -> router.stderr().contains("event=config_changed pools=1 queues=2"));
      until(() -> router.stderr().contains("event=queue_removed queue=a"));

      config("{\"queues\":[{\"queueName\":\"b\",\"queueUri\":\"sqs://x\"}]}");
      router.hangUp();
      until(() -> router.stderr().contains("event=config_kept"));
      publish("b", "g", "b2", target.url("/"));
      untilDelivered("b2");
      assertThat(router.stderr()).contains("queues[0].queueUri: there is no backend for sqs://");

      router.terminate();
      assertThat(router.exitCode(600)).as(router.stderr()).isZero();
      assertThat(target.seen()).hasSize(4);
    }
  }

  @Test
  void aDatabaseThatIsDownHoldsUpNoOtherQueue() throws Exception {
    queues(queue("a", "postgres://app:s3cret@127.0.0.1:9/shop"), queue("b"));
    publish("b", "g", "b1", target.url("/"));
    try (SluiceProcess router = start()) {
      untilDelivered("b1");
      until(() -> router.stderr().contains("event=queue_unreachable queue=a"));

      assertThat(router.stderr()).contains("127.0.0.1:9").doesNotContain("s3cret");
      router.terminate();
      assertThat(router.exitCode(600)).isZero();
    }
  }

  @Test
  void aQueueWhoseTablesAreMissingIsExitCode3() throws Exception {
    String harel = database().uri().replaceFirst("^postgres(ql)?:", "harel:");
    queues(queue("a"), queue("h", harel));

    CliRun run = CliRun.sluice("run", "--config", file.toString());

    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err())
        .contains("sluice: queue 'h': ", "transport_messages does not exist", "in queueUri");
  }

  @Test
  void aDatabaseThatDoesNotComeInTimeIsExitCode1() throws Exception {
    queues(queue("a", "postgres://app:s3cret@127.0.0.1:9/shop"), queue("b"));

    CliRun run = CliRun.sluice("run", "--config", file.toString(), "--database-wait", "1");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .startsWith("sluice: queue 'a': no ")
        .contains("postgres://app@127.0.0.1:9/shop")
        .doesNotContain("s3cret");
  }

  @Test
  void aWrongConfigIsExitCode2WithItsPlace() throws Exception {
    config("{\"queues\":[{\"queueUri\":7}]}");

    CliRun run = CliRun.sluice("run", "--config", file.toString());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo("sluice: " + file + ": queues[0].queueUri: must be a string, was a number\n");
  }

  @Test
  void aConfigThatDoesNotComeInTimeIsExitCode1() {
    CliRun run =
        new CliRun.Shell()
            .with("FLOWCATALYST_CONFIG_URL", "http://user:s3cret@127.0.0.1:9/x?y")
            .run("run", "--database-wait", "0");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("sluice: http://127.0.0.1:9/x: connection refused\n");
  }

  @Test
  void aConfigAndAQueueTogetherAreExitCode2() {
    CliRun run = CliRun.sluice("run", "--config", file.toString(), "--queue", "a");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo("sluice: --config names the queues: leave out --uri and --queue\n");
  }
}
