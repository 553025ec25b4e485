package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecondsTest {

  @ParameterizedTest
  @CsvSource({
    "0,PT0S",
    "120,PT2M",
    "0.5,PT0.5S",
    "500ms,PT0.5S",
    "2s,PT2S",
    "15m,PT15M",
    "2h,PT2H"
  })
  void aNumberIsSecondsUnlessItHasAUnit(String text, Duration expected) {
    assertThat(Seconds.parse(text).duration()).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "soon", "1d", "1 2", "9999999999"})
  void anythingElseIsRefused(String text) {
    assertThatThrownBy(() -> Seconds.parse(text)).hasMessageContaining("is no time");
  }

  @Test
  void theLongestTimeFits() {
    assertThat(Seconds.parse("999999999h").duration()).isEqualTo(Duration.ofHours(999_999_999));
  }
}
