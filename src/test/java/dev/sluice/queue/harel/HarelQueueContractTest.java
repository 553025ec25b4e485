package dev.sluice.queue.harel;

import dev.sluice.model.HarelNames;
import dev.sluice.model.HarelVariant;
import dev.sluice.queue.SchemaReport;
import dev.sluice.testing.OneConnection;
import java.sql.Connection;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Group;

/**
 * Ours against the model and beside the seed's: with the claim indexes and without, with the guard
 * triggers, and on the tables of harel 0.9.
 */
class HarelQueueContractTest {
  private final HarelVariant plain = ours("plain", HarelQueueContractTest::init);
  private final HarelVariant indexed = ours("indexed", HarelQueueContractTest::index);
  private final HarelVariant guarded = ours("guarded", HarelQueueContractTest::guard);
  private final List<HarelVariant> all =
      Stream.of(plain, indexed, guarded, indexed.prefixed("harel"))
          .flatMap(variant -> Stream.of(variant, variant.comparingAsPeopleDo()))
          .toList();

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
      return List.of(plain, indexed, guarded);
    }

    @Override
    HarelStormPlan plan() {
      return HarelStormPlan.ALONE.asLongAsAskedFor();
    }
  }

  @Group
  class StormBesidePython extends HarelStormContract {
    @Override
    List<HarelVariant> variants() {
      return List.of(indexed, indexed.prefixed("harel"));
    }

    @Override
    HarelStormPlan plan() {
      return HarelStormPlan.BESIDE.asLongAsAskedFor();
    }
  }

  @Group
  class GuardedStormBesidePython extends HarelStormContract {
    @Override
    List<HarelVariant> variants() {
      return List.of(guarded);
    }

    @Override
    HarelStormPlan plan() {
      return HarelStormPlan.GUARDED.asLongAsAskedFor();
    }
  }

  private static HarelVariant ours(String name, HarelVariant.Setup setup) {
    HarelVariant variant = new HarelVariant(name, OurHarel::new);
    return new HarelVariant(name, variant.names(), variant.version(), setup, variant.factory());
  }

  private static HarelQueue queue(Connection connection, HarelNames names) {
    HarelQueue.Builder builder = HarelQueue.builder(new OneConnection(connection));
    String tables = names.tables();
    return (tables.isEmpty() ? builder : builder.prefix(tables.substring(0, tables.length() - 1)))
        .build();
  }

  private static void init(Connection connection, HarelNames names) {
    queue(connection, names).initSchema();
  }

  private static void index(Connection connection, HarelNames names) {
    init(connection, names);
    queue(connection, names).admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
  }

  private static void guard(Connection connection, HarelNames names) {
    index(connection, names);
    queue(connection, names).admin().createExtra(SchemaReport.Extra.GUARD);
  }
}
