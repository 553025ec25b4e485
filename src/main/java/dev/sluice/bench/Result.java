package dev.sluice.bench;

import java.util.Arrays;
import java.util.List;

/**
 * The times of one entrant in one contest. Immutable.
 *
 * @param shape what the rows were like
 * @param rows how many there were: messages, or groups of the harel tables
 * @param entrant who it was
 * @param seconds for one {@link Operation#unit}, a figure for each run, at least one
 * @param gaveUp whether it was cut off: the one figure is the time after which, and it took more
 */
public record Result(
    Operation operation,
    String shape,
    long rows,
    String entrant,
    List<Double> seconds,
    boolean gaveUp) {

  public Result {
    seconds = List.copyOf(seconds);
    if (seconds.isEmpty()) {
      throw new IllegalArgumentException("seconds: must not be empty");
    }
  }

  /** The middle one; of two in the middle the greater. */
  public double median() {
    return sorted()[seconds.size() / 2];
  }

  public double least() {
    return sorted()[0];
  }

  public double most() {
    return sorted()[seconds.size() - 1];
  }

  private double[] sorted() {
    double[] sorted = seconds.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    return sorted;
  }
}
