package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.uri.QueueUri;
import dev.sluice.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Fails when a poll or a claim begins to grow with the table, in any shape. Ratios of one run, not
 * times; a busy machine gets three tries.
 */
@Isolated("measures, or starts processes")
class FlatTest {
  private static final long SMALL = 1_000;
  private static final long LARGE = 50_000;
  private static final int TRIES = 3;

  // A walk over the table is 50 times as long; what both cost is mostly the commit.
  private static final double MOST_GROWTH = 5;

  private static TestDatabase database;

  @BeforeAll
  static void open() {
    database = TestDatabase.fresh();
  }

  @AfterAll
  static void close() {
    database.close();
  }

  @Test
  void aPollIsAsFastAtFiftyTimesTheRowsInEachShape() {
    assertFlat(Operation.POLL, List.of(LegacyShape.values()));
  }

  @Test
  void aClaimIsAsFastAtFiftyTimesTheGroupsInEachShape() {
    assertFlat(Operation.CLAIM, List.of());
  }

  private static void assertFlat(Operation operation, List<LegacyShape> shapes) {
    List<String> grown = new ArrayList<>();
    List<LegacyShape> left = shapes;
    for (int attempt = 0; attempt < TRIES; attempt++) {
      grown = grown(operation, left);
      if (grown.isEmpty()) {
        return;
      }
      List<String> again = grown;
      left = left.stream().filter(shape -> again.contains(shape.label())).toList();
    }
    assertThat(grown).as("shapes that grow with the table").isEmpty();
  }

  private static List<String> grown(Operation operation, List<LegacyShape> shapes) {
    List<Result> results =
        new Bench(
                new BenchRequest(
                    QueueUri.parse(database.uri()),
                    Set.of(operation),
                    shapes,
                    List.of(SMALL, LARGE),
                    5,
                    Duration.ofSeconds(1)),
                what -> {})
            .run();
    TreeMap<String, Double> growth = new TreeMap<>();
    for (Result result : results) {
      if (result.entrant().equals(Entrants.OURS)) {
        double least = result.least();
        growth.merge(result.shape(), least, (small, large) -> large / small);
      }
    }
    System.out.printf(
        Locale.ROOT, "%s, times as long at 50 times the rows: %s%n", operation, growth);
    assertThat(growth).isNotEmpty();
    return growth.entrySet().stream()
        .filter(entry -> entry.getValue() > MOST_GROWTH)
        .map(entry -> entry.getKey())
        .toList();
  }
}
