package dev.sluice.queue.legacy;

/**
 * The statements that choose what a poll claims.
 *
 * <p>A row is claimable when it is visible and every earlier row of its group is in flight: the two
 * NOT EXISTS clauses of the seed in one. A row that is not in flight (it <em>waits</em>) blocks the
 * later ones of its group, so the only candidate of a group is its first waiting row, its head.
 *
 * <p>Each form of {@link Candidates} begins with the parameters 1 queue name, 2 the time in epoch
 * seconds or NULL for the database's. With our indexes it is one of {@link IndexedClaimSql}; here
 * are those without.
 */
final class ClaimSql {
  /**
   * Where a poll may look for candidates.
   *
   * @param sql WITH clauses that end in {@code candidates(row, gk, created_at, id)}, in claim order
   * @param rest an expression: the name of a {@link Rest}
   * @param place three expressions of a bigint, a text and a bigint: where the form got to; may
   *     read {@code taken(gk)}, what came of it
   */
  record Candidates(String sql, String rest, String place) {
    static final String NOWHERE = "NULL::bigint, NULL::text, NULL::bigint";
  }

  /** Where further candidates may be. */
  enum Rest {
    NONE,
    /** In groups with a row that nobody has claimed. */
    IDLE,
    /** In groups with a claim that has lapsed, too. */
    IDLE_AND_LAPSED,
    /** Anywhere: a pass over the queue finds them. */
    ALL
  }

  /** How many of the oldest rows the form without indexes keeps, before it needs a second pass. */
  static final int ROWS = 2_048;

  /** One instant for the whole statement, whole seconds, cut off as Go does. */
  static final String CLOCK =
      """
      clock AS MATERIALIZED (
        SELECT COALESCE(CAST(? AS bigint), floor(extract(epoch FROM clock_timestamp()))::bigint) AS now
      )""";

  static final String PARAMETERS =
      "parameters AS MATERIALIZED (SELECT CAST(? AS text) AS queue),\n" + CLOCK;

  /** The condition under which a row is in the partial claim indexes, letter for letter. */
  static final String SHORT = "octet_length(%1$s.id) <= 2000";

  static final String GROUP = "COALESCE(%1$s.message_group_id, %1$s.id)";
  static final String GROUP_HASH = "hashtextextended(" + GROUP + ", 0)";
  static final String OURS = "%1$s.queue_name = (SELECT queue FROM parameters)";
  private static final String WAITS =
      "(%1$s.receipt_handle IS NULL OR %1$s.visible_at <= (SELECT now FROM clock))";

  /**
   * Candidates among the oldest rows, for a table without our indexes.
   *
   * <p>Plan: reads the queue once and keeps the oldest waiting rows, in a heap of fixed size.
   * Whatever blocks one of them is older and waits, so it is among them: the first of each group in
   * this prefix is its head.
   */
  static Candidates plain(int rows) {
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
                PARAMETERS, GROUP.formatted("e"), OURS.formatted("e"), WAITS.formatted("e"), rows);
    return new Candidates(
        sql,
        "CASE WHEN (SELECT count(*) FROM walk) = %d THEN '%s' ELSE '%s' END"
            .formatted(rows, Rest.ALL, Rest.NONE),
        Candidates.NOWHERE);
  }

  /**
   * All candidates. Further parameters: 3 groups to leave out, for the sake of those claimed
   * already, 4 and 5 created_at and id behind which to begin, or NULL.
   *
   * <p>Plan: one pass over the queue and a sort, linear but for the sort; 0.2 s at 100,000 rows.
   */
  static final Candidates ALL =
      new Candidates(
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
              .formatted(
                  PARAMETERS, GROUP.formatted("e"), OURS.formatted("e"), WAITS.formatted("e")),
          "'%s'".formatted(Rest.NONE),
          Candidates.NOWHERE);

  /** How many rows of one group a pass looks ahead. */
  private static final int AHEAD = 64;

  /** Where more rows than that are new, nothing that was seen before them counts. */
  private static final int MOST_NEW = 10_000;

  private static final String BESIDE_NO_MIGRATION =
      "pg_try_advisory_xact_lock_shared(%d, hashtext(%%s))".formatted(LegacyHold.LOCK_SPACE);

  /** What a pass looks ahead over. */
  enum Ahead {
    /**
     * The oldest waiting rows; but what is delayed and has no group is before none but rows of a
     * group that is called like it, which are asked for it one by one.
     */
    OLDEST(
        """
        SELECT e.ctid AS row, e.id, e.created_at, e.visible_at, %1$s AS gk
        FROM queue_messages e
        WHERE %2$s AND %3$s
          AND (e.message_group_id IS NOT NULL OR e.visible_at <= (SELECT now FROM clock))
        ORDER BY e.created_at, e.id
        LIMIT %4$d"""),
    /** The first ones of every group; groups of one hash count as one. */
    EVERY_GROUP(
        """
        SELECT first.row, first.id, first.created_at, first.visible_at, first.gk
        FROM (
          SELECT e.ctid AS row, e.id, e.created_at, e.visible_at, %1$s AS gk,
            row_number() OVER earlier AS place,
            bool_and(e.visible_at <= (SELECT now FROM clock)) OVER earlier AS open
          FROM queue_messages e
          WHERE %2$s AND %3$s
          WINDOW earlier AS (
            PARTITION BY hashtextextended(%1$s, 0) ORDER BY e.created_at, e.id
            ROWS UNBOUNDED PRECEDING)) first
        WHERE first.place <= %5$d AND first.open
        ORDER BY first.created_at, first.id
        LIMIT %4$d""");

    private final String walk;

    Ahead(String walk) {
      this.walk = walk;
    }

    /**
     * What polls may claim one after the other, without our indexes, found by one pass. Parameters:
     * 1 queue name, the same again, 3 the time or NULL. Yields in claim order where a row lies, its
     * id, group and created_at, the ids of the rows of its group before it, whether the group has
     * so much in flight that those were left out, when this ended in microseconds, when it began by
     * the clock, and whether that is all there is; no row while a migration is under way, or
     * without the index that {@link #REMEMBERED} uses.
     *
     * <p>Plan: two passes over the queue, one for what waits, one for what is in flight before it.
     */
    String look(int rows) {
      return """
          SET LOCAL enable_nestloop TO off; SET LOCAL jit TO off;
          SELECT set_config('sluice.looks_ahead', CAST(%8$s AS text), true);
          WITH %1$s,
          walk AS MATERIALIZED (%2$s),
          chains AS (
            SELECT w.*,
              bool_and(w.visible_at <= (SELECT now FROM clock)) OVER earlier AS open,
              first_value(w.id) OVER earlier AS head
            FROM (
              SELECT w.*, row_number() OVER (PARTITION BY w.gk ORDER BY w.created_at, w.id) AS place
              FROM walk w) w
            WHERE w.place <= %3$d
            WINDOW earlier AS (PARTITION BY w.gk ORDER BY w.created_at, w.id)
          ),
          flying AS MATERIALIZED (
            SELECT %4$s AS gk, array_agg(e.id) AS before, count(*) AS n
            FROM queue_messages e
            WHERE %5$s AND NOT %6$s AND %4$s IN (SELECT gk FROM walk)
            GROUP BY 1
          )
          SELECT c.row, c.id, c.gk, c.created_at, c.head,
            CASE WHEN c.place = 1 AND f.n <= %3$d THEN f.before END,
            COALESCE(f.n > %3$d, false),
            (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
            (SELECT now FROM clock),
            (SELECT count(*) FROM walk) < %7$d
          FROM chains c LEFT JOIN flying f ON f.gk = c.gk
          WHERE c.open
            AND (
              SELECT true FROM queue_messages e
              WHERE %5$s AND e.id >= c.gk AND e.id <= c.gk AND e.message_group_id IS NULL AND %6$s
                AND e.visible_at > (SELECT now FROM clock)
                AND (e.created_at, e.id) < (c.created_at, c.id)
              ORDER BY e.id
              LIMIT 1) IS NULL
            AND to_regclass('idx_queue_visible') IS NOT NULL
            AND CAST(current_setting('sluice.looks_ahead') AS boolean)
          ORDER BY c.created_at, c.id"""
          .formatted(
              PARAMETERS,
              walk.formatted(
                  GROUP.formatted("e"), OURS.formatted("e"), WAITS.formatted("e"), rows, AHEAD),
              AHEAD,
              GROUP.formatted("e"),
              OURS.formatted("e"),
              WAITS.formatted("e"),
              rows,
              BESIDE_NO_MIGRATION.formatted("CAST(? AS text)"));
    }
  }

  /**
   * Candidates that a pass saw a moment ago, those of them that still are what they were. Further
   * parameters: 3 until when that pass counts, in microseconds; 4 to 8 where the rows lie, their
   * ids, groups and created_at, and whether their groups have much in flight; 9 the second from
   * which on rows may be new; 10 and 11 for each id that was before one of them the number of that
   * one, from 1, and the id.
   *
   * <p>A row that was before one of them must be gone or in flight still, and none may have come
   * before it since: one published, handed back or put back has become visible since. What a
   * migration puts in has not; so nothing is remembered while one is under way, and one waits
   * {@link LegacyHold#REMEMBERED_MILLIS} before it begins.
   *
   * <p>Plan: for each row its place, and a probe of the primary key for each id, whose order keeps
   * the other index from it where the queue is thought to have one row; for all of them a range of
   * {@code idx_queue_visible}, what has become visible since; in a group with much in flight a
   * range of what becomes visible later, for what was handed back with a delay.
   */
  static final Candidates REMEMBERED =
      new Candidates(
          """
      WITH %1$s,
      able AS MATERIALIZED (
        SELECT %2$s
          AND extract(epoch FROM clock_timestamp()) * 1000000 <= CAST(? AS bigint) AS yes
      ),
      known AS MATERIALIZED (
        SELECT k.*
        FROM unnest(
            CAST(CAST(? AS text[]) AS tid[]), CAST(? AS text[]), CAST(? AS text[]),
            CAST(? AS bigint[]), CAST(? AS boolean[]))
          WITH ORDINALITY AS k(row, id, gk, created_at, crowded, n)
        WHERE (SELECT yes FROM able)
      ),
      new AS MATERIALIZED (
        SELECT e.message_group_id AS gk, e.created_at, e.id
        FROM queue_messages e
        WHERE (SELECT yes FROM able) AND %3$s
          AND e.visible_at BETWEEN CAST(? AS bigint) AND (SELECT now FROM clock)
        ORDER BY e.visible_at
        LIMIT %5$d
      ),
      blocked AS MATERIALIZED (
        SELECT b.n
        FROM unnest(CAST(? AS bigint[]), CAST(? AS text[])) AS b(n, id)
        CROSS JOIN LATERAL (
          SELECT 1 FROM queue_messages e
          WHERE %3$s AND e.id >= b.id AND e.id <= b.id AND %4$s
          ORDER BY e.id
          LIMIT 1) e
        WHERE (SELECT yes FROM able)
        UNION ALL
        SELECT k.n FROM known k JOIN new e ON e.gk = k.gk
        WHERE (e.created_at, e.id) < (k.created_at, k.id)
      ),
      candidates AS (
        SELECT k.row, k.gk, k.created_at, k.id
        FROM known k
        CROSS JOIN LATERAL (
          SELECT 1 FROM queue_messages m
          WHERE m.ctid = k.row AND m.queue_name = (SELECT queue FROM parameters) AND m.id = k.id
            AND m.visible_at <= (SELECT now FROM clock)
          OFFSET 0) same
        LEFT JOIN LATERAL (
          SELECT true AS yes FROM queue_messages e
          WHERE %3$s AND e.id >= k.gk AND e.id <= k.gk AND e.message_group_id IS NULL AND %4$s
            AND (e.created_at, e.id) < (k.created_at, k.id)
          ORDER BY e.id
          LIMIT 1) of_that_id ON true
        LEFT JOIN LATERAL (
          SELECT true AS yes FROM queue_messages e
          WHERE k.crowded AND %3$s AND e.visible_at > (SELECT now FROM clock)
            AND e.message_group_id = k.gk AND e.receipt_handle IS NULL
            AND (e.created_at, e.id) < (k.created_at, k.id)
          LIMIT 1) delayed ON true
        WHERE k.n NOT IN (SELECT n FROM blocked) AND of_that_id.yes IS NULL AND delayed.yes IS NULL
          AND (SELECT count(*) FROM new) < %5$d
        ORDER BY k.n
      )"""
              .formatted(
                  PARAMETERS,
                  BESIDE_NO_MIGRATION.formatted("(SELECT queue FROM parameters)"),
                  OURS.formatted("e"),
                  WAITS.formatted("e"),
                  MOST_NEW),
          "'%s'".formatted(Rest.NONE),
          Candidates.NOWHERE);

  private ClaimSql() {}

  /**
   * Claims the first of the candidates. Further parameters: the receipt's prefix, the visibility
   * timeout in seconds, how many. Yields {@code rest}, the place in three columns, and then the
   * columns of a row, all NULL when nothing was claimed.
   *
   * <p>LockRows below the Limit passes over rows that another session has locked. A row that
   * changed between our snapshot and its lock is passed over too: its new version is not at the
   * place that we saw. The fence (OFFSET 0) has that looked at after the lock was taken. The UPDATE
   * finds its rows by that place alone: beside another condition, an index may seem better.
   */
  static String claim(Candidates candidates) {
    return candidates.sql()
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
                OFFSET 0 FOR UPDATE SKIP LOCKED) locked
              WHERE locked.row = c.row
              LIMIT CAST(? AS bigint)))
          RETURNING %s
        ),
        taken AS (SELECT gk FROM claimed)
        SELECT p.*, c.*
        FROM (SELECT %s, %s) p
          LEFT JOIN claimed c ON true
        ORDER BY c.created_at, c.id"""
            .formatted(CLAIM, CLAIMED, candidates.rest(), candidates.place());
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
   * Further parameter: how many. Yields {@code rest}, the place in three columns, an id, its group,
   * created_at and where it lies, NULL when there is none. The locks last for the transaction. The
   * fence (OFFSET 0) has the lock asked for last: it is taken for few rows more than are returned.
   */
  static String lockGroups(Candidates candidates, boolean indexed) {
    return candidates.sql()
        + """
        ,
        locked AS MATERIALIZED (
          SELECT c.id, c.gk, c.created_at, c.row
          FROM (
            SELECT c.id, c.gk, c.created_at, c.row
            FROM (
              SELECT c.id, c.gk, c.created_at, c.row
              FROM candidates c
              WHERE %s
              OFFSET 0) c
            WHERE pg_try_advisory_xact_lock(
              hashtextextended(c.gk, hashtextextended((SELECT queue FROM parameters), 7723020)))
            OFFSET 0) c
          CROSS JOIN LATERAL (
            SELECT m.ctid AS row FROM queue_messages m WHERE m.ctid = c.row
            OFFSET 0 FOR UPDATE SKIP LOCKED) l
          WHERE l.row = c.row
          LIMIT CAST(? AS bigint)
        ),
        taken AS (SELECT gk FROM locked)
        SELECT p.*, l.id, l.gk, l.created_at, l.row
        FROM (SELECT %s, %s) p
          LEFT JOIN locked l ON true"""
            .formatted(nothingInFlight(indexed), candidates.rest(), candidates.place());
  }

  /**
   * Claims these rows where they are still first in groups with nothing in flight, seen by a
   * snapshot that is younger than the locks of their groups. Parameters: 1 queue name, 2 the time
   * or NULL, with indexes those of {@link IndexedClaimSql#BOUNDS}, the receipt's prefix, the
   * visibility timeout in seconds, where the rows lie, which stay there while they are locked.
   * Yields columns as {@link #claim} does.
   *
   * <p>Plan: without indexes one pass over the queue (a hash anti join); with them a few probes a
   * row, which LATERAL and OFFSET keep from becoming such a pass.
   */
  static String claimLocked(boolean indexed) {
    String first =
        indexed
            ? IndexedClaimSql.nothingEarlier("m")
                + " AND NOT EXISTS ("
                + IndexedClaimSql.inFlight("m.queue_name", GROUP.formatted("m"))
                + ")"
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
        WHERE m.ctid = wanted.row AND m.visible_at <= (SELECT now FROM clock) AND %s
        FOR UPDATE %s SKIP LOCKED""";
    String rows = "unnest(CAST(CAST(? AS text[]) AS tid[])) AS wanted(row)";
    String locked =
        indexed
            ? "SELECT l.row FROM %s CROSS JOIN LATERAL (%s) l"
                .formatted(rows, wanted.formatted("SELECT m.ctid AS row FROM", first, ""))
            : wanted.formatted("SELECT m.ctid FROM " + rows + ",", first, "OF m");
    return """
        WITH %s,
        claimed AS (
          UPDATE queue_messages u
          SET %s
          WHERE u.ctid = ANY (ARRAY(%s))
          RETURNING %s
        )
        SELECT 'NONE', NULL::bigint, NULL::text, NULL::bigint, c.* FROM claimed c ORDER BY c.created_at, c.id"""
        .formatted(
            indexed ? PARAMETERS + ",\n" + IndexedClaimSql.BOUNDS : PARAMETERS,
            CLAIM,
            locked,
            CLAIMED);
  }

  /**
   * The candidates of an exclusive poll: those whose groups have nothing in flight.
   *
   * @return a condition on {@code c}, a candidate
   */
  static String nothingInFlight(boolean indexed) {
    return indexed
        ? "NOT EXISTS (" + IndexedClaimSql.inFlight("(SELECT queue FROM parameters)", "c.gk") + ")"
        : "c.gk NOT IN (SELECT %s FROM queue_messages e WHERE %s AND NOT %s)"
            .formatted(GROUP.formatted("e"), OURS.formatted("e"), WAITS.formatted("e"));
  }

  /**
   * Shows the first candidates that meet a condition. Further parameters: only this group or NULL,
   * the same again, how many. Yields {@code rest}, the place in three columns, and the columns of a
   * row.
   */
  static String peek(Candidates candidates, String condition) {
    return candidates.sql()
        + """
        ,
        shown AS MATERIALIZED (
          SELECT c.row, c.gk, c.created_at, c.id
          FROM candidates c
          WHERE (CAST(? AS text) IS NULL OR c.gk = ?) AND %s
          LIMIT CAST(? AS bigint)
        ),
        taken AS (SELECT gk FROM shown)
        SELECT p.*, r.*
        FROM (SELECT %s, %s) p
          LEFT JOIN (
            SELECT m.id, m.message_group_id, m.created_at, m.visible_at, m.receive_count, m.payload
            FROM shown s
            CROSS JOIN LATERAL (
              SELECT * FROM queue_messages m WHERE m.ctid = s.row LIMIT 1) m) r ON true
        ORDER BY r.created_at, r.id"""
            .formatted(condition, candidates.rest(), candidates.place());
  }
}
