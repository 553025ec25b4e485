package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.FailedRow;
import dev.sluice.model.LegacyRow;
import dev.sluice.model.LegacyTable;
import dev.sluice.model.RandomTable;
import dev.sluice.model.SeedClaim;
import dev.sluice.model.Variant;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A poll claims exactly what the seed's statement claims, whatever the table looks like. */
abstract class ClaimContract extends LegacyContract {
  private static final Duration VISIBILITY = Duration.ofSeconds(30);

  @Provide
  Arbitrary<RandomTable> table() {
    return RandomTable.tables();
  }

  @Provide
  Arbitrary<RandomTable> tableWithMalformedRows() {
    return RandomTable.tablesWithMalformedRows();
  }

  @Property(seed = "2026", tries = 200, edgeCases = EdgeCasesMode.NONE)
  void aPollClaimsWhatTheSeedClaims(
      @ForAll("variant") Variant variant, @ForAll("table") RandomTable table) throws SQLException {
    assertClaimsTheSame(arena(variant), table, false);
  }

  @Property(seed = "2026", tries = 100, edgeCases = EdgeCasesMode.NONE)
  void malformedRowsAreClaimedInTheirTurn(
      @ForAll("variant") Variant variant, @ForAll("tableWithMalformedRows") RandomTable table)
      throws SQLException {
    assertClaimsTheSame(arena(variant), table, false);
  }

  @Property(seed = "2026", tries = 100, edgeCases = EdgeCasesMode.NONE)
  void withExclusiveGroupsAGroupInFlightGivesNothing(
      @ForAll("variant") Variant variant, @ForAll("table") RandomTable table) throws SQLException {
    assertClaimsTheSame(arena(variant), table, true);
  }

  @Property(seed = "2026", tries = 50, edgeCases = EdgeCasesMode.NONE)
  void pollAfterPollClaimsWhatTheSeedClaims(
      @ForAll("variant") Variant variant, @ForAll("table") RandomTable table) throws SQLException {
    Arena arena = arena(variant);
    table.load(arena.own());
    long[] now = {table.now()};
    try (Queue queue = arena.open(RandomTable.QUEUE, () -> now[0], VISIBILITY, false)) {
      for (int i = 0; i < 8; i++) {
        int max = 1 + table.max() % 7;
        List<String> expected = seedWouldClaim(arena, now[0], max, false);

        assertThat(ids(queue.poll(max))).as("poll %d", i + 1).isEqualTo(expected);

        now[0] += i % 3;
      }
    }
  }

  private static void assertClaimsTheSame(Arena arena, RandomTable table, boolean exclusive)
      throws SQLException {
    table.load(arena.own());
    List<String> expected;
    PollResult polled;
    try (Queue queue = arena.open(RandomTable.QUEUE, table::now, VISIBILITY, exclusive)) {
      LegacyTable.lock(arena.other(), table.locked());
      expected = seedWouldClaim(arena, table.now(), table.max(), exclusive);

      polled = queue.poll(table.max());
    } finally {
      arena.other().rollback();
    }
    Map<String, LegacyRow> before = byId(table.rows());
    assertThat(ids(polled))
        .isEqualTo(expected.stream().filter(id -> wellFormed(before, id)).toList());
    assertThat(polled.taken()).isEqualTo(expected.size());
    assertThat(polled.quarantined()).isEqualTo(expected.size() - polled.deliveries().size());
    assertQuarantined(arena, expected.stream().filter(id -> !wellFormed(before, id)).toList());
    assertTableHolds(arena, expectedRows(table, expected, polled));
  }

  private static List<String> seedWouldClaim(Arena arena, long now, int max, boolean exclusive)
      throws SQLException {
    return SeedClaim.of(exclusive).wouldClaim(arena.own(), RandomTable.QUEUE, now, max);
  }

  private static List<String> ids(PollResult polled) {
    return polled.deliveries().stream().map(Delivery::brokerId).toList();
  }

  private static Map<String, LegacyRow> byId(List<LegacyRow> rows) {
    Map<String, LegacyRow> byId = new HashMap<>();
    rows.stream()
        .filter(row -> row.queue().equals(RandomTable.QUEUE))
        .forEach(row -> byId.put(row.id(), row));
    return byId;
  }

  private static boolean wellFormed(Map<String, LegacyRow> rows, String id) {
    LegacyRow row = rows.get(id);
    return row != null && row.payload().equals(LegacyRow.WELL_FORMED);
  }

  private static void assertQuarantined(Arena arena, List<String> ids) throws SQLException {
    assertThat(LegacyTable.failed(arena.own()).stream().map(FailedRow::id))
        .containsExactlyInAnyOrderElementsOf(ids);
  }

  /** The rows that nobody claimed as they were, the claimed ones counted, hidden and receipted. */
  private static List<LegacyRow> expectedRows(
      RandomTable table, List<String> claimed, PollResult polled) {
    Map<String, String> receipts = new HashMap<>();
    polled.deliveries().forEach(d -> receipts.put(d.brokerId(), d.receipt().value()));
    return table.rows().stream()
        .filter(row -> !quarantined(row, claimed))
        .map(row -> claims(row, claimed) ? claimedRow(row, receipts, table.now()) : row)
        .toList();
  }

  private static boolean claims(LegacyRow row, List<String> claimed) {
    return row.queue().equals(RandomTable.QUEUE) && claimed.contains(row.id());
  }

  private static boolean quarantined(LegacyRow row, List<String> claimed) {
    return claims(row, claimed) && !row.payload().equals(LegacyRow.WELL_FORMED);
  }

  private static LegacyRow claimedRow(LegacyRow row, Map<String, String> receipts, long now) {
    return new LegacyRow(
        row.queue(),
        row.id(),
        row.group(),
        receipts.get(row.id()),
        now + VISIBILITY.toSeconds(),
        row.payload(),
        row.createdAt(),
        row.receives() == null ? 1 : row.receives() + 1);
  }

  private static void assertTableHolds(Arena arena, List<LegacyRow> rows) throws SQLException {
    assertThat(LegacyTable.rows(arena.own())).containsExactlyInAnyOrderElementsOf(rows);
  }
}
