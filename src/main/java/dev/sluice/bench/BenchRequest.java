package dev.sluice.bench;

import dev.sluice.queue.uri.QueueUri;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What is to be measured. Immutable.
 *
 * @param database where the scratch schemas are made
 * @param operations at least one
 * @param shapes of the legacy table, for {@link Operation#POLL}
 * @param sizes how many rows, or groups of the harel tables; each from 1,000 to 10,000,000
 * @param runs how often each is measured, from 1 to 100
 * @param patience after which a run is cut off, from 1 s to 1 h
 */
public record BenchRequest(
    QueueUri database,
    Set<Operation> operations,
    List<LegacyShape> shapes,
    List<Long> sizes,
    int runs,
    Duration patience) {
  private static final long LEAST = 1_000;
  private static final long MOST = 10_000_000;
  private static final int MOST_RUNS = 100;

  public BenchRequest {
    operations = Set.copyOf(operations);
    shapes = List.copyOf(shapes);
    sizes = sizes.stream().sorted().distinct().toList();
    for (long size : sizes) {
      if (size < LEAST || size > MOST) {
        throw new IllegalArgumentException("size: must be 1000 to 10000000, was " + size);
      }
    }
    if (runs < 1 || runs > MOST_RUNS) {
      throw new IllegalArgumentException("runs: must be 1 to " + MOST_RUNS + ", was " + runs);
    }
    if (patience.toSeconds() < 1 || patience.toHours() > 1) {
      throw new IllegalArgumentException(
          "patience: must be 1 s to 1 h, was " + patience.toSeconds() + " s");
    }
  }

  boolean measuresLegacy() {
    return operations.stream().anyMatch(operation -> !operation.ofHarel());
  }

  boolean measuresHarel() {
    return operations.stream().anyMatch(Operation::ofHarel);
  }
}
