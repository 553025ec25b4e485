package dev.sluice.cli;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only a process of its own shows: signals, pipes, exit codes. */
class ProcessTest extends WithDatabase {
  private final Path directory;

  ProcessTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @BeforeEach
  void createTables() {
    initSchema();
  }

  private Process start(String... arguments) throws IOException {
    return start(Map.of(), arguments);
  }

  private Process start(Map<String, String> environment, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(classPath());
    command.add("dev.sluice.cli.Main");
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("FC_DATABASE_URL", database().uri());
    builder.environment().put("SLUICE_HTTP", "off");
    builder.environment().putAll(environment);
    builder.redirectError(directory.resolve("err").toFile());
    return builder.start();
  }

  // As packaged: without the tests, and so without their logging.
  private static String classPath() {
    List<String> entries =
        List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
    return String.join(
        File.pathSeparator,
        entries.stream().filter(entry -> !entry.endsWith("test-classes")).toList());
  }

  private int exitCode(Process process) throws InterruptedException {
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private String err() throws IOException {
    return Files.readString(directory.resolve("err"));
  }

  private static void signal(Process process, String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
  }

  @Test
  void drainOfAnEmptyQueueStartsQuickly() throws Exception {
    long began = System.nanoTime();

    assertThat(exitCode(start("drain", "--queue", "orders", "--json"))).isZero();

    System.out.printf(
        "process start to exit of drain on an empty queue: %d ms%n",
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
  }

  @Test
  void aReaderThatClosesEarlyIsNoError() throws Exception {
    execute(
        "INSERT INTO queue_messages (id, queue_name, visible_at, payload, created_at)"
            + " SELECT 'o' || n, 'orders', 0, '{}', 0 FROM generate_series(1, 20000) n");

    Process process = start("peek", "--queue", "orders", "--limit", "20000");
    try (InputStream out = process.getInputStream()) {
      assertThat(out.read()).isPositive();
    }

    assertThat(exitCode(process)).isEqualTo(141);
    assertThat(err()).isEmpty();
  }

  @Test
  void eventsThatAreLeftToPythonAreWarnedOfOnce() throws Exception {
    String uri = database().uri().replaceFirst("^postgres(ql)?:", "harel:");
    CliRun.sluice("schema", "init", "--uri", uri);
    execute("INSERT INTO transport_messages (group_id, event) VALUES ('g', '{}'), ('h', '[1]')");
    execute("INSERT INTO transport_groups (group_id) VALUES ('g'), ('h')");

    assertThat(exitCode(start("drain", "--batch", "1", "--uri", uri))).isEqualTo(4);

    assertThat(err().lines().filter(line -> line.contains("event=events_left_out")))
        .singleElement()
        .asString()
        .contains("queue=transport_messages", "--target names a URL for them");
  }

  @Test
  void runEndsCleanlyOnSigterm() throws Exception {
    Process process = start("run", "--queue", "orders");
    await().until(() -> err().contains("event=started"));

    signal(process, "TERM");

    assertThat(exitCode(process)).isZero();
    assertThat(err()).contains("level=INFO event=started queue=orders");
  }

  @Test
  void logsAreOneLinePerEvent() throws Exception {
    publish("orders", "g", "o1", "not a url");

    assertThat(exitCode(start("drain", "--queue", "orders"))).isZero();

    assertThat(err().lines()).isNotEmpty().allMatch(line -> line.startsWith("time="));
    assertThat(err())
        .contains("level=WARN event=rejected severity=ERROR queue=orders")
        .contains(" group=g id=o1 ");
  }

  @Test
  void logsAreJsonWhereAskedFor() throws Exception {
    publish("orders", "g", "o1", "not a url");

    Process process = start(Map.of("FC_LOG_FORMAT", "json"), "drain", "--queue", "orders");

    assertThat(exitCode(process)).isZero();
    assertThat(err().lines())
        .isNotEmpty()
        .allMatch(line -> line.startsWith("{\"time\":\"") && line.endsWith("}"));
    assertThat(err()).contains("\"level\":\"WARN\",\"event\":\"rejected\"", "\"id\":\"o1\"");
  }

  @Test
  void logsAreLeftOutBelowTheLevelAskedFor() throws Exception {
    publish("orders", "g", "o1", "not a url");

    Process process = start(Map.of("FC_LOG_LEVEL", "error"), "drain", "--queue", "orders");

    assertThat(exitCode(process)).isZero();
    assertThat(err()).isEmpty();
  }

  @Test
  void interruptedOnceDrainEndsCleanlyWithWhatIsLeftAndTwiceAtOnce() throws Exception {
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    HttpServer target = hangingTarget(called, answer);
    try {
      publish("orders", "g", "o1", "http://127.0.0.1:" + target.getAddress().getPort() + "/");
      publish("orders", "g", "o2", "http://127.0.0.1:" + target.getAddress().getPort() + "/");
      Process process = start("drain", "--queue", "orders");
      assertThat(called.await(120, TimeUnit.SECONDS)).isTrue();

      signal(process, "INT");
      await().until(() -> err().contains("stopping: "));
      answer.countDown();

      assertThat(exitCode(process)).isEqualTo(4);
      assertThat(query("SELECT id FROM queue_messages")).containsExactly("o2");
    } finally {
      answer.countDown();
      target.stop(0);
    }
  }

  @Test
  void interruptedTwiceDrainEndsAtOnce() throws Exception {
    CountDownLatch called = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    HttpServer target = hangingTarget(called, answer);
    try {
      publish("orders", "g", "o1", "http://127.0.0.1:" + target.getAddress().getPort() + "/");
      Process process = start("drain", "--queue", "orders");
      assertThat(called.await(120, TimeUnit.SECONDS)).isTrue();

      signal(process, "INT");
      await().until(() -> err().contains("stopping: "));
      signal(process, "INT");

      assertThat(exitCode(process)).isEqualTo(130);
      assertThat(query("SELECT id FROM queue_messages")).containsExactly("o1");
    } finally {
      answer.countDown();
      target.stop(0);
    }
  }

  private static HttpServer hangingTarget(CountDownLatch called, CountDownLatch answer)
      throws IOException {
    HttpServer target =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    target.createContext(
        "/",
        exchange -> {
          try (exchange) {
            called.countDown();
            answer.await();
            exchange.sendResponseHeaders(200, -1);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    target.start();
    return target;
  }

  @Test
  void theStandardOutputMayBeFull() throws Exception {
    if (!Files.exists(Path.of("/dev/full"))) {
      return;
    }
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            classPath(),
            "dev.sluice.cli.Main",
            "--version");
    builder.redirectOutput(new File("/dev/full"));
    Process process = builder.start();

    String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(exitCode(process)).isEqualTo(1);
    assertThat(said).startsWith("sluice: writing the output failed: ");
  }
}
