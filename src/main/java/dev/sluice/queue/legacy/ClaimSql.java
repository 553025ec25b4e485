package dev.sluice.queue.legacy;

/**
 * The statements that choose what a poll claims.
 *
 * <p>A row is claimable when it is visible and every earlier row of its group is in flight: the two
 * NOT EXISTS clauses of the seed in one. A row that is not in flight (it <em>waits</em>) blocks the
 * later ones of its group, so the only candidate of a group is its first waiting row, its head.
 *
 * <p>Each statement yields candidates from branches that cost more and more, and the executor
 * starts a branch only when those before it gave too few: an Append pulls its children in order, a
 * CTE runs only as far as it is read, and a branch whose constant condition is false is never
 * started. All branches are exact, and each begins where the one before it ended, so the result is
 * that of the seed's statement, in its order.
 *
 * <p>Parameters: 1 queue name, 2 the time in epoch seconds or NULL for the database's.
 */
final class ClaimSql {
  /** How many rows, and then groups, the cheap branches look at before the dear one must start. */
  record Budgets(int rows, int groups) {
    static final Budgets DEFAULT = new Budgets(2_000, 5_000);
  }

  /** The condition under which a row is in the partial claim indexes, letter for letter. */
  private static final String SHORT =
      "octet_length(%1$s.queue_name) + octet_length(%1$s.id) <= 2000";

  private static final String GROUP = "COALESCE(%1$s.message_group_id, %1$s.id)";
  private static final String GROUP_HASH = "hashtextextended(" + GROUP + ", 0)";
  private static final String WAITS =
      "(%1$s.receipt_handle IS NULL OR %1$s.visible_at <= (SELECT now FROM clock))";

  /** One instant for the whole statement, whole seconds, cut off as Go does. */
  static final String CLOCK =
      """
      clock AS MATERIALIZED (
        SELECT COALESCE(CAST(? AS bigint), floor(extract(epoch FROM clock_timestamp()))::bigint) AS now
      )""";

  private ClaimSql() {}

  /**
   * WITH clauses that end in {@code candidates(row, gk, created_at, id)}, for a table with our
   * claim indexes.
   *
   * <p>Plan: branch 1 walks {@code sluice_claim_order} and asks {@code sluice_claim_group} for each
   * row whether an earlier one of its group waits: about 8 buffers a row, whatever the table's
   * size. Branch 2, for few groups with many blocked rows in front: hops from group to group in
   * {@code sluice_claim_group}. Branch 3, for more groups than that: one pass over the queue,
   * linear, with a sort. The limits are literals, since a generic plan expects a tenth of the table
   * from {@code LIMIT $n}; LATERAL with LIMIT keeps the planner from turning probes into a join
   * with the whole table when its statistics are stale.
   */
  static String indexed(Budgets budgets) {
    return """
        WITH RECURSIVE parameters AS MATERIALIZED (SELECT CAST(? AS text) AS queue),
        %1$s,
        -- Rows that the partial indexes leave out; there are none, as a rule (1 buffer).
        oversized AS MATERIALIZED (
          SELECT EXISTS (
            SELECT 1 FROM queue_messages m
            WHERE NOT (%2$s) AND m.queue_name = (SELECT queue FROM parameters)) AS found
        ),
        walk AS MATERIALIZED (
          SELECT m.ctid AS row, m.id, m.created_at, m.visible_at, %3$s AS gk
          FROM queue_messages m
          WHERE m.queue_name = (SELECT queue FROM parameters) AND %2$s
            AND NOT (SELECT found FROM oversized)
          ORDER BY m.created_at, m.id
          LIMIT %4$d
        ),
        hashes AS (
          (SELECT %5$s AS gh
           FROM queue_messages m
           WHERE m.queue_name = (SELECT queue FROM parameters) AND %2$s
           ORDER BY %5$s
           LIMIT 1)
          UNION ALL
          SELECT (SELECT %5$s
                  FROM queue_messages m
                  WHERE m.queue_name = (SELECT queue FROM parameters) AND %2$s
                    AND %5$s > h.gh
                  ORDER BY %5$s
                  LIMIT 1)
          FROM hashes h
          WHERE h.gh IS NOT NULL
        ),
        beyond AS MATERIALIZED (
          SELECT (SELECT found FROM oversized) OR (SELECT count(*) FROM walk) = %4$d AS walked_out
        ),
        reach AS MATERIALIZED (
          SELECT (SELECT walked_out FROM beyond)
             AND ((SELECT found FROM oversized)
                  OR (SELECT count(*) FROM (SELECT 1 FROM hashes LIMIT %6$d) h) = %6$d) AS hopped_out
        ),
        candidates AS (
          SELECT w.row, w.gk, w.created_at, w.id
          FROM walk w
          LEFT JOIN LATERAL (
            SELECT true AS yes
            FROM queue_messages e
            WHERE e.queue_name = (SELECT queue FROM parameters) AND %7$s
              AND %8$s = hashtextextended(w.gk, 0) AND %9$s = w.gk
              AND (e.created_at, e.id) < (w.created_at, w.id)
              AND %10$s
            LIMIT 1) blocked ON true
          WHERE w.visible_at <= (SELECT now FROM clock) AND blocked.yes IS NULL
          UNION ALL
          (SELECT head.row, head.gk, head.created_at, head.id
           FROM hashes h
           CROSS JOIN LATERAL (
             SELECT e.ctid AS row, e.created_at, e.id, e.visible_at, %9$s AS gk
             FROM queue_messages e
             WHERE e.queue_name = (SELECT queue FROM parameters) AND %7$s
               AND %8$s = h.gh AND %10$s
             ORDER BY e.created_at, e.id
             LIMIT 1) head
           WHERE (SELECT walked_out FROM beyond) AND NOT (SELECT hopped_out FROM reach)
             AND head.visible_at <= (SELECT now FROM clock)
             AND (head.created_at, head.id) > (
               SELECT l.created_at, l.id FROM walk l ORDER BY l.created_at DESC, l.id DESC LIMIT 1)
           ORDER BY head.created_at, head.id)
          UNION ALL
          (SELECT head.row, head.gk, head.created_at, head.id
           FROM (%11$s
             AND (SELECT hopped_out FROM reach)
             ORDER BY %9$s, e.created_at, e.id) head
           WHERE head.visible_at <= (SELECT now FROM clock)
             AND COALESCE(
               (head.created_at, head.id) > (
                 SELECT l.created_at, l.id FROM walk l ORDER BY l.created_at DESC, l.id DESC LIMIT 1),
               true)
           ORDER BY head.created_at, head.id)
        )"""
        .formatted(
            CLOCK,
            SHORT.formatted("m"),
            GROUP.formatted("m"),
            budgets.rows(),
            GROUP_HASH.formatted("m"),
            budgets.groups(),
            SHORT.formatted("e"),
            GROUP_HASH.formatted("e"),
            GROUP.formatted("e"),
            WAITS.formatted("e"),
            heads());
  }

  /**
   * The same for a table without our indexes.
   *
   * <p>Plan: branch 1 reads the queue once and keeps the oldest waiting rows, a heap of fixed size.
   * Whatever blocks one of them is older and waits, so it is among them: the first of each group in
   * this prefix is its head. Branch 2, when the prefix holds too few claimable heads: a second pass
   * that sorts. Both are linear in the size of the queue.
   */
  static String unindexed(Budgets budgets) {
    return """
        WITH parameters AS MATERIALIZED (SELECT CAST(? AS text) AS queue),
        %1$s,
        walk AS MATERIALIZED (
          SELECT e.ctid AS row, e.id, e.created_at, e.visible_at, %2$s AS gk
          FROM queue_messages e
          WHERE e.queue_name = (SELECT queue FROM parameters) AND %3$s
          ORDER BY e.created_at, e.id
          LIMIT %4$d
        ),
        candidates AS (
          (SELECT head.row, head.gk, head.created_at, head.id
           FROM (
             SELECT DISTINCT ON (w.gk) w.row, w.gk, w.created_at, w.id, w.visible_at
             FROM walk w
             ORDER BY w.gk, w.created_at, w.id) head
           WHERE head.visible_at <= (SELECT now FROM clock)
           ORDER BY head.created_at, head.id)
          UNION ALL
          (SELECT head.row, head.gk, head.created_at, head.id
           FROM (%5$s
             AND (SELECT count(*) FROM walk) = %4$d
             ORDER BY %2$s, e.created_at, e.id) head
           WHERE head.visible_at <= (SELECT now FROM clock)
             AND (head.created_at, head.id) > (
               SELECT l.created_at, l.id FROM walk l ORDER BY l.created_at DESC, l.id DESC LIMIT 1)
           ORDER BY head.created_at, head.id)
        )"""
        .formatted(CLOCK, GROUP.formatted("e"), WAITS.formatted("e"), budgets.rows(), heads());
  }

  /**
   * Claims the first of the candidates. Further parameters: 3 the receipt's prefix, 4 the
   * visibility timeout in seconds, 5 how many.
   *
   * <p>LockRows below the Limit passes over rows that another session has locked. A row that
   * changed between our snapshot and its lock is dropped: its new version is not at the place that
   * we saw. The UPDATE finds its rows by that place, so no plan for it can be slow.
   */
  static String claim(String candidates) {
    return candidates
        + """
        ,
        claimed AS (
          UPDATE queue_messages u
          SET receipt_handle = CAST(? AS text) || u.id,
              visible_at = (SELECT now FROM clock) + CAST(? AS bigint),
              receive_count = COALESCE(u.receive_count, 0) + 1
          WHERE u.ctid = ANY (ARRAY(
              SELECT locked.row
              FROM candidates c
              CROSS JOIN LATERAL (
                SELECT m.ctid AS row FROM queue_messages m WHERE m.ctid = c.row
                FOR UPDATE SKIP LOCKED) locked
              LIMIT CAST(? AS bigint)))
            AND u.visible_at <= (SELECT now FROM clock)
          RETURNING u.id, COALESCE(u.message_group_id, u.id) AS gk, u.payload, u.receipt_handle,
            u.receive_count, u.created_at, u.visible_at
        )
        SELECT * FROM claimed ORDER BY created_at, id""";
  }

  /**
   * Takes the locks of the groups of the first candidates whose groups have nothing in flight, and
   * yields their ids. Further parameter: 3 how many. The locks last for the transaction. The fence
   * (OFFSET 0) has the lock asked for last: it is taken for few rows more than are returned.
   */
  static String lockGroups(String candidates, boolean indexed) {
    return candidates
        + """

        SELECT c.id
        FROM (
          SELECT c.id, c.gk
          FROM candidates c
          WHERE %s
          OFFSET 0) c
        WHERE pg_try_advisory_xact_lock(
          hashtextextended(c.gk, hashtextextended((SELECT queue FROM parameters), 7723020)))
        LIMIT CAST(? AS bigint)"""
            .formatted(
                indexed
                    ? "NOT EXISTS (" + inFlight("(SELECT queue FROM parameters)", "c.gk") + ")"
                    : """
                      c.gk NOT IN (
                        SELECT %s FROM queue_messages e
                        WHERE e.queue_name = (SELECT queue FROM parameters) AND NOT %s)"""
                        .formatted(GROUP.formatted("e"), WAITS.formatted("e")));
  }

  /**
   * Claims these rows where they are still first in groups with nothing in flight, seen by a
   * snapshot that is younger than the locks of their groups. Parameters: 1 queue name, 2 the time
   * or NULL, 3 the receipt's prefix, 4 the visibility timeout in seconds, 5 the ids.
   *
   * <p>Plan: without indexes one pass over the queue (a hash anti join); with them three probes a
   * row, which LATERAL keeps from becoming such a pass.
   */
  static String claimLocked(boolean indexed) {
    String first =
        indexed
            ? """
              NOT EXISTS (%1$s AND %3$s AND %4$s OFFSET 0)
                AND NOT EXISTS (%1$s AND NOT (%3$s) OFFSET 0)
                AND NOT EXISTS (%2$s)"""
                .formatted(
                    """
                    SELECT 1 FROM queue_messages e
                    WHERE e.queue_name = m.queue_name AND %s = %s
                      AND (e.created_at, e.id) < (m.created_at, m.id)"""
                        .formatted(GROUP.formatted("e"), GROUP.formatted("m")),
                    inFlight("m.queue_name", GROUP.formatted("m")),
                    SHORT.formatted("e"),
                    GROUP_HASH.formatted("e") + " = " + GROUP_HASH.formatted("m"))
            : """
              NOT EXISTS (
                SELECT 1 FROM queue_messages e
                WHERE e.queue_name = (SELECT queue FROM parameters) AND %s = %s
                  AND ((e.created_at, e.id) < (m.created_at, m.id) OR NOT %s))"""
                .formatted(GROUP.formatted("e"), GROUP.formatted("m"), WAITS.formatted("e"));
    String wanted =
        """
        %s queue_messages m
        WHERE m.queue_name = (SELECT queue FROM parameters) AND m.id = wanted.id
          AND m.visible_at <= (SELECT now FROM clock)
          AND %s
        FOR UPDATE %s SKIP LOCKED""";
    String locked =
        indexed
            ? """
              SELECT l.row FROM unnest(CAST(? AS text[])) AS wanted(id)
              CROSS JOIN LATERAL (%s) l"""
                .formatted(wanted.formatted("SELECT m.ctid AS row FROM", first, ""))
            : wanted.formatted(
                "SELECT m.ctid FROM unnest(CAST(? AS text[])) AS wanted(id), ", first, "OF m");
    return """
        WITH parameters AS MATERIALIZED (SELECT CAST(? AS text) AS queue),
        %s,
        claimed AS (
          UPDATE queue_messages u
          SET receipt_handle = CAST(? AS text) || u.id,
              visible_at = (SELECT now FROM clock) + CAST(? AS bigint),
              receive_count = COALESCE(u.receive_count, 0) + 1
          WHERE u.ctid = ANY (ARRAY(%s))
            AND u.visible_at <= (SELECT now FROM clock)
          RETURNING u.id, COALESCE(u.message_group_id, u.id) AS gk, u.payload, u.receipt_handle,
            u.receive_count, u.created_at, u.visible_at
        )
        SELECT * FROM claimed ORDER BY created_at, id"""
        .formatted(CLOCK, locked);
  }

  // One probe of sluice_claim_held, which holds claimed rows only. OFFSET 0: stays a probe.
  private static String inFlight(String queue, String group) {
    return """
        SELECT 1 FROM queue_messages e
        WHERE hashtextextended(%3$s, hashtextextended(e.queue_name, 0))
            = hashtextextended(%2$s, hashtextextended(%1$s, 0))
          AND e.queue_name = %1$s AND %3$s = %2$s
          AND e.receipt_handle IS NOT NULL AND e.visible_at > (SELECT now FROM clock)
        OFFSET 0"""
        .formatted(queue, group, GROUP.formatted("e"));
  }

  /**
   * Shows the first candidates. Further parameters: 3 and 4 only this group or NULL, 5 how many.
   */
  static String peek(String candidates) {
    return candidates
        + """

        SELECT m.id, m.message_group_id, m.created_at, m.visible_at, m.receive_count, m.payload
        FROM candidates c
        CROSS JOIN LATERAL (SELECT * FROM queue_messages m WHERE m.ctid = c.row LIMIT 1) m
        WHERE CAST(? AS text) IS NULL OR c.gk = ?
        LIMIT CAST(? AS bigint)""";
  }

  /** The first waiting row of each group, one pass; a further condition and the order follow. */
  private static String heads() {
    return """
        SELECT DISTINCT ON (%1$s)
               e.ctid AS row, e.created_at, e.id, e.visible_at, %1$s AS gk
             FROM queue_messages e
             WHERE e.queue_name = (SELECT queue FROM parameters) AND %2$s"""
        .formatted(GROUP.formatted("e"), WAITS.formatted("e"));
  }
}
