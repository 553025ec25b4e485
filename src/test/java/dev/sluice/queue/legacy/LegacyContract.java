package dev.sluice.queue.legacy;

import dev.sluice.model.Variant;
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
 * What the contracts share: the backends that they run on, each with a database of its own for the
 * length of a property.
 *
 * <p>A test class has an inner {@code @Group} class for each contract, which names the variants;
 * {@link SeedQueueTest} is one. {@code -Dsluice.test.scale=100} makes a long campaign of them.
 */
@AddLifecycleHook(ScaledTries.class)
abstract class LegacyContract {
  private final Map<String, Arena> arenas = new HashMap<>();

  /** The backends to test; their names differ. */
  abstract List<Variant> variants();

  /** Whether a row may be dated back by any time and still hold back its group. */
  boolean seesAllThatIsDatedBack(Variant variant) {
    return true;
  }

  @Provide
  Arbitrary<Variant> variant() {
    return Arbitraries.of(variants());
  }

  /** The database of this variant, as the last try left it. */
  final Arena arena(Variant variant) throws SQLException {
    Arena arena = arenas.get(variant.name());
    if (arena == null) {
      arena = new Arena(variant);
      arenas.put(variant.name(), arena);
    }
    return arena;
  }

  @AfterProperty
  void closeArenas() throws SQLException {
    for (Arena arena : arenas.values()) {
      arena.close();
    }
    arenas.clear();
  }
}
