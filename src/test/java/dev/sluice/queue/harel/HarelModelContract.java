package dev.sluice.queue.harel;

import dev.sluice.model.HarelVariant;
import java.sql.SQLException;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever is done to the tables, one thing after the other, they answer and look as the model. */
abstract class HarelModelContract extends HarelContract {

  @Provide
  Arbitrary<List<HarelStep>> life() {
    return HarelLives.lives();
  }

  @Property(seed = "2026", tries = 60, edgeCases = EdgeCasesMode.NONE)
  void aTransportDoesWhatTheModelDoes(
      @ForAll("variant") HarelVariant variant, @ForAll("life") List<HarelStep> life)
      throws SQLException {
    try (HarelLife modelled = new HarelLife(arena(variant))) {
      for (HarelStep step : life) {
        modelled.perform(step);
      }
    }
  }
}
