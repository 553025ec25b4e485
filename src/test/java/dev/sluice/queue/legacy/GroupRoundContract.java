package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.LegacyTable;
import dev.sluice.model.RandomTable;
import dev.sluice.model.SeedClaim;
import dev.sluice.model.Variant;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * What holds of polls that look at a part of the table: each takes heads that the seed's statement
 * would take, in whatever order between groups, and none that is not in doubt leaves all of them.
 */
abstract class GroupRoundContract extends LegacyContract {
  private static final Duration VISIBILITY = Duration.ofSeconds(30);
  private static final int EVERYTHING = 100_000;

  @Provide
  Arbitrary<RandomTable> table() {
    return RandomTable.tables();
  }

  @Property(seed = "2026", tries = 150, edgeCases = EdgeCasesMode.NONE)
  void pollAfterPollTakesHeadsUntilNoneIsLeft(
      @ForAll("variant") Variant variant, @ForAll("table") RandomTable table) throws SQLException {
    drain(arena(variant), table, false);
  }

  @Property(seed = "2026", tries = 75, edgeCases = EdgeCasesMode.NONE)
  void withExclusiveGroupsToo(
      @ForAll("variant") Variant variant, @ForAll("table") RandomTable table) throws SQLException {
    drain(arena(variant), table, true);
  }

  private static void drain(Arena arena, RandomTable table, boolean exclusive) throws SQLException {
    table.load(arena.own());
    int max = 1 + table.max() % 7;
    try (Queue queue = arena.open(RandomTable.QUEUE, table::now, VISIBILITY, exclusive)) {
      LegacyTable.lock(arena.other(), table.locked());
      pollUntilNothingIsLeft(arena, queue, table.now(), max, exclusive);
      arena.other().rollback();
      pollUntilNothingIsLeft(arena, queue, table.now(), max, exclusive);
    } finally {
      arena.other().rollback();
    }
  }

  private static void pollUntilNothingIsLeft(
      Arena arena, Queue queue, long now, int max, boolean exclusive) throws SQLException {
    int inDoubt = 0;
    while (true) {
      List<String> heads =
          SeedClaim.of(exclusive).wouldClaim(arena.own(), RandomTable.QUEUE, now, EVERYTHING);

      PollResult polled = queue.poll(max);

      assertThat(polled.deliveries().stream().map(Delivery::brokerId))
          .isSubsetOf(heads)
          .doesNotHaveDuplicates()
          .hasSizeLessThanOrEqualTo(max);
      if (polled.taken() == 0 && !polled.inDoubt()) {
        assertThat(heads).as("left by a poll that was not in doubt").isEmpty();
        return;
      }
      inDoubt = polled.taken() == 0 ? inDoubt + 1 : 0;
      assertThat(inDoubt).as("polls in doubt in a row").isLessThan(EVERYTHING / 100);
    }
  }
}
