package dev.sluice.queue.contract;

import dev.sluice.queue.legacy.LegacyQueue.Groups;
import org.junit.jupiter.api.Nested;

/** The contract on {@code queue_messages}, with groups as Go claims them and exclusive ones. */
class LegacyContractTest {
  private static final Backend RELAXED = new LegacyBackend(Groups.RELAXED);
  private static final Backend EXCLUSIVE = new LegacyBackend(Groups.EXCLUSIVE);

  @Nested
  class Polls extends PollContract {
    @Override
    Backend backend() {
      return RELAXED;
    }
  }

  @Nested
  class Settling extends SettleContract {
    @Override
    Backend backend() {
      return RELAXED;
    }
  }

  @Nested
  class Returns extends ReturnContract {
    @Override
    Backend backend() {
      return RELAXED;
    }
  }

  @Nested
  class Publishing extends PublishContract {
    @Override
    Backend backend() {
      return RELAXED;
    }
  }

  @Nested
  class Quarantine extends QuarantineContract {
    @Override
    Backend backend() {
      return RELAXED;
    }
  }

  @Nested
  class Blocking extends BlockedContract {
    @Override
    Backend backend() {
      return RELAXED;
    }
  }

  @Nested
  class ExclusiveBlocking extends BlockedContract {
    @Override
    Backend backend() {
      return EXCLUSIVE;
    }
  }

  @Nested
  class BlockedStorm extends BlockedStormContract {
    @Override
    Backend backend() {
      return RELAXED;
    }
  }

  @Nested
  class Waking extends WakeUpContract {
    @Override
    Backend backend() {
      return RELAXED;
    }
  }

  @Nested
  class Looking extends LookContract {
    @Override
    Backend backend() {
      return RELAXED;
    }
  }

  @Nested
  class Schema extends SchemaContract {
    @Override
    Backend backend() {
      return RELAXED;
    }
  }

  @Nested
  class Life extends LifeContract {
    @Override
    Backend backend() {
      return RELAXED;
    }
  }

  @Nested
  class ExclusivePolls extends PollContract {
    @Override
    Backend backend() {
      return EXCLUSIVE;
    }
  }

  @Nested
  class ExclusiveReturns extends ReturnContract {
    @Override
    Backend backend() {
      return EXCLUSIVE;
    }
  }
}
