package dev.sluice.router;

import static dev.sluice.testing.Patience.await;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.delivery.BreakerStatus;
import dev.sluice.delivery.HttpMediator;
import dev.sluice.delivery.HttpOptions;
import dev.sluice.delivery.Outcome;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.Receipt;
import dev.sluice.router.Disposition.Ack;
import dev.sluice.router.Disposition.AckAndFlush;
import dev.sluice.router.Disposition.HandBack;
import dev.sluice.router.Disposition.Reject;
import dev.sluice.router.Disposition.Release;
import dev.sluice.router.Disposition.RetryInPlace;
import dev.sluice.router.RouterOptions.On5xx;
import dev.sluice.time.ManualTime;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of outcomes, from what a target answers to what becomes of message and breaker. */
@Timeout(300)
class OutcomeTableTest {
  private static final DispositionRule RULE = new DispositionRule(true, On5xx.RELEASE, 0);
  private static final int TRIES = 3;

  private final ManualTime time = new ManualTime(Instant.EPOCH);
  private final HttpMediator mediator = new HttpMediator(time, HttpOptions.DEFAULT);
  private final AtomicInteger requests = new AtomicInteger();
  private HttpServer target;

  @BeforeEach
  void open() throws IOException {
    target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    target.start();
  }

  @AfterEach
  void close() {
    mediator.close();
    target.stop(0);
  }

  static Stream<JsonNode> vectors() throws IOException {
    JsonNode all = new ObjectMapper().readTree(new File("fixtures/vectors/outcomes.json"));
    return StreamSupport.stream(all.spliterator(), false);
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void eachAnswerOfTheVectorsHasItsConsequences(JsonNode vector) {
    answer(vector);
    int tries = vector.path("attempts").asInt(1);

    Disposition disposition = RULE.decide(call(tries), 1, 1);

    assertThat(requests).hasValue(tries);
    assertThat(action(disposition)).isEqualTo(vector.get("action").asText());
    if (disposition instanceof HandBack handBack) {
      assertThat(handBack.delay()).isEqualTo(seconds(vector.get("delaySeconds")));
    }
    assertThat(disposition instanceof AckAndFlush)
        .isEqualTo(vector.path("flushGroup").booleanValue());
    if (disposition instanceof AckAndFlush flush) {
      assertThat(flush.time()).isEqualTo(seconds(vector.get("flushSeconds")));
    }
    if (disposition instanceof Reject reject) {
      assertThat(reject.critical()).isEqualTo(vector.get("warning").asText().equals("CRITICAL"));
    }
    assertThat(mediator.breakers()).containsExactly(breaker(vector.get("breaker").asText()));
  }

  @Test
  void noAnswerReleasesAndIsAFailure() {
    target.createContext("/", HttpExchange::close);

    assertThat(RULE.decide(call(TRIES), 1, 1))
        .isInstanceOfSatisfying(
            Release.class,
            release -> assertThat(release.delay()).isEqualTo(Duration.ofSeconds(30)));
    assertThat(mediator.breakers()).containsExactly(breaker("failure"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"http:///x", "http://t.example/%zz", "ftp://t.example/"})
  void whatCannotBeCalledIsRejectedAndHasNoBreaker(String url) {
    Outcome outcome = mediator.deliver(delivery(url)).toCompletableFuture().join();

    assertThat(RULE.decide(outcome, 1, 1))
        .isInstanceOfSatisfying(Reject.class, reject -> assertThat(reject.critical()).isFalse());
    assertThat(mediator.breakers()).isEmpty();
  }

  @Test
  void anOpenBreakerReleasesForItsResetTimeWithoutACall() {
    target.createContext("/", exchange -> reply(exchange, 503, ""));
    for (int i = 0; i < 10; i++) {
      call(TRIES);
    }
    time.advance(Duration.ofMillis(1500));

    Outcome outcome = call(1);

    assertThat(RULE.decide(outcome, 1, 0))
        .isEqualTo(new Release(Duration.ofSeconds(4), "circuit open"));
    assertThat(DispositionRule.isFailure(outcome)).isFalse();
    assertThat(requests).hasValue(30);
    assertThat(mediator.breakers()).containsExactly(new BreakerStatus(url(), true, 0, 10, 1));
  }

  private Outcome call(int tries) {
    CompletableFuture<Outcome> outcome = mediator.deliver(delivery(url())).toCompletableFuture();
    for (int wait = 1; wait < tries; wait++) {
      Duration pause = Duration.ofSeconds(wait);
      await().pollInterval(Duration.ofMillis(5)).until(() -> time.waiting().equals(List.of(pause)));
      time.advance(pause);
    }
    return outcome.orTimeout(10, SECONDS).join();
  }

  private void answer(JsonNode vector) {
    target.createContext(
        "/",
        exchange -> {
          vector
              .get("headers")
              .forEachEntry(
                  (name, value) -> exchange.getResponseHeaders().add(name, value.asText()));
          reply(exchange, vector.get("status").asInt(), vector.get("body").asText());
        });
  }

  private void reply(HttpExchange exchange, int status, String body) throws IOException {
    try (exchange) {
      requests.incrementAndGet();
      exchange.getRequestBody().readAllBytes();
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private BreakerStatus breaker(String sample) {
    return new BreakerStatus(
        url(), false, sample.equals("success") ? 1 : 0, sample.equals("failure") ? 1 : 0, 0);
  }

  private String url() {
    return "http://127.0.0.1:" + target.getAddress().getPort() + "/hook";
  }

  private static Delivery delivery(String url) {
    return new Delivery(
        Message.of("m-1", url),
        Delivery.Kind.MESSAGE,
        "{}",
        new Receipt("r:1"),
        "m-1",
        "q",
        "m-1",
        1,
        Instant.EPOCH,
        Instant.EPOCH);
  }

  private static Duration seconds(JsonNode number) {
    return Duration.ofSeconds(number.asLong());
  }

  private static String action(Disposition disposition) {
    if (disposition instanceof Ack || disposition instanceof AckAndFlush) {
      return "ack";
    }
    if (disposition instanceof RetryInPlace) {
      return "retryInPlace";
    }
    return disposition instanceof Reject ? "reject" : "release";
  }
}
