package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouterOptionsTest {

  @ParameterizedTest
  @CsvSource({"1, 100", "2, 100", "3, 120", "20, 800"})
  void theBufferHoldsFortyForEachWorkerAndAHundredAtLeast(int concurrency, int capacity) {
    assertThat(RouterOptions.DEFAULTS.withConcurrency(concurrency).capacity()).isEqualTo(capacity);
  }

  @Test
  void whatIsOutOfRangeIsRefusedByName() {
    RouterOptions defaults = RouterOptions.DEFAULTS;

    assertThatIllegalArgumentException()
        .isThrownBy(() -> defaults.withConcurrency(0))
        .withMessage("concurrency: must be from 1 to 10000, was 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> defaults.withBatch(0))
        .withMessageStartingWith("batch:");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> defaults.withPollInterval(Duration.ZERO))
        .withMessage("pollInterval: must be from PT0.001S to PT1H, was PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> defaults.withVisibility(Duration.ZERO))
        .withMessageStartingWith("visibility:");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> defaults.withDrainTime(Duration.ofSeconds(-1)))
        .withMessageStartingWith("drainTime:");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> defaults.withMaxFailures(-1))
        .withMessageStartingWith("maxFailures:");
  }
}
