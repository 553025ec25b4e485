package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.HarelUnderTest;
import dev.sluice.model.HarelVariant;
import dev.sluice.model.HarelVersion;
import dev.sluice.model.PlainHarel;
import dev.sluice.model.SeedHarel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the tests: a storm finds what only sessions at once do wrong. */
class HarelStormTest {
  private static final long SEED = 2026;

  private static final HarelStormPlan SHORT =
      new HarelStormPlan(
          4, 4, 0, 0, 10, 400, 10, Duration.ZERO, Duration.ofSeconds(1), Duration.ofMinutes(2));

  private static final int STORMS = 30;

  @Test
  void theSeedStrandsMessages() throws Exception {
    HarelVariant seed = new HarelVariant("seed", SeedHarel.factory(HarelVersion.SEED));

    assertNoticed("stranded", seed, HarelStormPlan.ALONE.withPatience(Duration.ofSeconds(3)));
  }

  @Test
  void aGroupInTwoHandsIsNoticed() throws Exception {
    assertNoticed("in two hands", mistaken("lock_expiry < ?", "lock_expiry < ? + 1000"), SHORT);
  }

  @Test
  void anEventOutOfOrderIsNoticed() throws Exception {
    assertNoticed("out of order", mistaken("ORDER BY seq LIMIT", "ORDER BY seq DESC LIMIT"), SHORT);
  }

  /** Not each storm brings the sessions together in the right moment; one of several does. */
  private static void assertNoticed(String complaint, HarelVariant variant, HarelStormPlan plan)
      throws Exception {
    List<String> complaints = new ArrayList<>();
    for (int storm = 0; storm < STORMS; storm++) {
      try (HarelArena arena = new HarelArena(variant)) {
        complaints.addAll(
            HarelStormContract.storm(arena, variant, plan, SEED + storm).complaints());
      }
      if (complaints.toString().contains(complaint)) {
        return;
      }
    }
    assertThat(complaints).asString().contains(complaint);
  }

  private static HarelVariant mistaken(String right, String wrong) {
    HarelUnderTest.Factory factory =
        (dataSource, names, epochSeconds) ->
            new PlainHarel(dataSource, names, epochSeconds, sql -> sql.replace(right, wrong));
    return new HarelVariant("mistaken", factory);
  }
}
