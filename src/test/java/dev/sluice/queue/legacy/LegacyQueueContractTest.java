package dev.sluice.queue.legacy;

import dev.sluice.model.QueueUnderTest;
import dev.sluice.model.Variant;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.legacy.LegacyQueue.Groups;
import dev.sluice.testing.OneConnection;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import net.jqwik.api.Group;

/**
 * Ours against the seed's statement, the model and itself: with the claim indexes and without, as
 * it runs and with budgets so small that every statement is needed.
 */
class LegacyQueueContractTest {
  private static final ClaimSearch.Budgets TINY = new ClaimSearch.Budgets(2, 0, 3, 1);

  private final List<Variant> exact =
      inBothOrders(
          new Variant(
              "indexed",
              LegacyQueueContractTest::index,
              ours(ClaimSearch.Budgets.DEFAULT, ClaimSql.ROWS)),
          new Variant(
              "plain", Variant.Setup.NONE, ours(ClaimSearch.Budgets.DEFAULT, ClaimSql.ROWS)),
          new Variant(
              "with the indexes of an older version",
              OldClaimIndexes::create,
              ours(ClaimSearch.Budgets.DEFAULT, ClaimSql.ROWS)),
          new Variant("plain, passing", Variant.Setup.NONE, ours(ClaimSearch.Budgets.DEFAULT, 2)));

  private final List<Variant> lookingAhead =
      inBothOrders(
          new Variant(
              "plain, looking ahead",
              Variant.Setup.NONE,
              timed(ClaimSearch.Budgets.DEFAULT, ClaimSql.ROWS, System::nanoTime)),
          new Variant(
              "plain, looking some rows ahead",
              Variant.Setup.NONE,
              timed(ClaimSearch.Budgets.DEFAULT, 5, System::nanoTime)));

  private final List<Variant> hopping =
      inBothOrders(
          new Variant(
              "indexed, hopping", LegacyQueueContractTest::index, ours(TINY, ClaimSql.ROWS)),
          new Variant(
              "indexed, one by one",
              LegacyQueueContractTest::index,
              ours(new ClaimSearch.Budgets(1, 0, 1, 2), ClaimSql.ROWS)));

  private final List<Variant> marking =
      inBothOrders(
          new Variant("indexed, from marks", LegacyQueueContractTest::index, fromMarks(TINY)),
          new Variant(
              "indexed, all from marks",
              LegacyQueueContractTest::index,
              fromMarks(ClaimSearch.Budgets.DEFAULT)));

  private final List<Variant> inPieces = Stream.concat(hopping.stream(), marking.stream()).toList();
  private final List<Variant> all =
      Stream.of(exact, lookingAhead, inPieces).flatMap(List::stream).toList();

  private static List<Variant> inBothOrders(Variant... variants) {
    return Stream.of(variants)
        .flatMap(variant -> Stream.of(variant, variant.comparingAsPeopleDo()))
        .toList();
  }

  @Group
  class Claims extends ClaimContract {
    @Override
    List<Variant> variants() {
      return exact;
    }
  }

  @Group
  class Rounds extends GroupRoundContract {
    @Override
    List<Variant> variants() {
      return inPieces;
    }

    @Override
    boolean seesAllThatIsDatedBack(Variant variant) {
      return !marking.contains(variant);
    }
  }

  @Group
  class OneSession extends SessionModelContract {
    @Override
    List<Variant> variants() {
      return exact;
    }
  }

  @Group
  class ManySessions extends ManySessionsContract {
    @Override
    List<Variant> variants() {
      return all;
    }

    @Override
    boolean keepsOrderBetweenGroups(Variant variant) {
      return exact.contains(variant);
    }

    @Override
    boolean seesAllThatIsDatedBack(Variant variant) {
      return !marking.contains(variant) && !lookingAhead.contains(variant);
    }
  }

  @Group
  class Deadlocks extends DeadlockContract {
    @Override
    List<Variant> variants() {
      return all;
    }
  }

  // By this clock each poll comes long after the last one, which looked ahead in vain.
  private static QueueUnderTest ours(ClaimSearch.Budgets budgets, int plainRows) {
    AtomicLong nanos = new AtomicLong();
    return timed(budgets, plainRows, () -> nanos.addAndGet(1_000_000_000));
  }

  private static QueueUnderTest timed(
      ClaimSearch.Budgets budgets, int plainRows, LongSupplier nanos) {
    return (dataSource, queue, epochSeconds, visibility, exclusiveGroups) ->
        LegacyQueue.builder(dataSource, queue)
            .clock(epochSeconds)
            .visibility(visibility)
            .groups(exclusiveGroups ? Groups.EXCLUSIVE : Groups.RELAXED)
            .budgets(budgets, plainRows)
            .ticker(nanos, Long.MAX_VALUE)
            .build();
  }

  // By this clock all walks from the front are slow, but for those that find many.
  private static QueueUnderTest fromMarks(ClaimSearch.Budgets budgets) {
    AtomicLong nanos = new AtomicLong();
    return (dataSource, queue, epochSeconds, visibility, exclusiveGroups) ->
        LegacyQueue.builder(dataSource, queue)
            .clock(epochSeconds)
            .visibility(visibility)
            .groups(exclusiveGroups ? Groups.EXCLUSIVE : Groups.RELAXED)
            .budgets(budgets, ClaimSql.ROWS)
            .ticker(() -> epochSeconds.getAsLong() * 1_000_000_000 + nanos.addAndGet(1_000_000), 0)
            .build();
  }

  private static void index(Connection connection) {
    LegacyQueue.builder(new OneConnection(connection), "any")
        .build()
        .admin()
        .createExtra(SchemaReport.Extra.CLAIM_INDEXES);
  }
}
