package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.LegacyRow;
import dev.sluice.model.LegacyTable;
import dev.sluice.model.RandomTable;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.testing.ScaledTries;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterProperty;

/**
 * Go's statement, run by the Go program through pgx, and ours claim the same rows of the same
 * random tables; a try is up to five polls, each of which meets another state of its table.
 */
@AddLifecycleHook(SkippedWithoutGo.class)
@AddLifecycleHook(ScaledTries.class)
class GoClaimsTest {
  private static final Duration VISIBILITY = Duration.ofSeconds(2);
  private static final int POLLS = 5;

  private final Map<ClaimArena.Kind, ClaimArena> arenas = new EnumMap<>(ClaimArena.Kind.class);
  private int states;

  @Provide
  Arbitrary<RandomTable> table() {
    return RandomTable.tables();
  }

  @Property(tries = 400, edgeCases = EdgeCasesMode.NONE)
  void goAndWeClaimTheSameRows(@ForAll ClaimArena.Kind kind, @ForAll("table") RandomTable table)
      throws Exception {
    ClaimArena arena = arena(kind);
    table.load(arena.own());
    long[] now = {table.now()};
    try (LegacyQueue queue = arena.queue(RandomTable.QUEUE, () -> now[0], VISIBILITY)) {
      assertClaimTheSameBesideLocks(arena, queue, table);
      for (int poll = 1; poll < POLLS; poll++) {
        now[0] += poll % 3;
        assertClaimTheSame(arena, queue, now[0], 1 + table.max() % (7 * poll));
      }
    }
  }

  /** As while another poller is in the middle of its claim. */
  private void assertClaimTheSameBesideLocks(ClaimArena arena, LegacyQueue queue, RandomTable table)
      throws Exception {
    try {
      LegacyTable.lock(arena.other(), table.locked());
      assertClaimTheSame(arena, queue, table.now(), table.max());
    } finally {
      arena.other().rollback();
    }
  }

  private void assertClaimTheSame(ClaimArena arena, LegacyQueue queue, long now, int max)
      throws IOException, SQLException {
    Map<String, LegacyRow> before = rows(arena);

    List<GoEvent.Claim> theirs =
        arena.go().wouldClaim(RandomTable.QUEUE, now, max, VISIBILITY.toSeconds());
    List<Delivery> ours = queue.poll(max).deliveries();

    assertThat(ours.stream().map(Delivery::brokerId))
        .containsExactlyInAnyOrderElementsOf(theirs.stream().map(GoEvent.Claim::id).toList());
    Map<String, LegacyRow> after = rows(arena);
    theirs.forEach(claim -> assertLeftAlike(claim, before, after));
    states++;
  }

  /** The one difference on purpose: a row that has no count of its receives keeps none with Go. */
  private static void assertLeftAlike(
      GoEvent.Claim theirs, Map<String, LegacyRow> before, Map<String, LegacyRow> after) {
    LegacyRow ours = row(after, theirs.id());
    assertThat(ours.visibleAt()).isEqualTo(theirs.visibleAt());
    assertThat(ours.createdAt()).isEqualTo(theirs.createdAt());
    assertThat(ours.receipt()).matches("(?s)[0-9a-f-]{36}:.*").endsWith(":" + theirs.id());
    assertThat(theirs.receipt()).matches("(?s)[0-9a-f-]{36}:.*").endsWith(":" + theirs.id());
    if (row(before, theirs.id()).receives() == null) {
      assertThat(theirs.receives()).isNull();
      assertThat(ours.receives()).isOne();
    } else {
      assertThat(ours.receives()).isEqualTo(theirs.receives());
    }
  }

  private static LegacyRow row(Map<String, LegacyRow> rows, String id) {
    LegacyRow row = rows.get(id);
    if (row == null) {
      throw new AssertionError("no such row: " + id);
    }
    return row;
  }

  private static Map<String, LegacyRow> rows(ClaimArena arena) throws SQLException {
    Map<String, LegacyRow> rows = new HashMap<>();
    for (LegacyRow row : LegacyTable.rows(arena.own())) {
      if (row.queue().equals(RandomTable.QUEUE)) {
        rows.put(row.id(), row);
      }
    }
    return rows;
  }

  private ClaimArena arena(ClaimArena.Kind kind) throws Exception {
    ClaimArena arena = arenas.get(kind);
    if (arena == null) {
      arena = new ClaimArena(kind, GoProgram.build());
      arenas.put(kind, arena);
    }
    return arena;
  }

  @AfterProperty
  void closeArenas() throws Exception {
    System.out.printf("claims: %,d states of tables, the same rows each time%n", states);
    for (ClaimArena arena : arenas.values()) {
      arena.close();
    }
    arenas.clear();
  }
}
