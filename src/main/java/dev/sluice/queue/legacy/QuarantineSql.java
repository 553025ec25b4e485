package dev.sluice.queue.legacy;

/**
 * How rejections, requeues and discards of a queue get out of each other's way, and how the
 * database finds out whether a group is blocked.
 *
 * <p>One advisory lock per queue, held to the end of the transaction ({@link
 * dev.sluice.queue.jdbc.Session#queryAtOnce}): shared by rejections, alone by a requeue or discard.
 * Each takes it in its first command, before any lock that another could wait for, so nobody waits
 * in a circle with it; and looks at quarantine in its second, whose snapshot, at READ COMMITTED, is
 * younger than the lock. So of a rejection behind others and a requeue of their group one comes
 * first as a whole:
 *
 * <ul>
 *   <li>the rejection: it is committed when the requeue looks, which takes it along;
 *   <li>the requeue: it is committed when the rejection looks, which finds no blocked row and gives
 *       its message back.
 * </ul>
 *
 * <p>Row locks would not do with one look: whoever waits for a row still sees the rows of before.
 * The price: rejections of a queue, malformed messages too, wait while an operator's requeue or
 * discard of the same queue runs.
 */
final class QuarantineSql {
  private QuarantineSql() {}

  /** Holds the planner to the index of blocked groups. */
  private static final String NO_OTHER_SCANS =
      "set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)";

  private static final String LOCK = "SELECT %s(hashtextextended(CAST(? AS text), 7723024))";

  /** The first command of a rejection. Parameter: queue. */
  static final String BESIDE_OTHER_REJECTIONS =
      LOCK.formatted(NO_OTHER_SCANS + ", pg_advisory_xact_lock_shared");

  /** The first command of a requeue or discard. Parameter: queue. */
  static final String ALONE = LOCK.formatted("pg_advisory_xact_lock");

  private static final String OF_GROUP =
      """
      SELECT 1 FROM queue_messages_failed f
      WHERE hashtextextended(
          COALESCE(f.message_group_id, f.id), hashtextextended(f.queue_name, 0))
          = hashtextextended(g.gk, hashtextextended((SELECT queue FROM parameters), 0))
        AND starts_with(f.error_message, 'BLOCKED: ')
        AND COALESCE(f.message_group_id, f.id) = g.gk
        AND f.queue_name IS NOT DISTINCT FROM (SELECT queue FROM parameters)""";

  /**
   * Those of the groups {@code g(gk)} of this FROM item that are blocked; reads the queue's name
   * from {@code parameters}.
   *
   * <p>Plan: a probe of {@code sluice_blocked_groups} a group, up to 4 buffers, whatever quarantine
   * holds: the first row found is enough. LATERAL with LIMIT keeps it from becoming a pass over all
   * blocked rows while the index has no statistics, and the queue's name is compared so that the
   * primary key cannot serve it. Without the index, as in a table of an older version, one pass
   * over quarantine for all groups. Either half is only run where it is the right one.
   */
  static String blockedAmong(String groups) {
    return """
        SELECT g.gk FROM %1$s CROSS JOIN LATERAL (%2$s LIMIT 1) f
        WHERE to_regclass('sluice_blocked_groups') IS NOT NULL
        UNION ALL
        SELECT g.gk FROM %1$s
        WHERE to_regclass('sluice_blocked_groups') IS NULL AND EXISTS (%2$s)"""
        .formatted(groups, OF_GROUP);
  }

  /** Parameters: 1 queue, 2 groups. Yields those that are blocked. */
  static final String BLOCKED =
      """
      SELECT %s; WITH parameters AS MATERIALIZED (SELECT CAST(? AS text) AS queue),
      g AS MATERIALIZED (SELECT a.gk FROM unnest(CAST(? AS text[])) AS a(gk))
      %s"""
          .formatted(NO_OTHER_SCANS, blockedAmong("g"));
}
