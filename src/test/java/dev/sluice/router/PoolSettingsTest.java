package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolSettingsTest {

  @ParameterizedTest
  @CsvSource({"1, 100", "2, 100", "3, 120", "20, 800"})
  void theBufferHoldsFortyForEachWorkerAndAHundredAtLeast(int concurrency, int capacity) {
    assertThat(PoolSettings.of("p", concurrency).capacity()).isEqualTo(capacity);
  }

  @ParameterizedTest
  @CsvSource({"600, 10", "59, 1", "60, 1", "119, 1", "120, 2", "2000000, 10000"})
  void noConcurrencyIsASixtiethOfTheRate(int perMinute, int concurrency) {
    assertThat(new PoolSettings("p", 0, OptionalInt.of(perMinute)).concurrency())
        .isEqualTo(concurrency);
  }

  @Test
  void noConcurrencyAndNoRateIsOne() {
    assertThat(PoolSettings.of("p", 0).concurrency()).isEqualTo(1);
  }

  @Test
  void whatIsOutOfRangeIsRefusedByName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PoolSettings.of("p", 10_001))
        .withMessage("pool p: concurrency must be from 0 to 10000, was 10001");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PoolSettings.of("p", 1).perMinute(0))
        .withMessage("pool p: rate per minute must be from 1, was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PoolSettings.of("", 1))
        .withMessage("pool code: must not be empty");
  }
}
