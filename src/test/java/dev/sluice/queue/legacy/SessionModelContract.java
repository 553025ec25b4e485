package dev.sluice.queue.legacy;

import dev.sluice.model.RandomTable;
import dev.sluice.model.Variant;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever is done to a table, one thing after the other, it answers and looks as the model. */
abstract class SessionModelContract extends LegacyContract {

  @Provide
  Arbitrary<RandomTable> table() {
    return RandomTable.tablesWithMalformedRows();
  }

  @Provide
  Arbitrary<List<Operation>> life() {
    return Operations.lives();
  }

  @Provide
  Arbitrary<Duration> visibility() {
    return Arbitraries.of(30, 5, 0, -3).map(Duration::ofSeconds);
  }

  // The life stands before the table, for what stands first is shrunk first, and most lives can
  // lose more.
  @Property(seed = "2026", tries = 40, edgeCases = EdgeCasesMode.NONE)
  void aQueueDoesWhatTheModelDoes(
      @ForAll("variant") Variant variant,
      @ForAll("visibility") Duration visibility,
      @ForAll("life") List<Operation> life,
      @ForAll("table") RandomTable table)
      throws SQLException {
    live(variant, visibility, false, table, life);
  }

  @Property(seed = "2026", tries = 40, edgeCases = EdgeCasesMode.NONE)
  void aQueueOfExclusiveGroupsDoesWhatTheModelDoes(
      @ForAll("variant") Variant variant,
      @ForAll("visibility") Duration visibility,
      @ForAll("life") List<Operation> life,
      @ForAll("table") RandomTable table)
      throws SQLException {
    live(variant, visibility, true, table, life);
  }

  private void live(
      Variant variant,
      Duration visibility,
      boolean exclusiveGroups,
      RandomTable table,
      List<Operation> life)
      throws SQLException {
    try (ModelledLife modelled =
        new ModelledLife(arena(variant), table, visibility, exclusiveGroups)) {
      for (Operation operation : life) {
        modelled.perform(operation);
      }
    }
  }
}
