package dev.sluice.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BackoffTest {

  static Stream<JsonNode> vectors() {
    return Vectors.read("backoff.json");
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void itIsGos(JsonNode vector) {
    Backoff backoff =
        vector.get("curve").textValue().equals("deferred")
            ? Backoff.DEFERRED
            : Backoff.RATE_LIMITED;
    JsonNode delays = vector.get("delayMillisByAttempt");

    for (int retry = 0; retry < delays.size(); retry++) {
      assertThat(backoff.delay(retry, vector.get("floorSeconds").longValue()))
          .as("retry %d", retry)
          .hasMillis(delays.get(retry).longValue());
    }
  }

  @Test
  void hugeNumbersStayAtTheLimit() {
    assertThat(Backoff.DEFERRED.delay(Integer.MAX_VALUE, Long.MAX_VALUE)).hasSeconds(60);
    assertThat(Backoff.RATE_LIMITED.delay(0, Long.MAX_VALUE)).hasSeconds(300);
  }

  @Test
  void negativeNumbersAreRefused() {
    assertThatThrownBy(() -> Backoff.DEFERRED.delay(-1, 0)).hasMessage("retry is negative: -1");
    assertThatThrownBy(() -> Backoff.DEFERRED.delay(0, -1))
        .hasMessage("floorSeconds is negative: -1");
  }
}
