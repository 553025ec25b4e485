package dev.sluice.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BackoffTest {

  static Iterable<JsonNode> vectors() {
    return Vectors.read("backoff.json");
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void followsTheCurvesOfTheGoRouter(JsonNode vector) {
    Backoff curve =
        switch (vector.get("curve").asText()) {
          case "rateLimited" -> Backoff.RATE_LIMITED;
          case "deferred" -> Backoff.DEFERRED;
          default -> throw new AssertionError(vector);
        };
    JsonNode delays = vector.get("delayMillisByAttempt");

    assertThat(delays).isNotEmpty();
    for (int retry = 0; retry < delays.size(); retry++) {
      assertThat(curve.delay(retry, vector.get("floorSeconds").asLong()))
          .as("retry %s", retry)
          .isEqualTo(Duration.ofMillis(delays.get(retry).asLong()));
    }
  }

  @Test
  void theLimitIsAboveWhateverIsAskedFor() {
    assertThat(Backoff.DEFERRED.delay(0, 4_294_967_295L)).isEqualTo(Duration.ofSeconds(60));
    assertThat(Backoff.RATE_LIMITED.delay(0, Long.MAX_VALUE)).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void neverOverflows() {
    assertThat(Backoff.RATE_LIMITED.delay(Integer.MAX_VALUE, 0)).isEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void refusesNegativeNumbers() {
    assertThatIllegalArgumentException().isThrownBy(() -> Backoff.DEFERRED.delay(-1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> Backoff.DEFERRED.delay(0, -1));
  }
}
