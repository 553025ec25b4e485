package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.LegacyRow;
import dev.sluice.model.LegacyTable;
import dev.sluice.model.RandomTable;
import dev.sluice.model.SeedClaim;
import dev.sluice.model.Variant;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import java.sql.Connection;
import java.sql.PreparedStatement;
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
  private static final int SECONDS_BACK = 5;

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

  @Property(seed = "2026", tries = 100, edgeCases = EdgeCasesMode.NONE)
  void whatComesForwardBehindARoundIsFoundByTheNextOneAtLatest(
      @ForAll("variant") Variant variant,
      @ForAll("table") RandomTable table,
      @ForAll boolean exclusive)
      throws SQLException {
    Arena arena = arena(variant);
    List<LegacyRow> rows = table.rows();
    LegacyTable.clear(arena.own());
    LegacyTable.load(arena.own(), rows.subList(0, rows.size() / 2));
    try (Queue queue = arena.open(RandomTable.QUEUE, table::now, VISIBILITY, exclusive)) {
      for (LegacyRow late : rows.subList(rows.size() / 2, rows.size())) {
        assertTakesHeads(arena, queue, table.now(), 1 + table.max() % 3, exclusive);
        LegacyTable.load(
            arena.own(),
            List.of(
                seesAllThatIsDatedBack(variant)
                    ? late
                    : late.notBefore(table.now() - SECONDS_BACK)));
        handBackTheFirst(arena.own(), table.now());
      }

      // The round that was under way may say once that nothing is left.
      boolean mayBeWrong = true;
      for (int polls = 0; ; polls++) {
        assertThat(polls).as("polls until one is sure").isLessThan(EVERYTHING / 100);
        List<String> heads = heads(arena, table.now(), exclusive);
        PollResult polled = assertTakesHeads(arena, queue, table.now(), 2, exclusive);
        if (polled.taken() == 0 && !polled.inDoubt()) {
          assertThat(mayBeWrong || heads.isEmpty()).as("nothing left, but %s", heads).isTrue();
          if (!mayBeWrong) {
            return;
          }
          mayBeWrong = false;
        }
      }
    }
  }

  /** As a router does whose target refused, or as an operator: an old row waits again. */
  private static void handBackTheFirst(Connection connection, long now) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE queue_messages SET receipt_handle = NULL, visible_at = ? WHERE (queue_name, id)"
                + " IN (SELECT queue_name, id FROM queue_messages WHERE queue_name = ?"
                + " AND visible_at > ? ORDER BY visible_at, id LIMIT 1)")) {
      update.setLong(1, now);
      update.setString(2, RandomTable.QUEUE);
      update.setLong(3, now);
      update.executeUpdate();
    }
  }

  private static List<String> heads(Arena arena, long now, boolean exclusive) throws SQLException {
    return SeedClaim.of(exclusive).wouldClaim(arena.own(), RandomTable.QUEUE, now, EVERYTHING);
  }

  private static PollResult assertTakesHeads(
      Arena arena, Queue queue, long now, int max, boolean exclusive) throws SQLException {
    List<String> heads = heads(arena, now, exclusive);

    PollResult polled = queue.poll(max);

    assertThat(polled.deliveries().stream().map(Delivery::brokerId))
        .isSubsetOf(heads)
        .doesNotHaveDuplicates()
        .hasSizeLessThanOrEqualTo(max);
    assertThat(polled.deliveries()).extracting(Delivery::createdAt).isSorted();
    return polled;
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
      List<String> heads = heads(arena, now, exclusive);
      PollResult polled = assertTakesHeads(arena, queue, now, max, exclusive);
      if (polled.taken() == 0 && !polled.inDoubt()) {
        assertThat(heads).as("left by a poll that was not in doubt").isEmpty();
        return;
      }
      inDoubt = polled.taken() == 0 ? inDoubt + 1 : 0;
      assertThat(inDoubt).as("polls in doubt in a row").isLessThan(EVERYTHING / 100);
    }
  }
}
