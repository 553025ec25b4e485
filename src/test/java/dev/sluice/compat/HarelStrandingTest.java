package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.harel.HarelQueue;
import dev.sluice.testing.Patience;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A publish of the real package under way while its ack finds the group drained. */
@Isolated("measures, or starts processes")
class HarelStrandingTest {
  private static final int GROUPS = 5;

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
  void theSeedsVersionStrands() throws Exception {
    HarelTables made = tables(HarelPackage.SEED);

    race(made);

    assertThat(stranded(made)).isEqualTo(GROUPS);
  }

  @Test
  void aPollDeliversWhatTheSeedsVersionStrandedWithinFiveSeconds() throws Exception {
    HarelTables made = tables(HarelPackage.SEED);
    HarelQueue queue = queue(made);
    long began = System.nanoTime();
    race(made);
    Duration toStrand = since(began);
    assertThat(stranded(made)).isEqualTo(GROUPS);

    Set<String> delivered = new HashSet<>();
    long polling = System.nanoTime();
    Patience.await()
        .atMost(LONGEST)
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              queue.poll(10).deliveries().stream()
                  .map(Delivery::claimGroup)
                  .forEach(delivered::add);
              return delivered.size() == GROUPS;
            });

    System.out.printf(
        "stranded in %d ms, delivered %d ms after the first poll%n",
        toStrand.toMillis(), since(polling).toMillis());
    assertThat(queue.counters().restored()).isEqualTo(GROUPS);
  }

  @Test
  void theGuardKeepsTheSeedsVersionFromStranding() throws Exception {
    HarelTables made = tables(HarelPackage.SEED);
    made.guard();

    race(made);

    assertThat(stranded(made)).isZero();
    assertThat(made.waiting()).isEqualTo(GROUPS);
  }

  @Test
  void theGuardGivesAMessageToItsNextClaimAtOnce() throws Exception {
    HarelTables made = tables(HarelPackage.SEED);
    made.guard();
    race(made);

    int delivered = queue(made).poll(GROUPS).deliveries().size();

    assertThat(delivered).isEqualTo(GROUPS);
  }

  @Test
  void theNewestVersionDoesNotStrand() throws Exception {
    HarelTables made = tables(HarelPackage.NEWEST);

    race(made);

    assertThat(stranded(made)).isZero();
  }

  private HarelTables tables(String version) throws Exception {
    HarelTables made = new HarelTables(HarelPackage.of(version));
    tables = made;
    made.init();
    return made;
  }

  private static HarelQueue queue(HarelTables tables) {
    return tables.queue().eventTarget("https://t.example/hook").build();
  }

  private static void race(HarelTables tables) throws Exception {
    tables.harel().run(tables.command("race", "--groups", Integer.toString(GROUPS)));
  }

  private static long stranded(HarelTables tables) throws Exception {
    return tables.number(
        "SELECT count(*) FROM %s m WHERE NOT EXISTS (SELECT 1 FROM %s g WHERE g.group_id = m.group_id)"
            .formatted(tables.messages(), tables.groups()));
  }

  private static Duration since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos);
  }
}
