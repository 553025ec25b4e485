package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.HarelUnderTest;
import dev.sluice.model.HarelVariant;
import dev.sluice.model.PlainHarel;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.RandomGenerator;
import net.jqwik.api.ShrinkingMode;

/** Tests the tests: no transport with one mistake lives as the model does. */
class HarelMutationTest {
  private static final long SEED = 2026;
  private static final int LIVES = 60;

  /** A mistake in one statement, each of which somebody could make. */
  enum Mistake {
    CLAIMS_AT_THE_MOMENT_OF_LAPSE("lock_expiry < ?", "lock_expiry <= ?"),
    CLAIMS_BELOW_THE_PRIORITY("OR ? = 0", "OR ? >= 0"),
    LEAVES_NEGATIVE_PRIORITIES("OR ? = 0", "OR ? < -9"),
    CLAIMS_BY_GROUP_ID("COALESCE(lock_expiry, 0), group_id", "group_id"),
    CLAIMS_FRESH_GROUPS_LAST("COALESCE(lock_expiry, 0)", "lock_expiry"),
    CLAIMS_BY_BYTES("0), group_id LIMIT", "0), group_id COLLATE \"C\" LIMIT"),
    LEAVES_GROUPS_FREED_BY_A_FAST_CLOCK("locked_by IS NULL OR", "lock_expiry IS NULL OR"),
    DELIVERS_THE_NEWEST("ORDER BY seq LIMIT", "ORDER BY seq DESC LIMIT"),
    ACKS_WITH_ANY_TOKEN("g.locked_by = ?", "(g.locked_by = ? OR TRUE)"),
    ACKS_THE_MESSAGE_OF_ANOTHER("m USING (group_id)\nWHERE g.", "m ON TRUE\nWHERE g."),
    ACKS_THE_HEAD_WHATEVER_WAS_CLAIMED(
        "DELETE FROM {messages} WHERE seq = ?",
        """
        DELETE FROM {messages} WHERE seq = (SELECT min(head.seq) FROM {messages} head
          JOIN {messages} claimed USING (group_id) WHERE claimed.seq = ?)
        """),
    FREES_WITHOUT_A_TIME("NULL, lock_expiry = ?", "NULL, lock_expiry = ? * NULL::float8"),
    RENEWS_THE_PRIORITY("DO NOTHING", "DO UPDATE SET priority = excluded.priority"),
    FREES_BY_PUBLISHING("DO NOTHING", "DO UPDATE SET locked_by = NULL, lock_expiry = NULL"),
    KEEPS_THE_TIME_AT_A_NACK("NULL, lock_expiry = NULL", "NULL"),
    PARKS_WITH_ANY_TOKEN(
        "SET lock_expiry = ? WHERE group_id = ? AND locked_by = ?",
        "SET lock_expiry = ? WHERE group_id = ? AND (locked_by = ? OR TRUE)"),
    PARKS_WITHOUT_A_TOKEN("SET lock_expiry = ?", "SET locked_by = NULL, lock_expiry = ?"),
    ROUNDS_THE_TIME_OF_FAILURE_UP("floor(?)", "ceil(?)"),
    REQUEUES_WITHOUT_THE_PRIORITY("COALESCE(priority, 0)", "0"),
    REQUEUES_AT_THE_END("SELECT seq, group_id", "SELECT seq + 1000000, group_id");

    private final String right;
    private final String wrong;

    Mistake(String right, String wrong) {
      this.right = right;
      this.wrong = wrong;
    }

    HarelUnderTest.Factory factory() {
      return (dataSource, names, epochSeconds) ->
          new PlainHarel(dataSource, names, epochSeconds, sql -> sql.replace(right, wrong));
    }
  }

  @Property(generation = GenerationMode.EXHAUSTIVE, shrinking = ShrinkingMode.OFF)
  void aMistakeInAStatementIsNoticed(@ForAll Mistake mistake) throws SQLException {
    assertThat(isNoticed(mistake.factory())).as("%s is noticed", mistake).isTrue();
  }

  @Example
  void anExtensionThatRevivesWhatWasParkedIsNoticed() throws SQLException {
    HarelUnderTest.Factory forgetful =
        (dataSource, names, epochSeconds) ->
            extendingElsewhere(
                new PlainHarel(dataSource, names, epochSeconds),
                new PlainHarel(dataSource, names, epochSeconds));

    assertThat(isNoticed(forgetful)).isTrue();
  }

  private static HarelUnderTest extendingElsewhere(HarelUnderTest one, HarelUnderTest other) {
    return (HarelUnderTest)
        Proxy.newProxyInstance(
            HarelUnderTest.class.getClassLoader(),
            new Class<?>[] {HarelUnderTest.class},
            (proxy, method, arguments) ->
                method.invoke(method.getName().equals("extend") ? other : one, arguments));
  }

  private static boolean isNoticed(HarelUnderTest.Factory factory) throws SQLException {
    HarelVariant variant = new HarelVariant("mutant", factory).comparingAsPeopleDo();
    RandomGenerator<List<HarelStep>> lives = HarelLives.lives().generator(LIVES);
    Random random = new Random(SEED);
    try (HarelArena arena = new HarelArena(variant)) {
      for (int i = 0; i < LIVES; i++) {
        if (differs(arena, lives.next(random).value())) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean differs(HarelArena arena, List<HarelStep> life) throws SQLException {
    arena.clear();
    try (HarelLife modelled = new HarelLife(arena)) {
      for (HarelStep step : life) {
        modelled.perform(step);
      }
      return false;
    } catch (AssertionError e) {
      return true;
    }
  }
}
