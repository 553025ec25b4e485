package dev.sluice.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.sluice.delivery.HttpTransport.Network;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.Receipt;
import dev.sluice.time.ManualTime;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hc.client5.http.DnsResolver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class HttpMediatorTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  private static final Duration CONNECT = Duration.ofSeconds(30);
  private static final Duration EXCHANGE = Duration.ofMinutes(15);

  private final ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"));
  private final HttpMediator mediator =
      new HttpMediator(
          time, HttpOptions.DEFAULT, new Network(Optional.empty(), new LoopbackNames()));

  @AfterEach
  void close() {
    mediator.close();
  }

  @Test
  void theRequestOnTheWireIsTheGoRouters() throws Exception {
    try (RawTarget target = RawTarget.answering(OK)) {
      Message message =
          new Message(
              "msg_TEST123456",
              "",
              "token",
              "test-secret-do-not-use-in-prod",
              "HTTP",
              target.url("/a/../b%7e?q=1#f"),
              null,
              false,
              "");

      assertThat(outcome(message)).isEqualTo(new Outcome.Delivered());
      assertThat(lines(target))
          .startsWith("POST /a/../b%7e?q=1 HTTP/1.1")
          .containsExactlyInAnyOrder(
              "POST /a/../b%7e?q=1 HTTP/1.1",
              "Host: 127.0.0.1:" + target.port(),
              "Accept: application/json",
              "Accept-Encoding: identity",
              "Content-Type: application/json",
              "Content-Length: 30",
              "Connection: keep-alive",
              "User-Agent: sluice/dev",
              "Authorization: Bearer token",
              "X-FlowCatalyst-Timestamp: 2026-01-01T00:00:00.000Z",
              "X-FlowCatalyst-Signature:"
                  + " 4c53b4f3224c8c870cd4f12e03a6903233153f26777708dd3afab915b2eb3819",
              "",
              "{\"messageId\":\"msg_TEST123456\"}");
    }
  }

  @Test
  void bytesBeyondAsciiAreSentAsUtf8() throws Exception {
    try (RawTarget target = RawTarget.answering(OK)) {
      outcome(withToken(target.url("/é?é"), "é"));

      assertThat(lines(target))
          .contains("POST /%C3%A9?\u00c3\u00a9 HTTP/1.1", "Authorization: Bearer \u00c3\u00a9");
    }
  }

  @Test
  void anEmptyTokenIsStillSent() throws Exception {
    try (RawTarget target = RawTarget.answering(OK)) {
      outcome(withToken("http://user:pass@127.0.0.1:" + target.port(), ""));

      assertThat(lines(target).stream().map(String::stripTrailing))
          .contains("Authorization: Bearer");
    }
  }

  @Test
  void userInfoIsSentAsBasic() throws Exception {
    try (RawTarget target = RawTarget.answering(OK)) {
      outcome(Message.of("a", "http://user:pass@127.0.0.1:" + target.port()));

      assertThat(lines(target)).contains("Authorization: Basic dXNlcjpwYXNz");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"my_host", "T.Example", "a..b_-c"})
  void hostNamesAreSentAsWritten(String host) throws Exception {
    try (RawTarget target = RawTarget.answering(OK)) {
      String url = "http://" + host + ":" + target.port() + "/";

      assertThat(outcome(Message.of("a", url))).isEqualTo(new Outcome.Delivered());
      assertThat(lines(target)).contains("Host: " + host + ":" + target.port());
    }
  }

  @Test
  void anEventIsSentAsItIsWithItsGroup() throws Exception {
    try (RawTarget target = RawTarget.answering(OK)) {
      outcome(event(Message.of("a", target.url("/")), "{ \"x\": \"é\" }", "order 7%"));

      assertThat(lines(target)).contains("X-Sluice-Group: order%207%25");
      assertThat(target.requests().get(0)).endsWith("\r\n\r\n{ \"x\": \"\u00c3\u00a9\" }");
    }
  }

  @Test
  void oneConnectionServesOneCallAfterTheOther() throws Exception {
    try (RawTarget target = RawTarget.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")) {
      for (int i = 0; i < 20; i++) {
        outcome(Message.of("m" + i, target.url("/")));
      }

      assertThat(target.requests()).hasSize(20);
      assertThat(target.connections()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void redirectsAreNotFollowed(int status) throws Exception {
    try (RawTarget target =
        RawTarget.answering(
            "HTTP/1.1 " + status + " Moved\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")) {

      assertThat(outcome(Message.of("a", target.url("/hook?secret"))))
          .isEqualTo(new Outcome.Permanent(status + " from " + target.url("/hook"), false));
      assertThat(target.requests()).hasSize(1);
    }
  }

  @Test
  void cookiesAreNotSentBack() throws Exception {
    try (RawTarget target =
        RawTarget.answering(
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n")) {
      outcome(Message.of("a", target.url("/")));
      outcome(Message.of("b", target.url("/")));

      assertThat(target.requests()).hasSize(2).noneMatch(request -> request.contains("Cookie"));
    }
  }

  @Test
  void aTargetThatLacksTheMethodIsCalledOnce() throws Exception {
    try (RawTarget target = RawTarget.answering(status(501))) {
      assertThat(outcome(Message.of("a", target.url("/"))))
          .isEqualTo(new Outcome.Permanent("501 from " + target.url("/"), true));
      assertThat(target.requests()).hasSize(1);
    }
  }

  @Test
  void aTargetThatFailsIsTriedThreeTimesAndSignedForAnewEachTime() throws Exception {
    try (RawTarget target = RawTarget.answering(status(503))) {
      Message message = new Message("a", "", null, "", "HTTP", target.url("/"), null, false, "");
      CompletableFuture<Outcome> outcome = deliver(delivery(message));
      elapse(Duration.ofSeconds(1));
      elapse(Duration.ofSeconds(2));

      assertThat(outcome.get(10, TimeUnit.SECONDS))
          .isEqualTo(new Outcome.Unavailable("503 from " + target.url("/"), 30));
      assertThat(target.requests()).hasSize(3);
      assertThat(target.requests().get(0)).contains("Timestamp: 2026-01-01T00:00:00.000Z");
      assertThat(target.requests().get(1)).contains("Timestamp: 2026-01-01T00:00:01.000Z");
      assertThat(target.requests().get(2)).contains("Timestamp: 2026-01-01T00:00:03.000Z");
    }
  }

  @Test
  void aTryThatSucceedsIsTheLast() throws Exception {
    try (RawTarget target =
        new RawTarget(
            (connection, request) -> RawTarget.send(connection, request == 1 ? status(500) : OK))) {
      CompletableFuture<Outcome> outcome = deliver(delivery(Message.of("a", target.url("/"))));
      elapse(Duration.ofSeconds(1));

      assertThat(outcome.get(10, TimeUnit.SECONDS)).isEqualTo(new Outcome.Delivered());
      assertThat(time.waiting()).isEmpty();
    }
  }

  @Test
  void aTargetThatRefusesConnectionsIsUnreachableAfterThreeTries() throws Exception {
    String url = "http://127.0.0.1:" + freePort() + "/";

    assertThat(outcomeOfThreeTries(url))
        .isEqualTo(new Outcome.Unreachable("connection refused: " + url, 30));
  }

  @Test
  void aTargetThatResetsConnectionsIsUnreachableAfterThreeTries() throws Exception {
    try (RawTarget target =
        new RawTarget(
            (connection, request) -> {
              connection.setSoLinger(true, 0);
              connection.close();
            })) {

      assertThat(outcomeOfThreeTries(target.url("/")))
          .isEqualTo(new Outcome.Unreachable("connection lost: " + target.url("/"), 30));
      assertThat(target.requests()).hasSize(3);
    }
  }

  @Test
  void aTargetWithoutAnAddressIsUnreachable() throws Exception {
    assertThat(outcomeOfThreeTries("http://nowhere.invalid/"))
        .isEqualTo(new Outcome.Unreachable("unknown host: http://nowhere.invalid/", 30));
  }

  @Test
  void aTargetThatSwitchesProtocolsIsUnreachable() throws Exception {
    try (RawTarget target =
        RawTarget.answering(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")) {
      assertThat(outcomeOfThreeTries(target.url("/"))).isInstanceOf(Outcome.Unreachable.class);
    }
  }

  @Test
  void aTargetThatSpeaksNoTlsIsUnreachable() throws Exception {
    try (ServerSocket target = new ServerSocket(0)) {
      Thread server = new Thread(() -> answerWithoutTls(target));
      server.start();

      assertThat(outcomeOfThreeTries("https://127.0.0.1:" + target.getLocalPort() + "/"))
          .isInstanceOfSatisfying(
              Outcome.Unreachable.class, o -> assertThat(o.reason()).startsWith("TLS failed ("));
    }
  }

  @Test
  void aBodyThatDripsMeetsTheLimitOfTheExchange() throws Exception {
    try (RawTarget target = RawTarget.answering("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{")) {
      CompletableFuture<Outcome> outcome = deliver(delivery(Message.of("a", target.url("/"))));
      for (int retryAfter = 1; retryAfter <= 2; retryAfter++) {
        elapse(EXCHANGE);
        elapse(Duration.ofSeconds(retryAfter));
      }
      await().until(() -> target.connections() == 3);
      elapse(EXCHANGE);

      assertThat(outcome.get(10, TimeUnit.SECONDS))
          .isEqualTo(new Outcome.Unreachable("timed out: " + target.url("/"), 30));
      assertThat(target.connections()).isEqualTo(3);
    }
  }

  @Test
  void aLongBodyIsReadForOneMebibyteAndNoFurther() throws Exception {
    String padding = " ".repeat((1 << 20) - "{\"ack\":false}".length());
    try (RawTarget target =
        RawTarget.answering(
            "HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n{\"ack\":false}"
                + padding
                + "x")) {

      assertThat(outcome(Message.of("a", target.url("/")))).isEqualTo(new Outcome.Deferred(0));
      assertThat(outcome(Message.of("b", target.url("/")))).isEqualTo(new Outcome.Deferred(0));
      assertThat(target.connections()).isEqualTo(2);
    }
  }

  @Test
  void aBodyOfOneMebibyteKeepsItsConnection() throws Exception {
    try (RawTarget target =
        RawTarget.answering(
            "HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n" + "x".repeat(1 << 20))) {
      assertThat(outcome(Message.of("a", target.url("/")))).isEqualTo(new Outcome.Delivered());
      assertThat(outcome(Message.of("b", target.url("/")))).isEqualTo(new Outcome.Delivered());
      assertThat(target.connections()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"secret\r\nX: y", "secret\n", "\u0000secret", "secret\u007f"})
  void aTokenThatCannotBeAHeaderIsNotSent(String token) throws Exception {
    try (RawTarget target = RawTarget.answering(OK)) {
      assertThat(outcome(withToken(target.url("/"), token)))
          .isEqualTo(new Outcome.Permanent("authToken cannot be sent as a header", false));
      assertThat(target.connections()).isZero();
    }
  }

  @Test
  void onlyHttpIsCalled() throws Exception {
    Message message = new Message("a", "", null, null, "SMTP", "http://h/", null, false, "");

    assertThat(outcome(message))
        .isEqualTo(new Outcome.Permanent("mediationType is not HTTP", false));
  }

  @Test
  void aTargetThatIsNoUrlIsPermanent() throws Exception {
    assertThat(outcome(Message.of("a", "ftp://user:secret@h/")))
        .isEqualTo(new Outcome.Permanent("the target is no http or https URL", false));
  }

  @Test
  void closingEndsTheCallsUnderWayAndThoseToCome() throws Exception {
    try (RawTarget target = new RawTarget((connection, request) -> {})) {
      CompletableFuture<Outcome> waiting = deliver(delivery(Message.of("a", target.url("/"))));
      await().until(() -> target.requests().size() == 1);
      mediator.close();

      assertThat(waiting.get(10, TimeUnit.SECONDS))
          .isEqualTo(new Outcome.Unreachable("given up: " + target.url("/"), 30));
      assertThat(outcome(Message.of("b", target.url("/")))).isInstanceOf(Outcome.Unreachable.class);
    }
  }

  @Test
  void timeoutsAreOneMillisecondToOneDay() {
    assertThat(HttpOptions.DEFAULT).isEqualTo(new HttpOptions(CONNECT, EXCHANGE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HttpOptions(Duration.ZERO, EXCHANGE))
        .withMessage("connect timeout must be 1 ms to 1 day, not PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HttpOptions(CONNECT, Duration.ofSeconds(Long.MAX_VALUE)))
        .withMessageStartingWith("exchange timeout must be 1 ms to 1 day");
  }

  private Outcome outcomeOfThreeTries(String url) throws Exception {
    CompletableFuture<Outcome> outcome = deliver(delivery(Message.of("a", url)));
    elapse(Duration.ofSeconds(1));
    elapse(Duration.ofSeconds(2));
    return outcome.get(10, TimeUnit.SECONDS);
  }

  private void elapse(Duration wait) {
    await().until(() -> time.waiting().equals(List.of(wait)));
    time.advance(wait);
  }

  private Outcome outcome(Message message) throws Exception {
    return outcome(delivery(message));
  }

  private Outcome outcome(Delivery delivery) throws Exception {
    return deliver(delivery).get(10, TimeUnit.SECONDS);
  }

  private CompletableFuture<Outcome> deliver(Delivery delivery) {
    return mediator.deliver(delivery).toCompletableFuture();
  }

  private static Message withToken(String url, String token) {
    return new Message("a", "", token, null, "HTTP", url, null, false, "");
  }

  private static Delivery delivery(Message message) {
    return delivery(message, Delivery.Kind.MESSAGE, "{}", "g");
  }

  private static Delivery event(Message message, String payload, String group) {
    return delivery(message, Delivery.Kind.EVENT, payload, group);
  }

  private static Delivery delivery(
      Message message, Delivery.Kind kind, String payload, String group) {
    return new Delivery(
        message,
        kind,
        payload,
        new Receipt("r"),
        message.id(),
        "q",
        group,
        1,
        Instant.EPOCH,
        Instant.EPOCH);
  }

  private static String status(int status) {
    return "HTTP/1.1 " + status + " x\r\nContent-Length: 0\r\n\r\n";
  }

  private static List<String> lines(RawTarget target) {
    assertThat(target.requests()).hasSize(1);
    return List.of(target.requests().get(0).split("\r\n", -1));
  }

  private static void answerWithoutTls(ServerSocket target) {
    try {
      while (true) {
        try (Socket connection = target.accept()) {
          RawTarget.send(connection, OK);
          connection.getInputStream().transferTo(OutputStream.nullOutputStream());
        }
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  /** Every name but those that end in .invalid is this machine's. */
  private static final class LoopbackNames implements DnsResolver {
    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
      if (host.endsWith(".invalid")) {
        throw new UnknownHostException(host);
      }
      return InetAddress.getAllByName("127.0.0.1");
    }

    @Override
    public String resolveCanonicalHostname(String host) {
      return host;
    }
  }
}
