package dev.sluice.queue.legacy;

/**
 * The statements that write or settle messages by their primary key.
 *
 * <p>Plan of each: a nested loop over the batch into the primary key, 4 to 5 buffers a row at any
 * table size; the receipt names the row's id, so it needs no index.
 *
 * <p>Each statement that touches many rows first locks them in the order of their ids. Two such
 * statements, in one router or in two, then wait for each other and not in a circle; the claim
 * waits for no lock at all. A circle through quarantine (a reject beside a requeue of the same ids)
 * is left: the database breaks it, and {@link dev.sluice.queue.jdbc.Session} runs the loser again.
 */
final class SettleSql {
  private SettleSql() {}

  /** Parameters: 1 queue name, 2 the ids. */
  private static final String LOCKED =
      """
      locked AS MATERIALIZED (
        SELECT m.id
        FROM queue_messages m
        WHERE m.queue_name = ? AND m.id = ANY (CAST(? AS text[]))
        ORDER BY m.id
        FOR UPDATE
      )""";

  /** Reads the locked rows, so that they are locked before anything else is done. */
  private static final String AFTER_LOCKING = "(SELECT count(*) FROM locked) >= 0";

  /** Parameters: 1 queue, 2 ids, 3 queue, 4 ids, 5 receipts. Yields the receipts that held. */
  static final String ACK =
      """
      WITH %s
      DELETE FROM queue_messages m
      USING unnest(CAST(? AS text[]), CAST(? AS text[])) AS r(id, receipt)
      WHERE m.queue_name = ? AND m.id = r.id AND m.receipt_handle = r.receipt AND %s
      RETURNING r.receipt"""
          .formatted(LOCKED, AFTER_LOCKING);

  /**
   * Gives back. Parameters: 1 the time or NULL, 2 queue, 3 ids, 4 ids, 5 receipts, 6 delays in
   * seconds, 7 queue. Yields the receipts that held.
   */
  static final String RETURN =
      """
      WITH %s, %s
      UPDATE queue_messages m
      SET receipt_handle = NULL, visible_at = (SELECT now FROM clock) + r.delay
      FROM unnest(CAST(? AS text[]), CAST(? AS text[]), CAST(? AS bigint[])) AS r(id, receipt, delay)
      WHERE m.queue_name = ? AND m.id = r.id AND m.receipt_handle = r.receipt AND %s
      RETURNING r.receipt"""
          .formatted(ClaimSql.CLOCK, LOCKED, AFTER_LOCKING);

  /**
   * Parameters: 1 the time or NULL, 2 queue, 3 ids, 4 seconds, 5 ids, 6 receipts, 7 queue. Yields
   * the receipts that held.
   */
  static final String EXTEND =
      """
      WITH %s, %s
      UPDATE queue_messages m
      SET visible_at = (SELECT now FROM clock) + CAST(? AS bigint)
      FROM unnest(CAST(? AS text[]), CAST(? AS text[])) AS r(id, receipt)
      WHERE m.queue_name = ? AND m.id = r.id AND m.receipt_handle = r.receipt AND %s
      RETURNING r.receipt"""
          .formatted(ClaimSql.CLOCK, LOCKED, AFTER_LOCKING);

  /**
   * Moves to quarantine, or gives back where only what is behind others may go there and its group
   * is blocked no more: neither by quarantine nor by an earlier rejection of this statement.
   *
   * <p>{@link QuarantineSql} tells why that holds beside a requeue or discard: the look at
   * quarantine is a command begun after its lock was taken.
   *
   * <p>Parameters: 1 queue, 2 the time or NULL, 3 queue, 4 ids, 5 ids, 6 receipts, 7 reasons, 8
   * whether only behind others. Yields the receipts that held, and whether each was moved.
   */
  static final String REJECT =
      QuarantineSql.BESIDE_OTHER_REJECTIONS
          + """
          ; WITH %s,
          parameters AS MATERIALIZED (SELECT CAST(? AS text) AS queue),
          locked AS MATERIALIZED (
            SELECT m.id, COALESCE(m.message_group_id, m.id) AS gk, m.receipt_handle
            FROM queue_messages m
            WHERE m.queue_name = (SELECT queue FROM parameters) AND m.id = ANY (CAST(? AS text[]))
            ORDER BY m.id
            FOR UPDATE
          ),
          held AS MATERIALIZED (
            SELECT l.id, l.gk, r.receipt, r.reason, r.behind, r.place
            FROM locked l
            JOIN unnest(CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS boolean[]))
              WITH ORDINALITY AS r(id, receipt, reason, behind, place)
              ON r.id = l.id AND r.receipt = l.receipt_handle
          ),
          behind AS MATERIALIZED (SELECT DISTINCT h.gk FROM held h WHERE h.behind),
          blocked AS MATERIALIZED (%s),
          back AS MATERIALIZED (
            SELECT h.id, h.receipt
            FROM held h
            WHERE h.behind AND h.gk NOT IN (SELECT gk FROM blocked)
              AND NOT EXISTS (
                SELECT 1 FROM held e
                WHERE e.gk = h.gk AND e.place < h.place AND NOT e.behind
                  AND starts_with(e.reason, 'BLOCKED: '))
          ),
          gone AS (
            DELETE FROM queue_messages m
            USING held h
            WHERE m.queue_name = (SELECT queue FROM parameters) AND m.id = h.id AND m.receipt_handle = h.receipt
              AND h.id NOT IN (SELECT id FROM back)
            RETURNING m.id, m.queue_name, m.message_group_id, m.payload, m.receive_count,
              m.created_at, m.receipt_handle, h.reason
          ),
          kept AS (
            INSERT INTO queue_messages_failed (id, queue_name, message_group_id, payload,
              error_message, receive_count, created_at, failed_at)
            SELECT g.id, g.queue_name, g.message_group_id, g.payload, left(g.reason, 1000),
              g.receive_count, g.created_at, (SELECT now FROM clock)
            FROM gone g
            ORDER BY g.id
            ON CONFLICT (queue_name, id) DO UPDATE
            SET message_group_id = EXCLUDED.message_group_id, payload = EXCLUDED.payload,
              error_message = EXCLUDED.error_message, receive_count = EXCLUDED.receive_count,
              created_at = EXCLUDED.created_at, failed_at = EXCLUDED.failed_at
          ),
          returned AS (
            UPDATE queue_messages m
            SET receipt_handle = NULL, visible_at = (SELECT now FROM clock)
            FROM back b
            WHERE m.queue_name = (SELECT queue FROM parameters) AND m.id = b.id AND m.receipt_handle = b.receipt
            RETURNING b.receipt
          )
          SELECT receipt_handle, true FROM gone
          UNION ALL
          SELECT receipt, false FROM returned"""
              .formatted(ClaimSql.CLOCK, QuarantineSql.blockedAmong("behind g"));

  /** Parameters: 1 queue, 2 ids. Yields those of the ids that are in the queue. */
  static final String PRESENT =
      "SELECT id FROM queue_messages WHERE queue_name = ? AND id = ANY (CAST(? AS text[]))";

  // Sorted, so that two batches that hold the same ids wait for each other in one order.
  private static final String WRITE =
      """
      WITH %s,
      written AS (
        INSERT INTO queue_messages (id, queue_name, message_group_id, visible_at, payload, created_at)
        SELECT r.id, r.queue, r.grp, c.now, r.payload, c.now
        FROM unnest(CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]), CAST(? AS text[]))
          AS r(id, queue, grp, payload), clock c
        ORDER BY r.queue, r.id
        %s
      )
      SELECT 1""";

  /**
   * Publishes what is not there yet. Parameters: 1 the time or NULL, 2 ids, 3 queues, 4 groups, 5
   * payloads. Yields one row, whatever it wrote.
   */
  static final String INSERT = WRITE.formatted(ClaimSql.CLOCK, "ON CONFLICT DO NOTHING");

  /** As {@link #INSERT}, but fails when an id is there already or comes twice. */
  static final String INSERT_NEW = WRITE.formatted(ClaimSql.CLOCK, "");
}
