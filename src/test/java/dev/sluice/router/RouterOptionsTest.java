package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RouterOptionsTest {

  @Test
  void whatIsOutOfRangeIsRefusedByName() {
    RouterOptions defaults = RouterOptions.DEFAULTS;

    assertThatIllegalArgumentException()
        .isThrownBy(() -> defaults.withBatch(0))
        .withMessageStartingWith("batch:");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> defaults.withPollInterval(Duration.ZERO))
        .withMessage("pollInterval: must be from PT0.001S to PT1H, was PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> defaults.withMaxDeferral(Duration.ofSeconds(4)))
        .withMessageStartingWith("maxDeferral:");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> defaults.withDrainTime(Duration.ofSeconds(-1)))
        .withMessageStartingWith("drainTime:");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> defaults.withMaxFailures(-1))
        .withMessageStartingWith("maxFailures:");
  }
}
