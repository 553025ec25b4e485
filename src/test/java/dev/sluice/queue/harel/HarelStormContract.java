package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.HarelUnderTest;
import dev.sluice.model.HarelVariant;
import dev.sluice.model.SeedHarel;
import java.time.Duration;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Sessions that publish and claim all at once keep every event, in order, in one hand. */
abstract class HarelStormContract extends HarelContract {

  /** Who takes part, in how much. */
  abstract HarelStormPlan plan();

  @Property(tries = 3, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
  void nothingIsStrandedOutOfOrderOrInTwoHands(
      @ForAll("variant") HarelVariant variant, @ForAll long seed) throws Exception {
    HarelArena arena = arena(variant);

    HarelWitness witness = storm(arena, variant, plan(), seed);

    assertThat(witness.complaints()).as("complaints").isEmpty();
    assertThat(arena.stranded()).as("stranded").isEmpty();
    assertThat(arena.messages()).as("left").isEmpty();
    assertThat(witness.handled()).as("handled").isEqualTo(plan().messages());
  }

  /** Lets a storm rage, beside Python's transport of the version that made the tables. */
  static HarelWitness storm(HarelArena arena, HarelVariant variant, HarelStormPlan plan, long seed)
      throws Exception {
    HarelStorm storm = new HarelStorm(plan, seed);
    try (HarelUnderTest tested = arena.open(HarelStorm::clock);
        HarelUnderTest beside =
            arena.open(SeedHarel.factory(variant.version()), HarelStorm::clock)) {
      StrandWatch watch = arena.watchStrands(storm.witness(), plan.stranded());
      Duration longest;
      try {
        storm.rage(tested, plan.isMixed() ? beside : tested);
      } finally {
        longest = watch.end();
      }
      System.out.printf(
          "storm on %s: %d messages in %d groups, stranded for %d ms at most%n",
          variant, plan.messages(), plan.groups(), longest.toMillis());
    }
    return storm.witness();
  }
}
