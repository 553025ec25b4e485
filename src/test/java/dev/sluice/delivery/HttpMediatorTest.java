package dev.sluice.delivery;

import static dev.sluice.testing.Patience.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.time.ManualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class HttpMediatorTest {
  private static final String OK = WireTarget.answer(200, "");

  private final ManualTime time = new ManualTime(Instant.parse("2026-01-01T00:00:00Z"));
  private final Loopback names = new Loopback();
  private final HttpMediator mediator =
      new HttpMediator(
          time, HttpOptions.DEFAULT, () -> new HttpTransport.Network(Optional.empty(), names));

  @AfterEach
  void close() {
    mediator.close();
  }

  @Test
  void theRequestIsExactlyThis() throws Exception {
    try (WireTarget target = new WireTarget(OK)) {
      assertThat(deliver(Deliveries.to(target.url("/a/../b//%2f?x=1&y=a b#f"), "tok", "sec")))
          .isEqualTo(new Outcome.Delivered());

      assertThat(target.requests())
          .containsExactly(
              String.join(
                  "\r\n",
                  "POST /a/../b//%2f?x=1&y=a b HTTP/1.1",
                  "Accept: application/json",
                  "Accept-Encoding: identity",
                  "Content-Type: application/json",
                  "Authorization: Bearer tok",
                  "X-FlowCatalyst-Timestamp: 2026-01-01T00:00:00.000Z",
                  "X-FlowCatalyst-Signature:"
                      + " ff9d79343e9da6caafd0701d7efbfcad2c27f4e7b0e1d4d2a768fccee02b5c53",
                  "Host: 127.0.0.1:" + target.port(),
                  "Content-Length: 19",
                  "Connection: keep-alive",
                  "User-Agent: sluice/dev",
                  "",
                  "{\"messageId\":\"m-1\"}"));
    }
  }

  @Test
  void aMessageWithoutTokenAndSecretHasNoHeadersForThem() throws Exception {
    assertThat(requestFor("", null, null))
        .doesNotContain("Authorization", "X-FlowCatalyst", "X-Sluice", "Upgrade");
  }

  @Test
  void anEmptyTokenIsSentAndAnEmptySecretSigns() throws Exception {
    assertThat(requestFor("", "", ""))
        .contains("\r\nAuthorization: Bearer\r\n", "\r\nX-FlowCatalyst-Signature: ");
  }

  @Test
  void userInfoBecomesBasicUnlessThereIsAToken() throws Exception {
    assertThat(requestFor("us%20er:pass@", null, null))
        .contains("\r\nAuthorization: Basic dXMgZXI6cGFzcw==\r\n")
        .doesNotContain("pass@");
    assertThat(requestFor("user:pass@", "tok", null))
        .contains("\r\nAuthorization: Bearer tok\r\n")
        .doesNotContain("Basic");
  }

  @Test
  void aTokenOfOtherLettersIsSentAsUtf8() throws Exception {
    assertThat(requestFor("", "tök ☃", null)).contains("\r\nAuthorization: Bearer tök ☃\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nX-Injected: 1", "a\nb", "a\rb", "a\0b", "a\u007f"})
  void aTokenThatIsNoHeaderIsRefusedWithoutACall(String token) throws Exception {
    try (WireTarget target = new WireTarget(OK)) {
      assertThat(deliver(Deliveries.to(target.url("/"), token, null)))
          .isEqualTo(new Outcome.Permanent("authToken cannot be sent as a header", false));
      assertThat(target.connections()).isZero();
    }
  }

  /** Letters whose last byte is a line break, should anything cut them to one. */
  @Test
  void noLetterBecomesALineBreak() throws Exception {
    String evil = "\u560d\u560aX-Injected: 1\u010d\u010a";
    try (WireTarget target = new WireTarget(OK)) {
      deliver(Deliveries.to(target.url("/?" + evil), evil, null));
      deliver(Deliveries.event(target.url("/"), evil, evil));

      assertThat(target.requests().get(0))
          .startsWith("POST /?" + evil + " HTTP/1.1\r\n")
          .contains("\r\nAuthorization: Bearer " + evil + "\r\n");
      assertThat(target.requests().get(1))
          .contains("\r\nX-Sluice-Group: %E5%98%8D%E5%98%8AX-Injected:%201%C4%8D%C4%8A\r\n");
    }
  }

  @Test
  void anIdIsNothingButTextInTheBody() throws Exception {
    String id = "a\r\n\r\nPOST / HTTP/1.1\u0001\"";
    try (WireTarget target = new WireTarget(OK)) {
      deliver(Deliveries.of(Message.of(id, target.url("/"))));

      assertThat(target.requests())
          .singleElement()
          .asString()
          .contains("\r\nContent-Length: 48\r\n")
          .endsWith("\r\n\r\n{\"messageId\":\"a\\r\\n\\r\\nPOST / HTTP/1.1\\u0001\\\"\"}");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/a\r\nX-Injected: 1", "/?a\nb", "/?a\rb", "/\0"})
  void aTargetWithLineBreaksIsRefusedWithoutACall(String path) throws Exception {
    try (WireTarget target = new WireTarget(OK)) {
      assertThat(deliver(Deliveries.to(target.url(path))))
          .isEqualTo(new Outcome.Permanent("control character in the target URL", false));
      assertThat(target.connections()).isZero();
    }
  }

  @Test
  void aMediationTypeOtherThanHttpIsRefusedWithoutACall() {
    Message message = new Message("m", "", null, null, "GRPC", "http://x/", null, false, "");

    assertThat(deliver(Deliveries.of(message)))
        .isEqualTo(new Outcome.Permanent("mediationType is not HTTP", false));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/x", "http:///x", "ftp://t.example/", "http://t.example/%zz"})
  void aTargetThatIsNoHttpUrlIsRefusedWithoutACall(String url) {
    assertThat(deliver(Deliveries.to(url))).isInstanceOf(Outcome.Permanent.class);
    assertThat(names.threads()).isEmpty();
  }

  @Test
  void anEventGoesOutAsItIsWithItsGroup() throws Exception {
    try (WireTarget target = new WireTarget(OK)) {
      deliver(Deliveries.event(target.url("/"), "{\"ü\": 1 }", "order 5%/ü\r\n"));

      assertThat(target.requests().get(0))
          .contains("\r\nX-Sluice-Group: order%205%25/%C3%BC%0D%0A\r\n", "Content-Length: 10\r\n")
          .endsWith("\r\n\r\n{\"ü\": 1 }");
    }
  }

  @Test
  void aHostNameMayHoldUnderscores() throws Exception {
    try (WireTarget target = new WireTarget(OK)) {
      String url = "http://my_service.Local_net:" + target.port() + "/hook";

      assertThat(deliver(Deliveries.to(url))).isEqualTo(new Outcome.Delivered());
      assertThat(target.requests().get(0))
          .contains("\r\nHost: my_service.Local_net:" + target.port() + "\r\n");
    }
  }

  @Test
  void namesAreResolvedOnThreadsOfTheirOwn() throws Exception {
    try (WireTarget target = new WireTarget(OK)) {
      deliver(Deliveries.to("http://some.name:" + target.port() + "/"));

      assertThat(names.threads()).singleElement().asString().startsWith("sluice-connect");
    }
  }

  @Test
  void connectionsAreKept() throws Exception {
    try (WireTarget target = new WireTarget(OK, WireTarget.answer(404, "no"), OK)) {
      for (int i = 0; i < 5; i++) {
        deliver(Deliveries.to(target.url("/" + i)));
      }

      assertThat(target.requests()).hasSize(5);
      assertThat(target.connections()).isEqualTo(1);
    }
  }

  @Test
  void aConnectionThatTheTargetEndsIsReplaced() throws Exception {
    String last = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    try (WireTarget target = new WireTarget(last)) {
      assertThat(deliver(Deliveries.to(target.url("/")))).isEqualTo(new Outcome.Delivered());
      assertThat(deliver(Deliveries.to(target.url("/")))).isEqualTo(new Outcome.Delivered());
      assertThat(target.connections()).isEqualTo(2);
    }
  }

  @Test
  void theAnswerIsRead() throws Exception {
    String deferral = WireTarget.answer(200, "{\"ack\":false,\"delaySeconds\":7}");
    String chunked =
        String.join(
            "\r\n",
            "HTTP/1.1 200 OK",
            "Transfer-Encoding: chunked",
            "",
            "8",
            "{\"ack\":f",
            "5",
            "alse}",
            "0",
            "",
            "");
    String limit = "HTTP/1.1 429 X\r\nretry-after: 12\r\nContent-Length: 0\r\n\r\n";
    try (WireTarget target = new WireTarget(deferral, chunked, limit)) {
      assertThat(deliver(Deliveries.to(target.url("/")))).isEqualTo(new Outcome.Deferred(7));
      assertThat(deliver(Deliveries.to(target.url("/")))).isEqualTo(new Outcome.Deferred(0));
      assertThat(deliver(Deliveries.to(target.url("/")))).isEqualTo(new Outcome.RateLimited(12));
    }
  }

  @Test
  void informationBeforeTheAnswerIsPassedOver() throws Exception {
    String hints = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    try (WireTarget target = new WireTarget(hints + WireTarget.answer(200, "{\"ack\":false}"))) {
      assertThat(deliver(Deliveries.to(target.url("/")))).isEqualTo(new Outcome.Deferred(0));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void redirectsAreNotFollowed(int status) throws Exception {
    try (WireTarget other = new WireTarget(OK);
        WireTarget target =
            new WireTarget(
                "HTTP/1.1 %d X\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n"
                    .formatted(status, other.url("/")))) {
      assertThat(deliver(Deliveries.to(target.url("/x"))))
          .isEqualTo(new Outcome.Permanent(status + " from " + target.url("/x"), false));
      assertThat(other.connections()).isZero();
    }
  }

  @Test
  void challengesAreNotAnswered() throws Exception {
    String challenge =
        "HTTP/1.1 401 X\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n";
    try (WireTarget target = new WireTarget(challenge)) {
      String url = "http://user:secret@127.0.0.1:" + target.port() + "/x?token=secret";

      assertThat(deliver(Deliveries.to(url)))
          .isEqualTo(new Outcome.Permanent("401 from " + target.url("/x"), false));
      assertThat(target.requests()).hasSize(1);
    }
  }

  @Test
  void cookiesAreNotKept() throws Exception {
    String cookie = "HTTP/1.1 200 X\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n";
    try (WireTarget target = new WireTarget(cookie)) {
      deliver(Deliveries.to(target.url("/")));
      deliver(Deliveries.to(target.url("/")));

      assertThat(target.requests().get(1)).doesNotContainIgnoringCase("cookie");
    }
  }

  @Test
  void a501IsTriedOnce() throws Exception {
    try (WireTarget target = new WireTarget(WireTarget.answer(501, "x"))) {
      assertThat(deliver(Deliveries.to(target.url("/x"))))
          .isEqualTo(new Outcome.Permanent("501 from " + target.url("/x"), true));
      assertThat(target.requests()).hasSize(1);
    }
  }

  @Test
  void a5xxIsTriedThreeTimes() throws Exception {
    try (WireTarget target = new WireTarget(WireTarget.answer(500, "x"))) {
      CompletableFuture<Outcome> outcome = start(Deliveries.to(target.url("/x")));
      passRetries();

      assertThat(outcome.get(120, SECONDS))
          .isEqualTo(new Outcome.ProcessError("500 from " + target.url("/x"), 30));
      assertThat(target.requests()).hasSize(3);
    }
  }

  @Test
  void theLastTryCounts() throws Exception {
    try (WireTarget target = new WireTarget(WireTarget.answer(503, ""), WireTarget.RESET, OK)) {
      CompletableFuture<Outcome> outcome = start(Deliveries.to(target.url("/")));
      passRetries();

      assertThat(outcome.get(120, SECONDS)).isEqualTo(new Outcome.Delivered());
      assertThat(target.requests()).hasSize(3);
    }
  }

  @Test
  void eachTryIsSignedAnew() throws Exception {
    try (WireTarget target = new WireTarget(WireTarget.answer(503, ""), OK)) {
      CompletableFuture<Outcome> outcome = start(Deliveries.to(target.url("/"), null, "sec"));
      passRetry(Duration.ofSeconds(1));
      outcome.get(120, SECONDS);

      assertThat(target.requests().get(0)).contains("Timestamp: 2026-01-01T00:00:00.000Z\r\n");
      assertThat(target.requests().get(1)).contains("Timestamp: 2026-01-01T00:00:01.000Z\r\n");
    }
  }

  @Test
  void aRefusedConnectionIsUnreachableAfterThreeTries() throws Exception {
    int port = freePort();
    CompletableFuture<Outcome> outcome =
        start(Deliveries.to("http://u:secret@127.0.0.1:" + port + "/x?q=secret"));
    passRetries();

    assertThat(outcome.get(120, SECONDS))
        .isEqualTo(
            new Outcome.Unreachable("connection refused: http://127.0.0.1:" + port + "/x", 30));
  }

  @Test
  void aResetConnectionIsUnreachableAfterThreeTries() throws Exception {
    try (WireTarget target = new WireTarget(WireTarget.RESET)) {
      CompletableFuture<Outcome> outcome = start(Deliveries.to(target.url("/x")));
      passRetries();

      assertThat(outcome.get(120, SECONDS))
          .isEqualTo(new Outcome.Unreachable("connection lost: " + target.url("/x"), 30));
      assertThat(target.requests()).hasSize(3);
    }
  }

  @Test
  void anUnknownHostIsUnreachable() throws Exception {
    try (HttpMediator real = new HttpMediator(time, HttpOptions.DEFAULT)) {
      CompletableFuture<Outcome> outcome =
          real.deliver(Deliveries.to("http://no_such_host.invalid/")).toCompletableFuture();
      passRetries();

      assertThat(outcome.get(120, SECONDS))
          .isEqualTo(new Outcome.Unreachable("unknown host: http://no_such_host.invalid/", 30));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      })
  void whatIsNoAnswerIsUnreachable(String bytes) throws Exception {
    try (WireTarget target = new WireTarget(bytes)) {
      CompletableFuture<Outcome> outcome = start(Deliveries.to(target.url("/")));
      passRetries();

      assertThat(outcome.get(120, SECONDS))
          .isEqualTo(new Outcome.Unreachable("no valid HTTP answer: " + target.url("/"), 30));
    }
  }

  @Test
  void endlessHeadersAreCut() throws Exception {
    String line = "HTTP/1.1 200 OK\r\nX: " + "x".repeat(1 << 20);
    String lines = "HTTP/1.1 200 OK\r\n" + "X: x\r\n".repeat(1_000);
    try (WireTarget target = new WireTarget(line, lines, line)) {
      CompletableFuture<Outcome> outcome = start(Deliveries.to(target.url("/")));
      passRetries();

      assertThat(outcome.get(120, SECONDS))
          .isEqualTo(new Outcome.Unreachable("no valid HTTP answer: " + target.url("/"), 30));
      await().until(() -> target.ended() == 3);
    }
  }

  @Test
  void aSlowBodyMeetsTheTimeLimitOfTheExchange() throws Exception {
    try (WireTarget target = new WireTarget("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{\"a")) {
      CompletableFuture<Outcome> outcome = start(Deliveries.to(target.url("/x")));
      for (int tries = 1; tries <= 3; tries++) {
        int sent = tries;
        await().until(() -> target.requests().size() == sent);
        assertThat(time.waiting()).containsExactly(Duration.ofMinutes(15));
        time.advance(Duration.ofMinutes(15));
        await().until(() -> target.ended() == sent);
        if (tries < 3) {
          passRetry(Duration.ofSeconds(tries));
        }
      }

      assertThat(outcome.get(120, SECONDS))
          .isEqualTo(new Outcome.Unreachable("timed out: " + target.url("/x"), 30));
    }
  }

  @Test
  void anEndlessBodyIsCutAtOneMebibyte() throws Exception {
    String filler = " ".repeat(AnswerConsumer.MAX_BODY);
    try (WireTarget target =
        new WireTarget(
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n" + filler + "{\"ack\":false}",
            "HTTP/1.1 404 X\r\nContent-Length: 99999999\r\n\r\n" + filler + filler,
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n{\"ack\":false}" + filler)) {
      assertThat(deliver(Deliveries.to(target.url("/")))).isEqualTo(new Outcome.Delivered());
      assertThat(deliver(Deliveries.to(target.url("/")))).isInstanceOf(Outcome.Permanent.class);
      assertThat(deliver(Deliveries.to(target.url("/")))).isEqualTo(new Outcome.Deferred(0));
      await().until(() -> target.ended() == 3);
    }
  }

  @Test
  void aBodyOfOneMebibyteIsReadWhole() throws Exception {
    String body = "{\"ack\":false}";
    body += " ".repeat(AnswerConsumer.MAX_BODY - body.length());
    try (WireTarget target = new WireTarget(WireTarget.answer(200, body))) {
      assertThat(deliver(Deliveries.to(target.url("/")))).isEqualTo(new Outcome.Deferred(0));
      assertThat(deliver(Deliveries.to(target.url("/")))).isEqualTo(new Outcome.Deferred(0));
      assertThat(target.connections()).isEqualTo(1);
    }
  }

  @Test
  void closingEndsTheCallsUnderWayAndThoseToCome() throws Exception {
    try (WireTarget target =
        new WireTarget(
            WireTarget.answer(503, ""), "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")) {
      CompletableFuture<Outcome> waitsForRetry = start(Deliveries.to(target.url("/")));
      await().until(() -> time.waiting().equals(List.of(Duration.ofSeconds(1))));
      CompletableFuture<Outcome> waitsForAnswer = start(Deliveries.to(target.url("/")));
      await().until(() -> target.requests().size() == 2);

      mediator.close();

      assertThat(waitsForRetry.get(120, SECONDS)).isInstanceOf(Outcome.Unreachable.class);
      assertThat(waitsForAnswer.get(120, SECONDS)).isInstanceOf(Outcome.Unreachable.class);
      assertThat(start(Deliveries.to(target.url("/"))).get(120, SECONDS))
          .isInstanceOf(Outcome.Unreachable.class);
    }
  }

  @Test
  void aTargetThatFailedTenCallsIsLeftAlone() throws Exception {
    try (WireTarget target = new WireTarget(WireTarget.answer(503, ""))) {
      String url = target.url("/x?q=secret");
      failTogether(9, Deliveries.to(url));
      // 27 tries failed, and they are 9 samples.
      assertThat(mediator.breakers())
          .containsExactly(new BreakerStatus(target.url("/x"), false, 0, 9, 0));
      failTogether(1, Deliveries.to(url));

      assertThat(deliver(Deliveries.to(url))).isEqualTo(new Outcome.CircuitOpen(5));
      assertThat(target.requests()).hasSize(30);
      assertThat(mediator.breakers())
          .containsExactly(new BreakerStatus(target.url("/x"), true, 0, 10, 1));
      time.advance(Duration.ofSeconds(5));
      failTogether(1, Deliveries.to(url));
      assertThat(deliver(Deliveries.to(url))).isEqualTo(new Outcome.CircuitOpen(5));
    }
  }

  @Test
  void otherUrlsOfTheSameHostAreStillCalled() throws Exception {
    try (WireTarget target = new WireTarget(WireTarget.answer(503, ""))) {
      failTogether(10, Deliveries.to(target.url("/x?1")));
      int requests = target.requests().size();
      failTogether(1, Deliveries.to(target.url("/x?2")));

      assertThat(target.requests()).hasSize(requests + 3);
    }
  }

  @Test
  void whatCannotBeCalledHasNoBreaker() {
    for (int i = 0; i < 20; i++) {
      deliver(Deliveries.to("ftp://t.example/"));
      deliver(Deliveries.to("http://t.example/", "a\nb", null));
    }

    assertThat(mediator.breakers()).isEmpty();
  }

  @Test
  void whatIsGivenUpIsNoSample() throws Exception {
    try (WireTarget target = new WireTarget("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")) {
      List<CompletableFuture<Outcome>> calls = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        calls.add(start(Deliveries.to(target.url("/x"))));
      }
      await().until(() -> target.requests().size() == 10);

      mediator.close();

      for (CompletableFuture<Outcome> call : calls) {
        assertThat(call.get(120, SECONDS)).isInstanceOf(Outcome.Unreachable.class);
      }
      assertThat(mediator.breakers())
          .containsExactly(new BreakerStatus(target.url("/x"), false, 0, 0, 0));
    }
  }

  @Test
  void nothingStartsBeforeTheFirstCall() {
    AtomicInteger starts = new AtomicInteger();
    Supplier<HttpTransport.Network> network =
        () -> {
          starts.incrementAndGet();
          return new HttpTransport.Network(Optional.empty(), names);
        };
    try (HttpMediator idle = new HttpMediator(time, HttpOptions.DEFAULT, network)) {
      idle.deliver(Deliveries.to("ftp://t.example/")).toCompletableFuture().join();
    }

    assertThat(starts).hasValue(0);
  }

  private String requestFor(String userInfo, @Nullable String token, @Nullable String secret)
      throws Exception {
    try (WireTarget target = new WireTarget(OK)) {
      String url = "http://" + userInfo + "127.0.0.1:" + target.port() + "/";
      assertThat(deliver(Deliveries.to(url, token, secret))).isEqualTo(new Outcome.Delivered());
      return target.requests().get(0);
    }
  }

  private CompletableFuture<Outcome> start(Delivery delivery) {
    return mediator.deliver(delivery).toCompletableFuture();
  }

  private Outcome deliver(Delivery delivery) {
    return start(delivery).orTimeout(120, SECONDS).join();
  }

  private void failTogether(int calls, Delivery delivery) {
    List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      outcomes.add(start(delivery));
    }
    passRetry(Duration.ofSeconds(1), calls);
    passRetry(Duration.ofSeconds(2), calls);
    outcomes.forEach(
        outcome ->
            assertThat(outcome.orTimeout(120, SECONDS).join())
                .isInstanceOf(Outcome.Unavailable.class));
  }

  private void passRetries() {
    passRetry(Duration.ofSeconds(1));
    passRetry(Duration.ofSeconds(2));
  }

  private void passRetry(Duration wait) {
    passRetry(wait, 1);
  }

  private void passRetry(Duration wait, int calls) {
    await().until(() -> time.waiting().equals(Collections.nCopies(calls, wait)));
    time.advance(wait);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
