package dev.sluice.queue.legacy;

/**
 * The statements that choose what a poll claims.
 *
 * <p>A row is claimable when it is visible and every earlier row of its group is in flight: the two
 * NOT EXISTS clauses of the seed in one. A row that is not in flight (it <em>waits</em>) blocks the
 * later ones of its group, so the only candidate of a group is its first waiting row, its head.
 *
 * <p>{@link Near} looks at the oldest rows with a budget, and is all that a poll costs as a rule.
 * Where it finds too few and has spent its budget, it says so ({@code more}), and {@link #ALL}
 * makes a pass over the queue. Both are exact: together they claim what the seed's statement
 * claims, in its order.
 *
 * <p>Each candidate CTE begins with the parameters 1 queue name, 2 the time in epoch seconds or
 * NULL for the database's.
 */
final class ClaimSql {
  /**
   * How much is looked at before a pass over the queue must be made.
   *
   * @param chunk how many rows are read at a time; divides {@code rows}
   * @param rows how many rows at most
   * @param groups how many groups, after that
   */
  record Budgets(int chunk, int rows, int groups) {
    static final Budgets DEFAULT = new Budgets(64, 2_048, 5_000);
  }

  /** One instant for the whole statement, whole seconds, cut off as Go does. */
  static final String CLOCK =
      """
      clock AS MATERIALIZED (
        SELECT COALESCE(CAST(? AS bigint), floor(extract(epoch FROM clock_timestamp()))::bigint) AS now
      )""";

  private static final String PARAMETERS =
      "parameters AS MATERIALIZED (SELECT CAST(? AS text) AS queue),\n" + CLOCK;

  /** The condition under which a row is in the partial claim indexes, letter for letter. */
  private static final String SHORT =
      "octet_length(%1$s.queue_name) + octet_length(%1$s.id) <= 2000";

  private static final String GROUP = "COALESCE(%1$s.message_group_id, %1$s.id)";
  private static final String GROUP_HASH = "hashtextextended(" + GROUP + ", 0)";
  private static final String OURS = "%1$s.queue_name = (SELECT queue FROM parameters)";
  private static final String WAITS =
      "(%1$s.receipt_handle IS NULL OR %1$s.visible_at <= (SELECT now FROM clock))";

  /**
   * Candidates among the oldest rows.
   *
   * @param sql WITH clauses that end in {@code candidates(row, gk, created_at, id)}, in claim order
   * @param more an expression: whether there may be candidates behind these
   */
  record Near(String sql, String more) {

    /**
     * For a table with our claim indexes.
     *
     * <p>Plan: a walk over {@code sluice_claim_order} that asks {@code sluice_claim_group} for each
     * row whether an earlier one of its group waits: about 8 buffers a row, whatever the table's
     * size, and it stops at the row that fills the poll, since a CTE runs only as far as it is
     * read. When the walk has spent its budget, the second branch hops from group to group in
     * {@code sluice_claim_group}: for few groups with many blocked rows in front. The limits are
     * literals, since a generic plan expects a tenth of the table from {@code LIMIT $n}; LATERAL
     * with LIMIT keeps the planner from turning probes into a join with the whole table when its
     * statistics are stale.
     */
    static Near indexed(Budgets budgets) {
      String sql =
          """
          WITH RECURSIVE %1$s,
          -- Rows that the partial indexes leave out: there are none, as a rule (1 buffer).
          oversized AS MATERIALIZED (
            SELECT CASE
              WHEN EXISTS (
                SELECT 1 FROM (
                  SELECT 1 FROM queue_messages m WHERE NOT (%2$s) ORDER BY m.created_at LIMIT 1) any_queue)
              THEN EXISTS (SELECT 1 FROM queue_messages m WHERE NOT (%2$s) AND %3$s)
              ELSE false END AS found
          ),
          walk AS (
            (SELECT m.*, row_number() OVER (ORDER BY m.created_at, m.id) AS n
             FROM (
               SELECT m.ctid AS row, m.id, m.created_at, m.visible_at, %4$s AS gk
               FROM queue_messages m
               WHERE %3$s AND %2$s AND NOT (SELECT found FROM oversized)
               ORDER BY m.created_at, m.id
               LIMIT %13$d) m)
            UNION ALL
            SELECT next.*
            FROM walk w
            CROSS JOIN LATERAL (
              SELECT m.*, w.n + row_number() OVER (ORDER BY m.created_at, m.id)
              FROM (
                SELECT m.ctid AS row, m.id, m.created_at, m.visible_at, %4$s AS gk
                FROM queue_messages m
                WHERE %3$s AND %2$s AND (m.created_at, m.id) > (w.created_at, w.id)
                ORDER BY m.created_at, m.id
                LIMIT %13$d) m) next
            WHERE w.n %% %13$d = 0 AND w.n < %5$d
          ),
          hashes AS (
            (SELECT %6$s AS gh
             FROM queue_messages m
             WHERE %3$s AND %2$s
             ORDER BY %6$s
             LIMIT 1)
            UNION ALL
            SELECT (SELECT %6$s FROM queue_messages m
                    WHERE %3$s AND %2$s AND %6$s > h.gh
                    ORDER BY %6$s
                    LIMIT 1)
            FROM hashes h
            WHERE h.gh IS NOT NULL
          ),
          spent AS MATERIALIZED (SELECT (SELECT count(*) FROM walk) = %5$d AS walk),
          hops AS MATERIALIZED (
            SELECT (SELECT count(*) FROM (SELECT 1 FROM hashes LIMIT %7$d) h) = %7$d AS spent
          ),
          candidates AS (
            SELECT w.row, w.gk, w.created_at, w.id
            FROM walk w
            LEFT JOIN LATERAL (
              SELECT true AS yes
              FROM queue_messages e
              WHERE %8$s AND %9$s
                AND %10$s = hashtextextended(w.gk, 0) AND %11$s = w.gk
                AND (e.created_at, e.id) < (w.created_at, w.id)
                AND %12$s
              LIMIT 1) blocked ON true
            WHERE w.visible_at <= (SELECT now FROM clock) AND blocked.yes IS NULL
            UNION ALL
            (SELECT head.row, head.gk, head.created_at, head.id
             FROM hashes h
             CROSS JOIN LATERAL (
               SELECT e.ctid AS row, e.created_at, e.id, e.visible_at, %11$s AS gk
               FROM queue_messages e
               WHERE %8$s AND %9$s AND %10$s = h.gh AND %12$s
               ORDER BY e.created_at, e.id
               LIMIT 1) head
             WHERE (SELECT walk FROM spent) AND NOT (SELECT spent FROM hops)
               AND head.visible_at <= (SELECT now FROM clock)
               AND (head.created_at, head.id) > (
                 SELECT l.created_at, l.id FROM walk l ORDER BY l.created_at DESC, l.id DESC LIMIT 1)
             ORDER BY head.created_at, head.id)
          )"""
              .formatted(
                  PARAMETERS,
                  SHORT.formatted("m"),
                  OURS.formatted("m"),
                  GROUP.formatted("m"),
                  budgets.rows(),
                  GROUP_HASH.formatted("m"),
                  budgets.groups(),
                  OURS.formatted("e"),
                  SHORT.formatted("e"),
                  GROUP_HASH.formatted("e"),
                  GROUP.formatted("e"),
                  WAITS.formatted("e"),
                  budgets.chunk());
      return new Near(
          sql,
          "((SELECT found FROM oversized) OR (SELECT walk FROM spent) AND (SELECT spent FROM hops))");
    }

    /**
     * For a table without our indexes.
     *
     * <p>Plan: reads the queue once and keeps the oldest waiting rows, in a heap of fixed size.
     * Whatever blocks one of them is older and waits, so it is among them: the first of each group
     * in this prefix is its head.
     */
    static Near plain(Budgets budgets) {
      String sql =
          """
          WITH %1$s,
          walk AS MATERIALIZED (
            SELECT e.ctid AS row, e.id, e.created_at, e.visible_at, %2$s AS gk
            FROM queue_messages e
            WHERE %3$s AND %4$s
            ORDER BY e.created_at, e.id
            LIMIT %5$d
          ),
          candidates AS (
            SELECT head.row, head.gk, head.created_at, head.id
            FROM (
              SELECT DISTINCT ON (w.gk) w.*
              FROM walk w
              ORDER BY w.gk, w.created_at, w.id) head
            WHERE head.visible_at <= (SELECT now FROM clock)
            ORDER BY head.created_at, head.id
          )"""
              .formatted(
                  PARAMETERS,
                  GROUP.formatted("e"),
                  OURS.formatted("e"),
                  WAITS.formatted("e"),
                  budgets.rows());
      return new Near(sql, "(SELECT count(*) = %d FROM walk)".formatted(budgets.rows()));
    }
  }

  /**
   * All candidates. Further parameter: 3 groups to leave out, for the sake of those claimed
   * already.
   *
   * <p>Plan: one pass over the queue and a sort, linear but for the sort; 0.2 s at 100,000 rows.
   */
  static final String ALL =
      """
      WITH %1$s,
      candidates AS (
        SELECT head.row, head.gk, head.created_at, head.id
        FROM (
          SELECT DISTINCT ON (%2$s) e.ctid AS row, e.created_at, e.id, e.visible_at, %2$s AS gk
          FROM queue_messages e
          WHERE %3$s AND %4$s
          ORDER BY %2$s, e.created_at, e.id) head
        WHERE head.visible_at <= (SELECT now FROM clock) AND head.gk <> ALL (CAST(? AS text[]))
          AND COALESCE((head.created_at, head.id) > (CAST(? AS bigint), CAST(? AS text)), true)
        ORDER BY head.created_at, head.id
      )"""
          .formatted(PARAMETERS, GROUP.formatted("e"), OURS.formatted("e"), WAITS.formatted("e"));

  private ClaimSql() {}

  /**
   * Claims the first of the candidates. Further parameters: the receipt's prefix, the visibility
   * timeout in seconds, how many, how many again. Yields {@code more} and then the columns of a
   * row, all NULL when nothing was claimed.
   *
   * <p>LockRows below the Limit passes over rows that another session has locked. A row that
   * changed between our snapshot and its lock is dropped: its new version is not at the place that
   * we saw. The UPDATE finds its rows by that place, so no plan for it can be slow.
   */
  static String claim(String candidates, String more) {
    return candidates
        + """
        ,
        claimed AS (
          UPDATE queue_messages u
          SET %s
          WHERE u.ctid = ANY (ARRAY(
              SELECT locked.row
              FROM candidates c
              CROSS JOIN LATERAL (
                SELECT m.ctid AS row FROM queue_messages m WHERE m.ctid = c.row
                FOR UPDATE SKIP LOCKED) locked
              LIMIT CAST(? AS bigint)))
            AND u.queue_name = (SELECT queue FROM parameters)
            AND u.visible_at <= (SELECT now FROM clock)
          RETURNING %s
        )
        SELECT m.more, c.*
        FROM (
          SELECT CASE WHEN (SELECT count(*) FROM claimed) < CAST(? AS bigint) THEN %s ELSE false END
            AS more) m
          LEFT JOIN claimed c ON true
        ORDER BY c.created_at, c.id"""
            .formatted(CLAIM, CLAIMED, more);
  }

  private static final String CLAIM =
      """
      receipt_handle = CAST(? AS text) || u.id,
            visible_at = (SELECT now FROM clock) + CAST(? AS bigint),
            receive_count = LEAST(COALESCE(u.receive_count, 0), 2147483646) + 1""";

  private static final String CLAIMED =
      "u.id, COALESCE(u.message_group_id, u.id) AS gk, u.payload, u.receipt_handle,"
          + " u.receive_count, u.created_at, u.visible_at";

  /**
   * Takes the locks of the groups of the first candidates whose groups have nothing in flight.
   * Further parameters: how many, how many again. Yields {@code more} and an id, NULL when there is
   * none. The locks last for the transaction. The fence (OFFSET 0) has the lock asked for last: it
   * is taken for few rows more than are returned.
   */
  static String lockGroups(String candidates, String more, boolean indexed) {
    return candidates
        + """
        ,
        locked AS MATERIALIZED (
          SELECT c.id
          FROM (
            SELECT c.id, c.row
            FROM (
              SELECT c.id, c.gk, c.row
              FROM candidates c
              WHERE %s
              OFFSET 0) c
            WHERE pg_try_advisory_xact_lock(
              hashtextextended(c.gk, hashtextextended((SELECT queue FROM parameters), 7723020)))
            OFFSET 0) c
          CROSS JOIN LATERAL (
            SELECT 1 FROM queue_messages m WHERE m.ctid = c.row FOR UPDATE SKIP LOCKED) l
          LIMIT CAST(? AS bigint)
        )
        SELECT m.more, l.id
        FROM (
          SELECT CASE WHEN (SELECT count(*) FROM locked) < CAST(? AS bigint) THEN %s ELSE false END
            AS more) m
          LEFT JOIN locked l ON true"""
            .formatted(nothingInFlight(indexed), more);
  }

  /**
   * Claims these rows where they are still first in groups with nothing in flight, seen by a
   * snapshot that is younger than the locks of their groups. Parameters: 1 queue name, 2 the time
   * or NULL, 3 the receipt's prefix, 4 the visibility timeout in seconds, 5 the ids.
   *
   * <p>Plan: without indexes one pass over the queue (a hash anti join); with them three probes a
   * row, which LATERAL and OFFSET keep from becoming such a pass.
   */
  static String claimLocked(boolean indexed) {
    String earlier =
        """
        SELECT 1 FROM queue_messages e
        WHERE e.queue_name = m.queue_name AND %s = %s
          AND (e.created_at, e.id) < (m.created_at, m.id)"""
            .formatted(GROUP.formatted("e"), GROUP.formatted("m"));
    String first =
        indexed
            ? """
              NOT EXISTS (%1$s AND %2$s AND %3$s OFFSET 0)
                AND NOT EXISTS (%1$s AND NOT (%2$s) OFFSET 0)
                AND NOT EXISTS (%4$s)"""
                .formatted(
                    earlier,
                    SHORT.formatted("e"),
                    GROUP_HASH.formatted("e") + " = " + GROUP_HASH.formatted("m"),
                    inFlight("m.queue_name", GROUP.formatted("m")))
            : """
              NOT EXISTS (
                SELECT 1 FROM queue_messages e
                WHERE %s AND %s = %s
                  AND ((e.created_at, e.id) < (m.created_at, m.id) OR NOT %s))"""
                .formatted(
                    OURS.formatted("e"),
                    GROUP.formatted("e"),
                    GROUP.formatted("m"),
                    WAITS.formatted("e"));
    String wanted =
        """
        %s queue_messages m
        WHERE m.queue_name = (SELECT queue FROM parameters) AND m.id = wanted.id
          AND m.visible_at <= (SELECT now FROM clock)
          AND %s
        FOR UPDATE %s SKIP LOCKED""";
    String locked =
        indexed
            ? "SELECT l.row FROM unnest(CAST(? AS text[])) AS wanted(id) CROSS JOIN LATERAL (%s) l"
                .formatted(wanted.formatted("SELECT m.ctid AS row FROM", first, ""))
            : wanted.formatted(
                "SELECT m.ctid FROM unnest(CAST(? AS text[])) AS wanted(id), ", first, "OF m");
    return """
        WITH %s,
        claimed AS (
          UPDATE queue_messages u
          SET %s
          WHERE u.ctid = ANY (ARRAY(%s))
            AND u.queue_name = (SELECT queue FROM parameters)
            AND u.visible_at <= (SELECT now FROM clock)
          RETURNING %s
        )
        SELECT false, c.* FROM claimed c ORDER BY c.created_at, c.id"""
        .formatted(PARAMETERS, CLAIM, locked, CLAIMED);
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
   * The candidates of an exclusive poll: those whose groups have nothing in flight.
   *
   * @return a condition on {@code c}, a candidate
   */
  static String nothingInFlight(boolean indexed) {
    return indexed
        ? "NOT EXISTS (" + inFlight("(SELECT queue FROM parameters)", "c.gk") + ")"
        : "c.gk NOT IN (SELECT %s FROM queue_messages e WHERE %s AND NOT %s)"
            .formatted(GROUP.formatted("e"), OURS.formatted("e"), WAITS.formatted("e"));
  }

  /**
   * Shows the first candidates that meet a condition. Further parameters: only this group or NULL,
   * the same again, how many, how many again. Yields {@code more} and the columns of a row.
   */
  static String peek(String candidates, String more, String condition) {
    return candidates
        + """
        ,
        shown AS MATERIALIZED (
          SELECT c.row, c.created_at, c.id
          FROM candidates c
          WHERE (CAST(? AS text) IS NULL OR c.gk = ?) AND %s
          LIMIT CAST(? AS bigint)
        )
        SELECT m.more, r.*
        FROM (
          SELECT CASE WHEN (SELECT count(*) FROM shown) < CAST(? AS bigint) THEN %s ELSE false END
            AS more) m
          LEFT JOIN (
            SELECT m.id, m.message_group_id, m.created_at, m.visible_at, m.receive_count, m.payload
            FROM shown s
            CROSS JOIN LATERAL (
              SELECT * FROM queue_messages m WHERE m.ctid = s.row LIMIT 1) m) r ON true
        ORDER BY r.created_at, r.id"""
            .formatted(condition, more);
  }
}
