package dev.sluice.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerClassifierTest {
  private static final String TARGET = "http://t.example/hook";

  static Iterable<JsonNode> vectors() {
    return Vectors.read("outcomes.json");
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void readsAnswersAsTheGoRouterDoes(JsonNode vector) {
    JsonNode retryAfter = vector.at("/headers/Retry-After");
    int status = vector.get("status").asInt();
    Outcome outcome =
        classify(
            status,
            retryAfter.isMissingNode() ? Optional.empty() : Optional.of(retryAfter.asText()),
            vector.get("body").asText());

    assertThat(outcome).isEqualTo(expected(vector, status + " from " + TARGET));
    assertThat(AnswerClassifier.isTriedAgain(outcome))
        .isEqualTo(vector.path("attempts").asInt(1) == 3);
  }

  private static Outcome expected(JsonNode vector, String reason) {
    int delaySeconds = vector.get("delaySeconds").asInt();
    return switch (vector.get("outcome").asText()) {
      case "delivered" ->
          vector.path("flushGroup").asBoolean()
              ? new Outcome.DeliveredAndFlush(vector.get("flushSeconds").asInt())
              : new Outcome.Delivered();
      case "deferred" -> new Outcome.Deferred(delaySeconds);
      case "permanent" ->
          new Outcome.Permanent(reason, vector.get("warning").asText().equals("CRITICAL"));
      case "rateLimited" -> new Outcome.RateLimited(delaySeconds);
      case "unavailable" -> new Outcome.Unavailable(reason, delaySeconds);
      case "processError" -> new Outcome.ProcessError(reason, delaySeconds);
      default -> throw new AssertionError(vector);
    };
  }

  @Test
  void aStatusBelow200IsNoAnswer() {
    assertThat(classify(101, Optional.empty(), ""))
        .isEqualTo(new Outcome.Unreachable("101 from http://t.example/hook", 30));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"ACK\":false}",
        " {\"x\":[{\"ack\":true}],\"Ack\":false}\n",
        "{\"ac\\u212a\":false}",
        "{\"ack\":true,\"ack\":false}",
        "{\"ack\":false,\"delaySeconds\":4294967296}",
        "{\"ack\":false,\"delaySeconds\":1.5}",
        "{\"ack\":false,\"delaySeconds\":1e1}",
        "{\"ack\":false,\"delaySeconds\":-0}",
        "{\"ack\":false,\"delaySeconds\":true}",
        "{\"ack\":false,\"delaySeconds\":{\"ack\":true}}",
        "{\"ack\":false,\"delaySeconds\":12,\"delaySeconds\":\"later\"}",
        "{\"ack\":false,\"delaySeconds\":99999999999999999999999999}",
        "{\"ack\":false,\"flushGroup\":null}"
      })
  void aDeferralWithoutAUsableDelayHasNone(String body) {
    assertThat(classify(200, Optional.empty(), body)).isEqualTo(new Outcome.Deferred(0));
  }

  @Test
  void aDeferralMayAskForAllThatFitsInto32Bits() {
    assertThat(classify(200, Optional.empty(), "{\"ack\":false,\"DELAYSECONDS\":4294967295}"))
        .isEqualTo(new Outcome.Deferred(4_294_967_295L));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "false",
        "\"ack\"",
        "[{\"ack\":false}]",
        "{\"ack\":0}",
        "{\"ack\":{}}",
        "{\"ack\":[false]}",
        "{\"ack\":false,\"ack\":null}",
        "{\"ack\":false,\"ack\":1}",
        "{\"ack\":false,\"flushGroup\":1}",
        "{\"flushGroup\":\"true\"}",
        "{\"flushGroup\":false}",
        "{\"ack\":false",
        "{\"ack\":false,}",
        "{\"ack\":false} x",
        "{\"ack\":false}{}",
        "{'ack':false}",
        "{\"answer\":{\"ack\":false}}"
      })
  void whatGoDoesNotDecodeIsDelivered(String body) {
    assertThat(classify(200, Optional.empty(), body)).isEqualTo(new Outcome.Delivered());
  }

  @Test
  void aBodyThatNestsTooDeepIsDelivered() {
    String body = "{\"ack\":false,\"x\":" + "[".repeat(500_000) + "]".repeat(500_000) + "}";

    assertThat(classify(200, Optional.empty(), body)).isEqualTo(new Outcome.Delivered());
  }

  @Test
  void aFlushWithoutAUsableDelayLastsAMinute() {
    assertThat(classify(200, Optional.empty(), "{\"flushgroup\":true,\"delaySeconds\":0}"))
        .isEqualTo(new Outcome.DeliveredAndFlush(60));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "007, 7",
    "-5, 30",
    "+5, 30",
    "'', 30",
    "1.5, 30",
    "\u0661, 30",
    "999999999999999999, 999999999999999999",
    "9999999999999999999, 30"
  })
  void onlyDigitsCountAsRetryAfter(String retryAfter, long seconds) {
    assertThat(classify(429, Optional.of(retryAfter), ""))
        .isEqualTo(new Outcome.RateLimited(seconds));
  }

  private static Outcome classify(int status, Optional<String> retryAfter, String body) {
    return AnswerClassifier.classify(new Answer(status, retryAfter, body), TARGET);
  }
}
