package dev.sluice.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class HttpOptionsTest {

  @Test
  void theDefaultsAreGos() {
    assertThat(HttpOptions.DEFAULT)
        .isEqualTo(
            new HttpOptions(Duration.ofSeconds(30), Duration.ofMinutes(15), AllowedTargets.ANY));
  }

  @Test
  void anOptionOutOfRangeIsNamed() {
    assertThatThrownBy(
            () -> new HttpOptions(Duration.ZERO, Duration.ofSeconds(1), AllowedTargets.ANY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("connect timeout must be 1 ms to 1 day, not PT0S");
    assertThatThrownBy(
            () -> new HttpOptions(Duration.ofSeconds(1), Duration.ofDays(2), AllowedTargets.ANY))
        .hasMessage("exchange timeout must be 1 ms to 1 day, not PT48H");
  }
}
