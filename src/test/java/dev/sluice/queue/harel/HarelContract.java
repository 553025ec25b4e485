package dev.sluice.queue.harel;

import dev.sluice.model.HarelVariant;
import dev.sluice.testing.ScaledTries;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AfterProperty;

/**
 * What the contracts share: the transports that they run on, each with a database of its own for
 * the length of a property.
 *
 * <p>A test class has an inner {@code @Group} class for each contract, which names the variants;
 * {@link SeedHarelTest} is one. {@code -Dsluice.test.scale=100} makes a long campaign of them.
 */
@AddLifecycleHook(ScaledTries.class)
abstract class HarelContract {
  private final Map<String, HarelArena> arenas = new HashMap<>();

  /** The transports to test; their names differ. */
  abstract List<HarelVariant> variants();

  @Provide
  Arbitrary<HarelVariant> variant() {
    return Arbitraries.of(variants());
  }

  /** The database of this variant, empty. */
  final HarelArena arena(HarelVariant variant) throws SQLException {
    HarelArena arena = arenas.get(variant.name());
    if (arena == null) {
      arena = new HarelArena(variant);
      arenas.put(variant.name(), arena);
    }
    arena.clear();
    return arena;
  }

  @AfterProperty
  void closeArenas() throws SQLException {
    for (HarelArena arena : arenas.values()) {
      arena.close();
    }
    arenas.clear();
  }
}
