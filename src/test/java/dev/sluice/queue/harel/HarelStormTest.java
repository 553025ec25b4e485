package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.HarelUnderTest;
import dev.sluice.model.HarelVariant;
import dev.sluice.model.HarelVersion;
import dev.sluice.model.PlainHarel;
import dev.sluice.model.SeedHarel;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests the tests: a storm finds what only sessions at once do wrong. */
class HarelStormTest {
  private static final long SEED = 2026;

  private static final HarelStormPlan SHORT =
      new HarelStormPlan(
          4, 4, 0, 0, 10, 400, 10, Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(20));

  @Test
  void theSeedStrandsMessages() throws Exception {
    HarelVariant seed = new HarelVariant("seed", SeedHarel.factory(HarelVersion.SEED));

    try (HarelArena arena = new HarelArena(seed)) {
      HarelWitness witness = HarelStormContract.storm(arena, seed, HarelStormPlan.ALONE, SEED);

      assertThat(witness.complaints()).asString().contains("stranded");
    }
  }

  @Test
  void aGroupInTwoHandsIsNoticed() throws Exception {
    assertThat(complaints("lock_expiry < ?", "lock_expiry < ? + 1000")).contains("in two hands");
  }

  @Test
  void anEventOutOfOrderIsNoticed() throws Exception {
    assertThat(complaints("ORDER BY seq LIMIT", "ORDER BY seq DESC LIMIT"))
        .contains("out of order");
  }

  private static String complaints(String right, String wrong) throws Exception {
    HarelUnderTest.Factory factory =
        (dataSource, names, epochSeconds) ->
            new PlainHarel(dataSource, names, epochSeconds, sql -> sql.replace(right, wrong));
    HarelVariant mistaken = new HarelVariant("mistaken", factory);
    try (HarelArena arena = new HarelArena(mistaken)) {
      return HarelStormContract.storm(arena, mistaken, SHORT, SEED).complaints().toString();
    }
  }
}
