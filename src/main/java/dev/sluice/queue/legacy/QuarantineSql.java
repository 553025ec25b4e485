package dev.sluice.queue.legacy;

/**
 * How rejections, requeues and discards of a queue get out of each other's way, and how the
 * database finds out whether a group is blocked.
 *
 * <p>One advisory lock per queue, held to the end of the transaction: shared by rejections, alone
 * by a requeue or discard. Each takes it in its first command, before any lock that another could
 * wait for, so nobody waits in a circle with it; and looks at quarantine in its second, whose
 * snapshot, at READ COMMITTED, is younger than the lock. So of a rejection behind others and a
 * requeue of their group one comes first as a whole:
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

  private static final String LOCK =
      "SET TRANSACTION ISOLATION LEVEL READ COMMITTED;"
          + " SELECT %s(hashtextextended(CAST(? AS text), 7723024))";

  /** The first command of a rejection. Parameter: queue. */
  static final String BESIDE_OTHER_REJECTIONS =
      LOCK.formatted("set_config('enable_seqscan', 'off', true), pg_advisory_xact_lock_shared");

  /** The first command of a requeue or discard. Parameter: queue. */
  static final String ALONE = LOCK.formatted("pg_advisory_xact_lock");

  /**
   * The quarantined rows that block the group {@code g.gk}. Parameters: queue, queue.
   *
   * <p>Plan: a probe of {@code sluice_blocked_groups} a group, 4 buffers, whatever quarantine
   * holds; the first row found is enough. Without that index one pass over quarantine for all
   * groups. Written so that the primary key cannot serve it, and read with sequential scans off: a
   * session keeps a plan that it made when quarantine was empty.
   */
  static final String OF_BLOCKED_GROUP =
      """
      SELECT 1 FROM queue_messages_failed f
      WHERE hashtextextended(
          COALESCE(f.message_group_id, f.id), hashtextextended(f.queue_name, 0))
          = hashtextextended(g.gk, hashtextextended(CAST(? AS text), 0))
        AND starts_with(f.error_message, 'BLOCKED: ')
        AND COALESCE(f.message_group_id, f.id) = g.gk
        AND f.queue_name IS NOT DISTINCT FROM CAST(? AS text)""";

  /** Parameters: 1 groups, 2 queue, 3 queue. Yields those that are blocked. */
  static final String BLOCKED =
      "SELECT set_config('enable_seqscan', 'off', true);"
          + " SELECT g.gk FROM unnest(CAST(? AS text[])) AS g(gk) WHERE EXISTS (%s)"
              .formatted(OF_BLOCKED_GROUP);
}
