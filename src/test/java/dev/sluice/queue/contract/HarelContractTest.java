package dev.sluice.queue.contract;

import java.util.Optional;
import org.junit.jupiter.api.Nested;

/** The contract on the harel tables: bare messages, and events of a kind in tables of a prefix. */
class HarelContractTest {
  private static final Backend BARE = new HarelBackend(Optional.empty(), Optional.empty());
  private static final Backend EVENTS =
      new HarelBackend(Optional.of("harel"), Optional.of("sluice.message"));

  @Nested
  class Polls extends PollContract {
    @Override
    Backend backend() {
      return BARE;
    }
  }

  @Nested
  class Settling extends SettleContract {
    @Override
    Backend backend() {
      return BARE;
    }
  }

  @Nested
  class Returns extends ReturnContract {
    @Override
    Backend backend() {
      return BARE;
    }
  }

  @Nested
  class Publishing extends PublishContract {
    @Override
    Backend backend() {
      return BARE;
    }
  }

  @Nested
  class Quarantine extends QuarantineContract {
    @Override
    Backend backend() {
      return BARE;
    }
  }

  @Nested
  class Blocking extends BlockedContract {
    @Override
    Backend backend() {
      return BARE;
    }
  }

  @Nested
  class EventBlocking extends BlockedContract {
    @Override
    Backend backend() {
      return EVENTS;
    }
  }

  @Nested
  class BlockedStorm extends BlockedStormContract {
    @Override
    Backend backend() {
      return BARE;
    }
  }

  @Nested
  class Waking extends WakeUpContract {
    @Override
    Backend backend() {
      return BARE;
    }
  }

  @Nested
  class EventWaking extends WakeUpContract {
    @Override
    Backend backend() {
      return EVENTS;
    }
  }

  @Nested
  class Looking extends LookContract {
    @Override
    Backend backend() {
      return BARE;
    }
  }

  @Nested
  class Schema extends SchemaContract {
    @Override
    Backend backend() {
      return BARE;
    }
  }

  @Nested
  class Life extends LifeContract {
    @Override
    Backend backend() {
      return BARE;
    }
  }

  @Nested
  class EventPolls extends PollContract {
    @Override
    Backend backend() {
      return EVENTS;
    }
  }

  @Nested
  class EventPublishing extends PublishContract {
    @Override
    Backend backend() {
      return EVENTS;
    }
  }

  @Nested
  class EventQuarantine extends QuarantineContract {
    @Override
    Backend backend() {
      return EVENTS;
    }
  }

  @Nested
  class EventSchema extends SchemaContract {
    @Override
    Backend backend() {
      return EVENTS;
    }
  }
}
