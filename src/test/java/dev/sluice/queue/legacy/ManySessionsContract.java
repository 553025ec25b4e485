package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FailedRow;
import dev.sluice.model.LegacyRow;
import dev.sluice.model.LegacyTable;
import dev.sluice.model.RandomTable;
import dev.sluice.model.SeedQueue;
import dev.sluice.model.Variant;
import dev.sluice.queue.Queue;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Several sessions do random things to a queue at once, and it keeps its promises to each. */
abstract class ManySessionsContract extends LegacyContract {
  private static final int SESSIONS = 4;

  /** Whether a poll gives what it takes oldest first. */
  boolean keepsOrderBetweenGroups(Variant variant) {
    return true;
  }

  @Property(tries = 5, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
  void sessionsDoNotGetInEachOthersWay(
      @ForAll("variant") Variant variant, @ForAll long seed, @ForAll boolean clockMoves)
      throws Exception {
    Arena arena = arena(variant);
    Storm storm = new Storm(arena, seed, clockMoves, seesAllThatIsDatedBack(variant));

    HistoryCheck check = run(variant, arena, storm, ours(arena, storm, SESSIONS, false));

    check.nothingOvertakesAWaitingMessage();
  }

  @Property(tries = 3, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
  void goRoutersBesideUsDoNotGetInOurWay(
      @ForAll("variant") Variant variant, @ForAll long seed, @ForAll boolean clockMoves)
      throws Exception {
    Arena arena = arena(variant);
    Storm storm = new Storm(arena, seed, clockMoves, seesAllThatIsDatedBack(variant));
    List<Queue> sessions =
        Stream.concat(
                ours(arena, storm, SESSIONS / 2, false).stream(),
                seeds(arena, storm, SESSIONS / 2).stream())
            .toList();

    HistoryCheck check = run(variant, arena, storm, sessions);

    check.nothingOvertakesAWaitingMessage();
  }

  @Property(tries = 4, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
  void anExclusiveGroupIsInOneHandAndFirstInFirstOut(
      @ForAll("variant") Variant variant, @ForAll long seed) throws Exception {
    Arena arena = arena(variant);
    Storm storm = new Storm(arena, seed, false, seesAllThatIsDatedBack(variant));

    List<Queue> sessions = ours(arena, storm, SESSIONS, true);
    arena.slowClaimsDown();
    storm.load();
    try (GroupWatch watch = new GroupWatch(arena.connect(), RandomTable.QUEUE, storm::now)) {
      storm.rage(sessions);
      watch.assertNoGroupWasInTwoHands();
    }
    HistoryCheck check = drain(variant, arena, storm, sessions);

    check.groupsAreFirstInFirstOut();
    check.noGroupHasTwoHolders();
  }

  private static List<Queue> ours(Arena arena, Storm storm, int count, boolean exclusive) {
    return IntStream.range(0, count)
        .mapToObj(i -> arena.open(RandomTable.QUEUE, storm::now, storm.visibility(), exclusive))
        .toList();
  }

  private static List<Queue> seeds(Arena arena, Storm storm, int count) {
    return IntStream.range(0, count).mapToObj(i -> seed(arena, storm)).toList();
  }

  private static Queue seed(Arena arena, Storm storm) {
    return new SeedQueue(
        arena.dataSource(), RandomTable.QUEUE, storm::now, storm.visibility(), false);
  }

  private HistoryCheck run(Variant variant, Arena arena, Storm storm, List<Queue> sessions)
      throws SQLException, InterruptedException {
    storm.load();
    storm.rage(sessions);
    return drain(variant, arena, storm, sessions);
  }

  /** Empties the table after the storm, and checks what holds for every kind of sessions. */
  private HistoryCheck drain(Variant variant, Arena arena, Storm storm, List<Queue> sessions)
      throws SQLException {
    HistoryCheck midway = check(arena, storm);
    assertCounts(arena, storm, midway);
    storm.drain(sessions.get(0));
    HistoryCheck check = check(arena, storm);
    assertCounts(arena, storm, check);
    assertThat(LegacyTable.rows(arena.own())).as("left after the last drain").isEmpty();
    check.eachClaimIsSettledOnce();
    check.noMessageHasTwoHolders();
    check.whatIsSettledStaysSettled();
    if (keepsOrderBetweenGroups(variant)) {
      check.aPollTakesHeadsInOrder();
    } else {
      check.aPollTakesHeads();
    }
    sessions.forEach(Queue::close);
    return check;
  }

  private static HistoryCheck check(Arena arena, Storm storm) throws SQLException {
    List<String> ids = storm.history().published().stream().map(History.Published::id).toList();
    return new HistoryCheck(storm.history(), arena.idOrder(ids));
  }

  private static void assertCounts(Arena arena, Storm storm, HistoryCheck check)
      throws SQLException {
    Map<String, Integer> inTable = new HashMap<>();
    for (LegacyRow row : LegacyTable.rows(arena.own())) {
      inTable.put(row.id(), row.receives() == null ? 0 : row.receives());
    }
    check.nothingIsLost(
        inTable.keySet(),
        LegacyTable.failed(arena.own()).stream().map(FailedRow::id).collect(Collectors.toSet()));
    check.everyClaimIsCounted(storm.receivesBefore(), inTable);
  }
}
