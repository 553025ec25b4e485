package dev.sluice.config;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.router.PoolSettings;
import dev.sluice.time.ManualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

@Timeout(300)
class ConfigLoaderTest {
  private static final String CONFIG =
      "{\"processingPools\":[{\"code\":\"A\",\"concurrency\":5}],"
          + "\"queues\":[{\"queueName\":\"q\",\"queueUri\":\"postgres://app@db/shop\"}]}";

  private final Path directory;
  private final HttpServer server;
  private final ManualTime time = new ManualTime(Instant.EPOCH);
  private final List<String> requests = new CopyOnWriteArrayList<>();

  ConfigLoaderTest(@TempDir Path directory) throws IOException {
    this.directory = directory;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private String url(String rest) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + rest;
  }

  private void serve(String path, int status, String body) {
    server.createContext(
        path,
        exchange -> {
          requests.add(
              exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("Authorization"));
          answer(exchange, status, body);
        });
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    try (exchange) {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private void redirect(String path, String location) {
    server.createContext(
        path,
        exchange -> {
          exchange.getResponseHeaders().add("Location", location);
          answer(exchange, 302, "");
        });
  }

  private ConfigLoader loader(String... sources) {
    return new ConfigLoader(Stream.of(sources).map(ConfigSource::parse).toList(), time);
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(directory.resolve(name), content).toString();
  }

  private static ConfigException failure(ConfigLoader loader) {
    return catchThrowableOfType(ConfigException.class, loader::load);
  }

  @Test
  void aFileIsRead() throws Exception {
    RouterConfig config = loader(file("c.json", CONFIG)).load();

    assertThat(config.pools()).containsExactly(PoolSettings.of("A", 5));
    assertThat(config.queues()).extracting(QueueConfig::name).containsExactly("q");
  }

  @Test
  void aUrlIsRead() {
    serve("/config", 200, CONFIG);

    assertThat(loader(url("/config?role=router")).load().queues()).hasSize(1);
    assertThat(requests).containsExactly("/config?role=router null");
  }

  @Test
  void userInfoBecomesBasicAndIsNotShown() {
    serve("/", 200, "{");

    ConfigException failure =
        failure(loader(url("/x?token=s3cret").replace("//", "//us%40er:s3cret@")));

    assertThat(requests).containsExactly("/x?token=s3cret Basic dXNAZXI6czNjcmV0");
    assertThat(failure).hasMessage(url("/x") + ": is no JSON, at line 1, column 2");
  }

  @ParameterizedTest
  @CsvSource({"500", "503", "429"})
  void aServerThatFailsIsUnanswered(int status) {
    serve("/", status, "no");

    assertThat(failure(loader(url("/"))).isUnanswered()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"401", "403", "404"})
  void aRefusalIsAnAnswer(int status) {
    serve("/", status, "no");

    ConfigException failure = failure(loader(url("/")));

    assertThat(failure).hasMessage(url("/") + ": answered " + status);
    assertThat(failure.isUnanswered()).isFalse();
  }

  @Test
  void aPortWhereNobodyListensIsUnanswered() {
    String url = url("/");
    server.stop(0);

    ConfigException failure = failure(loader(url));

    assertThat(failure).hasMessage(url + ": connection refused");
    assertThat(failure.isUnanswered()).isTrue();
  }

  @Test
  void aServerThatDoesNotGoOnIsGivenUpAfterTenSeconds() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write('{');
          exchange.getResponseBody().flush();
          asked.countDown();
          try {
            end.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.close();
        });
    try {
      CompletableFuture<ConfigException> failure =
          CompletableFuture.supplyAsync(() -> failure(loader(url("/"))));
      asked.await();

      time.advance(Duration.ofMillis(9_999));
      assertThat(failure).isNotDone();
      time.advance(Duration.ofMillis(1));

      await().until(failure::isDone);
      assertThat(failure.join()).hasMessage(url("/") + ": timed out");
    } finally {
      end.countDown();
    }
  }

  @Test
  void aDocumentThatIsTooLargeIsRefused() throws Exception {
    String large = " ".repeat((4 << 20) + 1);
    serve("/", 200, large);

    assertThat(failure(loader(url("/")))).hasMessage(url("/") + ": is larger than 4 MiB");
    String file = file("large.json", large);
    assertThat(failure(loader(file))).hasMessage(file + ": is larger than 4 MiB");
  }

  @Test
  void aRedirectWithinTheServerIsFollowed() {
    redirect("/old", url("/new"));
    serve("/new", 200, CONFIG);

    assertThat(loader(url("/old")).load().queues()).hasSize(1);
  }

  @Test
  void aRedirectElsewhereIsNot() throws Exception {
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.createContext("/", exchange -> answer(exchange, 200, CONFIG));
    other.start();
    try {
      redirect("/old", "http://127.0.0.1:" + other.getAddress().getPort() + "/");

      assertThat(failure(loader(url("/old"))))
          .hasMessage(url("/old") + ": redirects elsewhere (302)");
    } finally {
      other.stop(0);
    }
  }

  @Test
  void aRedirectThatGoesRoundIsRefused() {
    redirect("/", url("/"));

    assertThatThrownBy(() -> loader(url("/")).load()).isInstanceOf(ConfigException.class);
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    String file = directory.resolve("none.json").toString();

    assertThat(failure(loader(file))).hasMessage(file + ": there is no such file");
    assertThat(failure(loader(directory.toString()))).hasMessage(directory + ": cannot be read");
  }

  @Test
  void theFirstSourceToNameSomethingWins() throws Exception {
    serve("/", 200, CONFIG.replace("5", "7").replace("\"q\"", "\"r\""));

    RouterConfig config = loader(file("c.json", CONFIG), url("/")).load();

    assertThat(config.pools()).containsExactly(PoolSettings.of("A", 5));
    assertThat(config.queues()).extracting(QueueConfig::name).containsExactly("q", "r");
  }

  @Test
  void oneSourceThatIsMissingMakesAllMissing() throws Exception {
    serve("/", 503, "");

    assertThat(failure(loader(file("c.json", CONFIG), url("/"))))
        .hasMessage(url("/") + ": answered 503");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"error\":\"no such role\"}", "{\"processingPools\":[]}"})
  void aConfigWithoutQueuesIsRefused(String json) throws Exception {
    String file = file("c.json", json);

    assertThat(failure(loader(file))).hasMessage(file + ": names no queue");
  }

  @Test
  void whatIsLeftOutIsToldOncePerKeyAndSource() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(ConfigLoader.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      String more =
          "{\"processingPools\":[{\"code\":\"A\",\"x\":1},{\"code\":\"B\",\"x\":1}],\"x\":1}";
      ConfigLoader loader = loader(file("a.json", CONFIG), file("b.json", more));

      loader.load();
      loader.load();

      String b = directory.resolve("b.json").toString();
      String a = directory.resolve("a.json").toString();
      assertThat(log.list)
          .extracting(ILoggingEvent::getFormattedMessage)
          .containsExactly(
              "event=config_ignored what=\"" + b + ": x: unknown key, left out\"",
              "event=config_ignored what=\""
                  + b
                  + ": processingPools[0].x: unknown key, left out\"",
              "event=config_ignored what=\""
                  + b
                  + ": pool 'A' is left out: "
                  + a
                  + " has it with other values\"");
    } finally {
      logger.detachAppender(log);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "ftp://x/y", "http:///x", "https://user:s3cret@/", "http://a b/"})
  void whatIsNeitherFileNorUrlIsRefused(String source) {
    assertThatThrownBy(() -> ConfigSource.parse(source))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void namesThatDnsAloneWouldRefuseAreTaken() {
    assertThat(ConfigSource.parse("HTTP://config_service:8080/x?y#z"))
        .hasToString("http://config_service:8080/x");
  }
}
