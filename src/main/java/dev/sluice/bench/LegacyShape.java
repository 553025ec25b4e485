package dev.sluice.bench;

/**
 * What the rows of {@code queue_messages} are like. Expressions are over {@code i}, the number of a
 * row from 1, {@code n}, how many there are, and {@code c}, when it was created.
 */
public enum LegacyShape {
  /** Rows without a group. */
  SINGLETONS("singletons", Columns.NONE, Columns.NONE, Columns.CREATED, Columns.ONE),
  /** 10,000 groups, their rows mixed. */
  GROUPS("groups", "'g' || i % 10000", Columns.NONE, Columns.CREATED, Columns.ONE),
  /** Ten groups, one behind the other. */
  GIANTS("giants", "'g' || i * 10 / (n + 1)", Columns.NONE, Columns.CREATED, Columns.ONE),
  /** Nine tenths are one group in front of the rest, whose head is delayed. */
  BLOCKED(
      "blocked",
      "CASE WHEN i <= n * 9 / 10 THEN 'giant' END",
      Columns.NONE,
      "CASE WHEN i = 1 THEN 4000000000 ELSE c END",
      Columns.ONE),
  /** The older half is in flight. */
  IN_FLIGHT(
      "in-flight",
      Columns.NONE,
      "CASE WHEN i <= n / 2 THEN 'held:' || i END",
      "CASE WHEN i <= n / 2 THEN 4000000000 ELSE c END",
      Columns.ONE),
  /** Each was claimed once, by somebody who is gone. */
  LAPSED("lapsed", Columns.NONE, "'lapsed:' || i", Columns.CREATED, Columns.ONE),
  /** Every second row is delayed. */
  DELAYED(
      "delayed",
      Columns.NONE,
      Columns.NONE,
      "CASE WHEN i % 2 = 1 THEN 4000000000 ELSE c END",
      Columns.ONE),
  /** A hundred queues in the table; as many as have 500 rows where it is small. */
  QUEUES(
      "queues",
      Columns.NONE,
      Columns.NONE,
      Columns.CREATED,
      "CASE WHEN i % greatest(1, least(100, n / 500)) = 0 THEN 'q'"
          + " ELSE 'q' || i % greatest(1, least(100, n / 500)) END");

  /** The columns message_group_id, receipt_handle, visible_at and queue_name. */
  private static final class Columns {
    static final String NONE = "NULL";
    static final String CREATED = "c";
    static final String ONE = "'q'";
  }

  private final String label;
  private final String columns;

  LegacyShape(String label, String... columns) {
    this.label = label;
    this.columns = String.join(", ", columns);
  }

  /** As it is named on the command line and in reports. */
  public String label() {
    return label;
  }

  /** Expressions for message_group_id, receipt_handle, visible_at and queue_name, in this order. */
  String columns() {
    return columns;
  }

  @Override
  public String toString() {
    return label;
  }
}
