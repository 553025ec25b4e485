package dev.sluice.migrate;

/**
 * Gives the rows of a group, in their order, seconds such that they sort by (second, id) as they
 * are. Rows whose ids ascend share a second.
 */
final class Seconds {
  private Seconds() {}

  /**
   * Which second each row gets, counted from that of the first one.
   *
   * @param ranks the place of each row's id in the order of the database
   */
  static long[] steps(long[] ranks) {
    long[] steps = new long[ranks.length];
    for (int i = 1; i < ranks.length; i++) {
      steps[i] = steps[i - 1] + (ranks[i] > ranks[i - 1] ? 0 : 1);
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
