package dev.sluice.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerClassifierTest {
  private static final String TARGET = "http://t.example/hook";

  static Stream<JsonNode> vectors() {
    return Vectors.read("outcomes.json");
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void anAnswerMeansWhatItMeansInGo(JsonNode vector) {
    Outcome outcome =
        AnswerClassifier.classify(
            new Answer(
                vector.get("status").intValue(),
                Optional.ofNullable(vector.get("headers").get("Retry-After"))
                    .map(JsonNode::textValue),
                vector.get("body").textValue()),
            TARGET);

    assertThat(outcome).isEqualTo(expected(vector));
    assertThat(AnswerClassifier.isTriedAgain(outcome)).isEqualTo(vector.has("attempts"));
  }

  private static Outcome expected(JsonNode vector) {
    int delay = vector.get("delaySeconds").intValue();
    String reason = vector.get("status").intValue() + " from " + TARGET;
    return switch (vector.get("outcome").textValue()) {
      case "delivered" ->
          vector.path("flushGroup").booleanValue()
              ? new Outcome.DeliveredAndFlush(vector.get("flushSeconds").intValue())
              : new Outcome.Delivered();
      case "deferred" -> new Outcome.Deferred(delay);
      case "permanent" ->
          new Outcome.Permanent(reason, vector.get("warning").textValue().equals("CRITICAL"));
      case "rateLimited" -> new Outcome.RateLimited(delay);
      case "unavailable" -> new Outcome.Unavailable(reason, delay);
      case "processError" -> new Outcome.ProcessError(reason, delay);
      default -> throw new IllegalArgumentException(vector.toString());
    };
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"ACK\":false}",
        "{\"ac\u212a\":false}",
        "{\"\\u0061ck\":false}",
        "{\"ack\":true,\"ack\":false}",
        "{\"ack\":null,\"Ack\":false}",
        " {\"x\":{\"ack\":true},\"ack\":false,\"y\":[1,{}]}\r\n\t",
        "{\"ack\":false,\"flushGroup\":null}",
        "{\"ack\":false,\"note\":\"\ufffd\\ud800\"}",
        "{\"ack\":false,\"delaySeconds\":4294967296}",
        "{\"ack\":false,\"delaySeconds\":99999999999999999999}",
        "{\"ack\":false,\"delaySeconds\":1.0}",
        "{\"ack\":false,\"delaySeconds\":1e1}",
        "{\"ack\":false,\"delaySeconds\":[5]}",
        "{\"ack\":false,\"delaySeconds\":true}",
        "{\"ack\":false,\"delaySeconds\":5,\"delaySeconds\":null}",
      })
  void whatGoReadsAsAckFalseIsDeferred(String body) {
    assertThat(classify(200, body)).isEqualTo(new Outcome.Deferred(0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "false",
        "{\"ack\":false,\"ack\":true}",
        "{\"ack\":false,\"ACK\":null}",
        "{\"ack\":0,\"ack\":false}",
        "{\"ack\":false,\"flushGroup\":\"no\"}",
        "{\"ack\":false} x",
        "{\"ack\":false}{}",
        "{\"ack\":false,}",
        "{'ack':false}",
        "{ack:false}",
        "{\"ack\":false/**/}",
        "[{\"ack\":false}]",
        "{\"x\":{\"ack\":false}}",
        "{\"a\u00e7k\":false}",
        "\ufeff{\"ack\":false}",
        "{\"ack\":false,\"x\":01}",
        "{\"ack\":false,\"x\":\"\n\"}",
        "{\"ack\":false,\"x\":NaN}",
      })
  void whatGoDoesNotReadAsAckFalseIsDelivered(String body) {
    assertThat(classify(200, body)).isEqualTo(new Outcome.Delivered());
  }

  @Test
  void theLongestDelayIsKept() {
    assertThat(classify(200, "{\"ack\":false,\"DELAYSECONDS\":4294967295}"))
        .isEqualTo(new Outcome.Deferred(4294967295L));
  }

  @Test
  void aFlushForNoTimeLastsTheDefault() {
    assertThat(classify(200, "{\"flushGroup\":true,\"delaySeconds\":0}"))
        .isEqualTo(new Outcome.DeliveredAndFlush(60));
  }

  @Test
  void deepNestingIsReadAsFarAsGoReadsIt() {
    String deep = "[".repeat(9_000) + "]".repeat(9_000);
    String tooDeep = "[".repeat(10_001) + "]".repeat(10_001);

    assertThat(classify(200, "{\"x\":" + deep + ",\"ack\":false}"))
        .isEqualTo(new Outcome.Deferred(0));
    assertThat(classify(200, "{\"x\":" + tooDeep + ",\"ack\":false}"))
        .isEqualTo(new Outcome.Delivered());
  }

  @Test
  void longNumbersAndNamesAreRead() {
    String ones = "1".repeat(100_000);

    assertThat(classify(200, "{\"" + ones + "\":" + ones + ",\"ack\":false}"))
        .isEqualTo(new Outcome.Deferred(0));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "7, 7",
    "007, 7",
    "+7, 30",
    "-7, 30",
    "7.5, 30",
    "'', 30",
    "7s, 30",
    "٧, 30",
    "9999999999, 9999999999",
    "99999999999999999999, 30"
  })
  void retryAfterIsDigitsOnly(String header, long seconds) {
    assertThat(AnswerClassifier.classify(new Answer(429, Optional.of(header), ""), TARGET))
        .isEqualTo(new Outcome.RateLimited(seconds));
  }

  @Test
  void statusesOutsideTheClassesOfHttpAreFailures() {
    assertThat(classify(101, ""))
        .isEqualTo(new Outcome.Unreachable("101 from http://t.example/hook", 30));
    assertThat(classify(999, ""))
        .isEqualTo(new Outcome.ProcessError("999 from http://t.example/hook", 30));
  }

  private static Outcome classify(int status, String body) {
    return AnswerClassifier.classify(new Answer(status, Optional.empty(), body), TARGET);
  }
}
