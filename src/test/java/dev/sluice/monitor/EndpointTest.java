package dev.sluice.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
  private static final HttpAddress ANY = new HttpAddress("127.0.0.1", 0);

  private final Endpoint open = start(Optional.empty());
  private final Endpoint closed = start(Optional.of(new Credentials("anna", "s3crét")));
  private final Visitor visitor = new Visitor(open.port());
  private final Visitor stranger = new Visitor(closed.port());

  private static Endpoint start(Optional<Credentials> credentials) {
    return Endpoint.start(
        ANY,
        credentials,
        Map.of(
            "/good", () -> Answer.json(200, "{\"a\":\"ü\"}"),
            "/bad", () -> Answer.text(503, "no"),
            "/broken",
                () -> {
                  throw new IllegalStateException("s3crét");
                }));
  }

  @AfterEach
  void stop() {
    open.close();
    closed.close();
  }

  @Test
  void aPageIsServedAsItIs() throws Exception {
    HttpResponse<String> response = visitor.get("/good");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("{\"a\":\"ü\"}\n");
    assertThat(header(response, "Content-Type")).isEqualTo("application/json;charset=utf-8");
    assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
    assertThat(response.headers().firstValue("Server")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"/good, 200", "/bad, 503"})
  void headHasTheStatusOfTheBody(String path, int status) throws Exception {
    HttpResponse<String> response = visitor.ask("HEAD", path, "");

    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.body()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/nothing", "/good/", "/good/x", "/GOOD", "/go;od"})
  void otherPathsAreNone(String path) throws Exception {
    assertThat(visitor.get(path).statusCode()).isEqualTo(404);
    assertThat(visitor.get(path).body()).isEqualTo("there is no such page\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"//good", "/good%2F", "/x/..;/good"})
  void pathsThatCanBeReadInTwoWaysAreRefused(String path) throws Exception {
    assertThat(visitor.get(path).statusCode()).isEqualTo(400);
    assertThat(stranger.get(path).statusCode()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"})
  void otherMethodsAreNotAllowed(String method) throws Exception {
    HttpResponse<String> response = visitor.ask(method, "/good", "");

    assertThat(response.statusCode()).isEqualTo(405);
    assertThat(header(response, "Allow")).isEqualTo("GET, HEAD");
  }

  @Test
  void aPageThatFailsTellsNothing() throws Exception {
    HttpResponse<String> response = visitor.get("/broken");

    assertThat(response.statusCode()).isEqualTo(500);
    assertThat(response.body()).isEqualTo("internal error\n");
  }

  @ParameterizedTest
  @CsvSource({"GET, /good, 200", "HEAD, /good, 200", "GET, /bad, 503", "POST, /good, 405"})
  void pagesNeedNoCredentials(String method, String path, int status) throws Exception {
    assertThat(stranger.ask(method, path, "").statusCode()).isEqualTo(status);
    assertThat(stranger.ask(method, path, "anna:wrong").statusCode()).isEqualTo(status);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "anna:wrong", "wrong:s3crét", "anna", ":"})
  void everythingElseDoes(String credentials) throws Exception {
    for (String path : List.of("/", "/nothing", "/good/", "/GOOD", "/good.")) {
      HttpResponse<String> response = stranger.ask("GET", path, credentials);

      assertThat(response.statusCode()).as(path).isEqualTo(401);
      assertThat(header(response, "WWW-Authenticate"))
          .isEqualTo("Basic realm=\"sluice\", charset=\"UTF-8\"");
      assertThat(response.body()).isEqualTo("user and password are needed\n");
    }
    assertThat(stranger.ask("POST", "/nothing", credentials).statusCode()).isEqualTo(401);
  }

  @Test
  void whoHasThemIsToldThatThereIsNothing() throws Exception {
    assertThat(stranger.ask("GET", "/nothing", "anna:s3crét").statusCode()).isEqualTo(404);
  }

  @Test
  void aHeaderThatIsTooLongIsRefused() throws Exception {
    assertThat(raw("GET /good HTTP/1.1\r\nHost: h\r\nX: " + "x".repeat(10_000) + "\r\n\r\n"))
        .startsWith("HTTP/1.1 431 ")
        .doesNotContain("etty");
  }

  @Test
  void whatIsNoRequestIsRefused() throws Exception {
    assertThat(raw("nonsense\r\n\r\n")).startsWith("HTTP/1.1 400 ").doesNotContain("etty");
  }

  @Test
  void aPortThatIsTakenIsNamed() {
    HttpAddress taken = new HttpAddress("127.0.0.1", open.port());

    assertThatThrownBy(() -> Endpoint.start(taken, Optional.empty(), Map.of()))
        .isInstanceOf(MonitorException.class)
        .hasMessage(
            "cannot listen on 127.0.0.1:"
                + open.port()
                + ": another program listens there; give another --http HOST:PORT, or --http off");
  }

  @ParameterizedTest
  @ValueSource(strings = {"192.0.2.1:8080", "nowhere.invalid:8080"})
  void anAddressThatIsNotOursIsNamed(String address) {
    HttpAddress foreign = HttpAddress.parse(address).orElseThrow();

    assertThatThrownBy(() -> Endpoint.start(foreign, Optional.empty(), Map.of()))
        .isInstanceOf(MonitorException.class)
        .hasMessageContaining("cannot listen on " + address + ": ")
        .hasMessageNotContaining("\n");
  }

  @Test
  void itsThreadsAreDaemons() {
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(thread -> thread.getName().startsWith("sluice-http"))
        .isNotEmpty()
        .allMatch(Thread::isDaemon);
  }

  @Test
  void aSecondCloseDoesNothing() {
    open.close();
  }

  private String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), open.port());
        InputStream answer = socket.getInputStream()) {
      socket.setSoTimeout(60_000);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      return new String(answer.readNBytes(60), StandardCharsets.US_ASCII);
    }
  }

  private static String header(HttpResponse<String> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }
}
