package dev.sluice.queue.harel;

import dev.sluice.model.HarelVariant;
import dev.sluice.model.HarelVersion;
import dev.sluice.model.PlainHarel;
import dev.sluice.model.SeedHarel;
import java.util.List;
import net.jqwik.api.Group;

/**
 * Tests the tests: the seed's own statements keep every contract as far as they go, and the
 * plainest statements keep all of it.
 */
class SeedHarelTest {
  private final HarelVariant seed = new HarelVariant("seed", SeedHarel.factory(HarelVersion.SEED));
  private final HarelVariant later =
      new HarelVariant("0.9", SeedHarel.factory(HarelVersion.V0_9)).prefixed("harel");
  private final HarelVariant plain = new HarelVariant("plain", PlainHarel::new);
  private final List<HarelVariant> all =
      List.of(
          seed,
          seed.comparingAsPeopleDo(),
          later,
          plain,
          plain.prefixed("p9_"),
          plain.comparingAsPeopleDo());

  @Group
  class OneAfterTheOther extends HarelModelContract {
    @Override
    List<HarelVariant> variants() {
      return all;
    }
  }

  @Group
  class StormAlone extends HarelStormContract {
    @Override
    List<HarelVariant> variants() {
      return List.of(later, plain);
    }

    @Override
    HarelStormPlan plan() {
      return HarelStormPlan.ALONE;
    }
  }

  @Group
  class StormBesidePython extends HarelStormContract {
    @Override
    List<HarelVariant> variants() {
      return List.of(later);
    }

    @Override
    HarelStormPlan plan() {
      return HarelStormPlan.BESIDE;
    }
  }
}
