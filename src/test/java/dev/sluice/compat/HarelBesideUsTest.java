package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * The real harel package and we on the same groups at once, with kills. Each test also checks that
 * no group has two messages in flight, that order holds and that nothing is lost.
 */
@Isolated("measures, or starts processes")
class HarelBesideUsTest {
  /** Five seconds are the promise, which a machine that stands still does not keep. */
  private static final Duration LONGEST = Duration.ofSeconds(20);

  private @Nullable HarelTables tables;

  @AfterEach
  void dropDatabase() {
    if (tables != null) {
      tables.close();
    }
  }

  @Test
  void nothingOfTheSeedsVersionStaysStrandedForFiveSeconds() throws Exception {
    HarelTables ours = tables(HarelPackage.SEED);
    ours.init();

    HarelBesideUs.Outcome outcome = run(ours);

    assertThat(outcome.longest()).isLessThan(LONGEST);
  }

  @Test
  void theGuardKeepsTheSeedsVersionFromStranding() throws Exception {
    HarelTables theirs = tables(HarelPackage.SEED);
    theirs.initByPython();
    theirs.init();
    theirs.guard();

    HarelBesideUs.Outcome outcome = run(theirs);

    assertThat(outcome.stranded()).isZero();
  }

  @Test
  void theNewestVersionStrandsNothingOnItsOwnTables() throws Exception {
    HarelTables theirs = tables(HarelPackage.NEWEST);
    theirs.initByPython();
    theirs.init();

    HarelBesideUs.Outcome outcome = run(theirs);

    assertThat(outcome.stranded()).isZero();
  }

  @Test
  void theGuardDoesNotHinderTheNewestVersionOnOurTables() throws Exception {
    HarelTables ours = tables(HarelPackage.NEWEST);
    ours.init();
    ours.guard();

    HarelBesideUs.Outcome outcome = run(ours);

    assertThat(outcome.stranded()).isZero();
  }

  @Test
  void functionsAreReplacedInBothDirectionsInTheMiddleOfIt() throws Exception {
    HarelTables ours = tables(HarelPackage.SEED);
    ours.init();
    ours.guard();

    try (HarelBesideUs both = new HarelBesideUs(ours)) {
      both.replacingFunctions();
      both.run();
      System.out.printf("replaced Python's functions by ours %d times%n", both.replaced());
      assertThat(both.replaced()).isGreaterThan(1);
    }
  }

  private HarelTables tables(String version) throws Exception {
    HarelTables made = new HarelTables(HarelPackage.of(version));
    tables = made;
    return made;
  }

  private static HarelBesideUs.Outcome run(HarelTables tables) throws Exception {
    try (HarelBesideUs both = new HarelBesideUs(tables)) {
      return both.run();
    }
  }
}
