package dev.sluice.migrate;

import java.util.List;

/**
 * Gives the rows of a group, in their order, seconds such that they sort by (second, id) as they
 * are. Rows whose ids ascend share a second.
 */
final class Seconds {
  private Seconds() {}

  /**
   * Which second each row gets, counted from that of the first one.
   *
   * @param ascends of each row, whether its id comes behind that of the row before
   */
  static long[] steps(List<Boolean> ascends) {
    long[] steps = new long[ascends.size()];
    for (int i = 1; i < steps.length; i++) {
      steps[i] = steps[i - 1] + (ascends.get(i) ? 0 : 1);
    }
    return steps;
  }

  /**
   * The second of the first row: behind those that the group has, else so far back that the rest of
   * the group finds room too.
   *
   * @param last the last second in the group; Long.MIN_VALUE for none
   */
  static long first(long last, long now, long room) {
    return last == Long.MIN_VALUE ? now - 1 - room : last + 1;
  }
}
