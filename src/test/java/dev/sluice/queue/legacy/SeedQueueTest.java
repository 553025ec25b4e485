package dev.sluice.queue.legacy;

import dev.sluice.model.SeedQueue;
import dev.sluice.model.Variant;
import java.util.List;
import net.jqwik.api.Group;

/** Tests the tests: the seed's own statements keep every contract that ours is held to. */
class SeedQueueTest {
  private final Variant seed = new Variant("seed", Variant.Setup.NONE, SeedQueue::new);
  private final List<Variant> all = List.of(seed, seed.comparingAsPeopleDo());

  @Group
  class Claims extends ClaimContract {
    @Override
    List<Variant> variants() {
      return all;
    }
  }

  @Group
  class OneSession extends SessionModelContract {
    @Override
    List<Variant> variants() {
      return all;
    }
  }

  @Group
  class ManySessions extends ManySessionsContract {
    @Override
    List<Variant> variants() {
      return all;
    }
  }

  @Group
  class Deadlocks extends DeadlockContract {
    @Override
    List<Variant> variants() {
      return all;
    }
  }
}
