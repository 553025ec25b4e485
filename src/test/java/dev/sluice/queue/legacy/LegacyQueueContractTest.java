package dev.sluice.queue.legacy;

import dev.sluice.model.QueueUnderTest;
import dev.sluice.model.Variant;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.legacy.LegacyQueue.Groups;
import dev.sluice.testing.OneConnection;
import java.sql.Connection;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Group;

/**
 * Ours against the seed's statement, the model and itself: with the claim indexes and without, as
 * it runs and with budgets so small that every branch of every statement is taken.
 */
class LegacyQueueContractTest {
  private static final ClaimSql.Budgets TINY = new ClaimSql.Budgets(2, 4, 100);
  private static final ClaimSql.Budgets TINIEST = new ClaimSql.Budgets(2, 2, 2);

  private final List<Variant> all =
      Stream.of(
              new Variant(
                  "indexed", LegacyQueueContractTest::index, ours(ClaimSql.Budgets.DEFAULT)),
              new Variant("indexed, hopping", LegacyQueueContractTest::index, ours(TINY)),
              new Variant("indexed, passing", LegacyQueueContractTest::index, ours(TINIEST)),
              new Variant("plain", Variant.Setup.NONE, ours(ClaimSql.Budgets.DEFAULT)),
              new Variant("plain, passing", Variant.Setup.NONE, ours(TINIEST)))
          .flatMap(variant -> Stream.of(variant, variant.comparingAsPeopleDo()))
          .toList();

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

  private static QueueUnderTest ours(ClaimSql.Budgets budgets) {
    return (dataSource, queue, epochSeconds, visibility, exclusiveGroups) ->
        LegacyQueue.builder(dataSource, queue)
            .clock(epochSeconds)
            .visibility(visibility)
            .groups(exclusiveGroups ? Groups.EXCLUSIVE : Groups.RELAXED)
            .budgets(budgets)
            .build();
  }

  private static void index(Connection connection) {
    LegacyQueue.builder(new OneConnection(connection), "any")
        .build()
        .admin()
        .createExtra(SchemaReport.Extra.CLAIM_INDEXES);
  }
}
