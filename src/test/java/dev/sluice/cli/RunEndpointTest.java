package dev.sluice.cli;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.e2e.SluiceProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A router as those see it who watch it. */
class RunEndpointTest extends WithDatabase {
  private static final Pattern SERVING = Pattern.compile("event=serving address=(\\S+)");
  private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private final HttpClient client = HttpClient.newHttpClient();
  private final Path file;
  private final AnsweringTarget target;

  RunEndpointTest(@TempDir Path directory) throws IOException {
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

  private static void until(Callable<Boolean> condition) {
    await().until(condition);
  }

  private static String address(SluiceProcess router) throws Exception {
    until(() -> SERVING.matcher(router.stderr()).find());
    Matcher line = SERVING.matcher(router.stderr());
    assertThat(line.find()).isTrue();
    return line.group(1);
  }

  private HttpResponse<String> get(String address, String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://" + address + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void queuesOfBothBackendsAreServedAndShown() throws Exception {
    String harel = database().uri().replaceFirst("^postgres(ql)?:", "harel:");
    assertThat(CliRun.sluice("schema", "init", "--uri", harel).exitCode()).isZero();
    Files.writeString(
        file,
        """
        {"processingPools": [{"code": "MAIL", "concurrency": 2, "rateLimitPerMinute": 600}],
         "queues": [{"queueName": "orders", "queueUri": "%s"},
                    {"queueName": "jobs", "queueUri": "%s"}]}
        """
            .formatted(database().uri(), harel));
    publish("orders", "g", "o1", target.url("/"));
    String line =
        "{\"id\":\"j1\",\"poolCode\":\"MAIL\",\"mediationTarget\":\"%s\"}"
            .formatted(target.url("/"));
    CliRun published = new CliRun.Shell().typing(line).run("publish", "-", "--uri", harel);
    assertThat(published.exitCode()).as(published.err()).isZero();

    try (SluiceProcess router =
        SluiceProcess.start(
            QUICK, List.of("run", "--config", file.toString(), "--http", "127.0.0.1:0"))) {
      String address = address(router);
      until(() -> target.seen().size() == 2);
      until(() -> get(address, "/health/ready").statusCode() == 200);
      assertThat(get(address, "/health/live").statusCode()).isEqualTo(200);
      // The targets were called; when their answers count is the router's business.
      await()
          .untilAsserted(
              () ->
                  assertThat(get(address, "/metrics").body())
                      .contains("outcome=\"acked\",queue=\"jobs\"} 1")
                      .contains("fc_messages_processed_total{pool=\"MAIL\",success=\"true\"} 1")
                      .contains(
                          "fc_messages_processed_total{pool=\"DEFAULT-POOL\",success=\"true\"} 1")
                      .contains("fc_consumer_messages_received_total{consumer=\"orders\"} 1"));
      JsonNode health = new ObjectMapper().readTree(get(address, "/health").body());
      assertThat(health.at("/status").asText()).isEqualTo("UP");
      assertThat(health.at("/queues").findValuesAsText("queue")).containsExactly("jobs", "orders");

      router.terminate();
      assertThat(router.exitCode(600)).as(router.stderr()).isZero();
    }
  }

  @Test
  void aRouterThatWaitsForItsDatabaseIsAliveAndNotReady() throws Exception {
    try (SluiceProcess router =
        SluiceProcess.start(
            QUICK,
            List.of(
                "run",
                "--queue",
                "orders",
                "--http",
                "127.0.0.1:0",
                "--uri",
                "postgres://app@127.0.0.1:9/shop"))) {
      String address = address(router);

      assertThat(get(address, "/health/live").statusCode()).isEqualTo(200);
      assertThat(get(address, "/health/ready").statusCode()).isEqualTo(503);

      router.terminate();
      assertThat(router.exitCode(600)).isZero();
    }
  }

  @Test
  void aPortThatIsTakenIsExitCode1AndNamed() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();

      CliRun run =
          CliRun.sluice("run", "--queue", "orders", "--http", address, "--uri", database().uri());

      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.err()).contains("cannot listen on " + address);
    }
  }

  @Test
  void aGroupCannotBeKeptBehindAHeadThatIsDropped() {
    CliRun run =
        CliRun.sluice(
            "run",
            "--queue",
            "orders",
            "--on-reject",
            "drop",
            "--on-block",
            "quarantine",
            "--uri",
            database().uri());

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().lines()).singleElement().asString().contains("--on-block ack");
  }
}
