package dev.sluice.queue.legacy;

import dev.sluice.queue.legacy.ClaimSql.Candidates;
import dev.sluice.queue.legacy.ClaimSql.Rest;

/**
 * Where a poll looks for candidates when the table has our claim indexes: at some of the oldest
 * rows, and at some groups. Each form walks over a bounded number of rows and groups, whatever the
 * table holds.
 *
 * <p>Plans do not depend on statistics: limits are literals, since a generic plan expects a tenth
 * of the table from {@code LIMIT $n}; rows are read in chunks so small that no sort is cheaper than
 * the index; LATERAL with LIMIT keeps probes from becoming a join with the whole table. And each
 * index begins with a hash of the queue that no other has, and no condition names a column as
 * another index has it ({@code + 0} hides it), so that a walk or probe can be made by its own index
 * only: where a queue is thought to have one row, all indexes seem equally good.
 */
final class IndexedClaimSql {
  /** The condition under which a row is in the partial claim indexes, letter for letter. */
  private static final String SHORT = ClaimSql.SHORT;

  private static final String GROUP = ClaimSql.GROUP;
  private static final String GROUP_HASH = ClaimSql.GROUP_HASH;
  private static final String NOW = "(SELECT now FROM clock)";
  private static final String QUEUE = "(SELECT queue FROM parameters)";

  private static final String EARLIEST = "CAST('%d' AS bigint)".formatted(Long.MIN_VALUE);

  /**
   * Where checks begin, behind {@code clock}. Parameters: created_at, id and visible_at at which
   * walks begin, and by how many seconds rows may be dated back before that, or 0 if all are looked
   * at.
   */
  static final String BOUNDS =
      """
      bounds AS MATERIALIZED (
        SELECT b.*, b.reach > 0 AS partly,
          GREATEST(LEAST(b.at, c.now), %1$s + b.reach) - b.reach AS since,
          GREATEST(b.late_at, %1$s + b.reach) - b.reach AS late_since
        FROM clock c, (
          SELECT CAST(? AS bigint) AS at, CAST(? AS text) AS id, CAST(? AS bigint) AS late_at,
            CAST(? AS bigint) AS reach) b
      )"""
          .formatted(EARLIEST);

  private static final String SINCE =
      "e.receipt_handle IS NULL AND (e.created_at, e.id) >= ((SELECT since FROM bounds), '')";
  private static final String RETURNED =
      "e.receipt_handle IS NULL AND e.visible_at > e.created_at AND (SELECT partly FROM bounds)";
  private static final String LATE_SINCE = "(SELECT late_since FROM bounds)";

  /** What an index finds; the number is the seed of its hash of the queue's name. */
  private enum By {
    FRESH(1),
    LATE(2),
    IDLE(3),
    TAKEN(4),
    LAPSE(5),
    RETURNED(6);

    private final int seed;

    By(int seed) {
      this.seed = seed;
    }

    /** The row is of a queue of this hash. */
    String hashed(String row, String queue) {
      return "%s = %s".formatted(hash(row + ".queue_name"), hash(queue));
    }

    // A column may have a collation of its own, whose hash is not that of its bytes.
    private String hash(String name) {
      return "hashtextextended(%s COLLATE \"C\", %d)".formatted(name, seed);
    }

    /** The row is of this queue, by this index; the name compared so that it fits no other. */
    String of(String row, String queue) {
      return hashed(row, queue) + " AND " + named(row, queue);
    }

    String ours(String row) {
      return of(row, QUEUE);
    }
  }

  private static String named(String row, String queue) {
    return "%s.queue_name || '' = %s".formatted(row, queue);
  }

  private static final int SMALLEST_CHUNK = 8;
  private static final int LARGEST_CHUNK = 64;

  private IndexedClaimSql() {}

  /**
   * The heads among the oldest rows: {@code rows} of those that nobody has had yet, in order, and
   * as many of those that came back or were published for later, by the time at which they became
   * visible. Further parameters: 3 created_at and 4 id at which the first begin, 5 visible_at at
   * which the others do, 6 by how many seconds rows may be dated back before that, or 0 if all are
   * looked at, 7 groups to leave out. The place is where the first row of each was found.
   *
   * <p>Plan: {@code sluice_claim_fresh} and {@code sluice_claim_late} in their order; of what they
   * give, the first of each group is asked for in {@link #nothingWaitsBefore}, one after the other
   * and only until the poll is full.
   *
   * @param rows a power of two
   */
  static Candidates near(int rows) {
    String sql =
        """
        WITH RECURSIVE %1$s,
        %9$s,
        -- Rows that the partial indexes leave out: there are none, as a rule (1 buffer).
        oversized AS MATERIALIZED (
          SELECT CASE
            WHEN EXISTS (
              SELECT 1 FROM (
                SELECT 1 FROM queue_messages m WHERE NOT (%2$s) ORDER BY m.created_at LIMIT 1) any_queue)
            THEN EXISTS (SELECT 1 FROM queue_messages m WHERE NOT (%2$s) AND %3$s)
            ELSE false END AS found
        ),
        fresh AS (%4$s),
        late AS (%5$s),
        candidates AS (
          SELECT c.row, c.gk, c.created_at, c.id
          FROM (
            SELECT first.*
            FROM (
              SELECT DISTINCT ON (s.gk) s.row, s.gk, s.created_at, s.id, s.visible_at
              FROM (SELECT * FROM fresh UNION ALL SELECT * FROM late) s
              WHERE s.queue_name = %8$s
              ORDER BY s.gk, s.created_at, s.id) first
            WHERE first.visible_at <= %6$s
            ORDER BY first.created_at, first.id) c
          %7$s AND c.gk <> ALL (CAST(? AS text[]))
        )"""
            .formatted(
                ClaimSql.PARAMETERS,
                SHORT.formatted("m"),
                named("m", QUEUE),
                walk(
                    "fresh",
                    By.FRESH,
                    "m.receipt_handle IS NULL AND m.visible_at <= m.created_at",
                    "created_at",
                    "(m.created_at + 0, m.id) >= ((SELECT at FROM bounds), (SELECT id FROM bounds))",
                    rows),
                walk(
                    "late",
                    By.LATE,
                    "(m.receipt_handle IS NOT NULL OR m.visible_at > m.created_at)"
                        + " AND m.visible_at + 0 <= "
                        + NOW,
                    "visible_at",
                    "m.visible_at + 0 >= (SELECT late_at FROM bounds)",
                    rows),
                NOW,
                nothingWaitsBefore(true),
                QUEUE,
                BOUNDS);
    String rest =
        """
        CASE WHEN (SELECT found FROM oversized) THEN '%1$s'
          WHEN (SELECT count(*) FROM late) = %5$d THEN '%2$s'
          WHEN (SELECT count(*) FROM fresh) = %5$d THEN '%3$s' ELSE '%4$s' END"""
            .formatted(Rest.ALL, Rest.IDLE_AND_LAPSED, Rest.IDLE, Rest.NONE, rows);
    return new Candidates(
        sql,
        rest,
        "(SELECT created_at FROM fresh WHERE n = 1), (SELECT id FROM fresh WHERE n = 1),"
            + " COALESCE((SELECT visible_at FROM late WHERE n = 1), "
            + NOW
            + ")");
  }

  /**
   * A walk along an index on (hash of the queue, key, id) that reads a few rows at a time. Its
   * reader compares the name: a filter would have the planner expect so few rows that it sorts.
   */
  private static String walk(
      String name, By index, String which, String key, String begin, int rows) {
    int chunk = Math.min(rows, Math.min(LARGEST_CHUNK, Math.max(SMALLEST_CHUNK, rows / 16)));
    String some =
        """
        SELECT m.*, %%s row_number() OVER (ORDER BY m.%1$s, m.id) AS n
        FROM (
          SELECT m.ctid AS row, m.queue_name, m.id, m.created_at, m.visible_at, %2$s AS gk
          FROM queue_messages m
          WHERE %3$s AND %4$s AND %5$s AND %%s
          ORDER BY m.%1$s + 0, m.id
          LIMIT %6$d) m"""
            .formatted(
                key,
                GROUP.formatted("m"),
                index.hashed("m", QUEUE),
                SHORT.formatted("m"),
                which,
                chunk);
    return """
        (%1$s)
        UNION ALL
        SELECT next.* FROM %2$s w
        CROSS JOIN LATERAL (%3$s) next
        WHERE w.n %% %4$d = 0 AND w.n < %5$d"""
        .formatted(
            some.formatted("", begin + " AND NOT (SELECT found FROM oversized)"),
            name,
            some.formatted("w.n +", "(m.%1$s + 0, m.id) > (w.%1$s, w.id)".formatted(key)),
            chunk,
            rows);
  }

  /**
   * The heads of groups with a row that nobody has claimed, group after group by their hashes.
   * Further parameters: 3 the hash at which to begin, 4 how many heads are asked for, 5 groups to
   * leave out. The place is the last hash that was looked at.
   *
   * <p>Plan: for each group one probe of {@code sluice_claim_idle}, which finds its first row. Two
   * groups of one hash count as one here: the second is found once the first has no idle rows.
   *
   * @param groups how many to look at
   */
  static Candidates idleGroups(int groups) {
    String next =
        """
        SELECT m.ctid AS row, m.queue_name, m.id, m.created_at, m.visible_at, %1$s AS gk, %2$s AS gh
        FROM queue_messages m
        WHERE %3$s AND %4$s AND m.receipt_handle IS NULL AND %2$s %%s
        ORDER BY %2$s, m.created_at, m.id
        LIMIT 1"""
            .formatted(
                GROUP.formatted("m"),
                GROUP_HASH.formatted("m"),
                By.IDLE.hashed("m", QUEUE),
                SHORT.formatted("m"));
    return hops(
        next,
        "SELECT h.* FROM hops h WHERE h.queue_name = %s AND h.visible_at <= %s"
            .formatted(QUEUE, NOW),
        groups);
  }

  /**
   * The heads of groups with a claim that has lapsed. Parameters and place as for {@link
   * #idleGroups}.
   *
   * <p>Plan: for each group with a claim one probe of {@code sluice_claim_lapse}, which finds the
   * claim that lapses first; if it has lapsed, {@code sluice_claim_taken} finds the first lapsed
   * one in order, past what is in flight before it.
   *
   * @param groups how many to look at
   */
  static Candidates lapsedGroups(int groups) {
    String next =
        """
        SELECT %1$s AS gh, m.visible_at
        FROM queue_messages m
        WHERE %2$s AND m.receipt_handle IS NOT NULL AND %1$s %%s
        ORDER BY %1$s, m.visible_at
        LIMIT 1"""
            .formatted(GROUP_HASH.formatted("m"), By.LAPSE.hashed("m", QUEUE));
    String heads =
        """
        SELECT head.* FROM hops h
        CROSS JOIN LATERAL (
          SELECT m.ctid AS row, m.id, m.created_at, %1$s AS gk
          FROM queue_messages m
          WHERE %2$s AND %3$s AND m.receipt_handle IS NOT NULL AND %4$s = h.gh
            AND m.visible_at + 0 <= %5$s
          ORDER BY m.created_at, m.id
          LIMIT 1) head
        WHERE h.visible_at <= %5$s"""
            .formatted(
                GROUP.formatted("m"),
                By.TAKEN.ours("m"),
                SHORT.formatted("m"),
                GROUP_HASH.formatted("m"),
                NOW);
    return hops(next, heads, groups);
  }

  // The recursion runs as far as it is read: to the head that fills the poll.
  private static Candidates hops(String next, String heads, int groups) {
    String sql =
        """
        WITH RECURSIVE %s,
        hops AS (
          SELECT first.*, 1 AS n FROM (%s) first
          UNION ALL
          SELECT next.*, h.n + 1 FROM hops h CROSS JOIN LATERAL (%s) next WHERE h.n < %d
        ),
        asked AS MATERIALIZED (SELECT CAST(? AS bigint) AS n),
        candidates AS (
          SELECT c.row, c.gk, c.created_at, c.id
          FROM (%s) c
          %s AND c.gk <> ALL (CAST(? AS text[]))
        )"""
            .formatted(
                ClaimSql.PARAMETERS,
                next.formatted(">= CAST(? AS bigint)"),
                next.formatted("> h.gh"),
                groups,
                heads,
                nothingWaitsBefore(false));
    String full = "(SELECT count(*) FROM taken) >= (SELECT n FROM asked)";
    return new Candidates(
        sql,
        "CASE WHEN %s OR (SELECT count(*) FROM hops) = %d THEN '%s' ELSE '%s' END"
            .formatted(full, groups, Rest.IDLE, Rest.NONE),
        """
        CASE WHEN %s THEN (SELECT max(hashtextextended(gk, 0)) FROM taken)
          ELSE (SELECT max(gh) FROM hops) END, NULL::text, NULL::bigint"""
            .formatted(full));
  }

  /**
   * Joins and a condition on a candidate {@code c}: no earlier row of its group waits.
   *
   * <p>Plan: one probe of {@code sluice_claim_idle}, one of {@code sluice_claim_lapse}; only where
   * the group has a lapsed claim, {@code sluice_claim_taken} is read up to the first one, past what
   * is in flight before it; and {@code sluice_claim_oversized}, which is empty as a rule. The
   * conditions stand inside, where they keep the probe from being made.
   *
   * <p>A probe passes what the group has lost and vacuum has not removed, so from a mark each
   * begins where something can be: rows that nobody has had yet and claims that lapsed lie behind
   * it, but for what is dated back, and what came back is in {@code sluice_claim_returned}.
   *
   * @param bounded whether there are {@code bounds}
   */
  private static String nothingWaitsBefore(boolean bounded) {
    String earlier =
        GROUP.formatted("e") + " = c.gk AND (e.created_at, e.id) < (c.created_at, c.id)";
    String ofGroup =
        SHORT.formatted("e")
            + " AND "
            + GROUP_HASH.formatted("e")
            + " = hashtextextended(c.gk, 0) AND "
            + earlier;
    String idle = "SELECT true AS yes FROM queue_messages e WHERE %s AND %s AND %s LIMIT 1";
    return """
        LEFT JOIN LATERAL (%4$s) idle ON true
        LEFT JOIN LATERAL (
          SELECT true AS yes FROM queue_messages e
          WHERE idle.yes IS NULL AND %5$s AND e.receipt_handle IS NOT NULL AND %2$s
          LIMIT 1) lapsed ON true
        LEFT JOIN LATERAL (
          SELECT true AS yes FROM queue_messages e
          WHERE lapsed.yes AND %1$s AND %6$s AND e.receipt_handle IS NOT NULL
            AND e.visible_at + 0 <= %3$s
          LIMIT 1) waiting ON true
        LEFT JOIN LATERAL (
          SELECT true AS yes FROM queue_messages e
          WHERE idle.yes IS NULL AND waiting.yes IS NULL AND NOT (%7$s) AND %8$s AND %9$s
            AND (e.receipt_handle IS NULL OR e.visible_at + 0 <= %3$s)
          LIMIT 1) oversized_one ON true
        WHERE idle.yes IS NULL AND waiting.yes IS NULL AND oversized_one.yes IS NULL"""
        .formatted(
            ofGroup,
            lapses("hashtextextended(c.gk, 0)", bounded ? LATE_SINCE : EARLIEST, NOW),
            NOW,
            bounded
                ? """
                  (%s) UNION ALL (%s) LIMIT 1"""
                    .formatted(
                        idle.formatted(ofGroup, By.IDLE.ours("e"), SINCE),
                        idle.formatted(ofGroup, By.RETURNED.ours("e"), RETURNED))
                : idle.formatted(ofGroup, By.IDLE.ours("e"), "e.receipt_handle IS NULL"),
            By.LAPSE.ours("e"),
            By.TAKEN.ours("e"),
            SHORT.formatted("e"),
            named("e", QUEUE),
            earlier);
  }

  // As pairs, which no index has that begins with visible_at alone.
  private static String lapses(String groupHash, String from, String to) {
    return "(%1$s, e.visible_at) >= (%2$s, %3$s) AND (%1$s, e.visible_at) <= (%2$s, %4$s)"
        .formatted(GROUP_HASH.formatted("e"), groupHash, from, to);
  }

  /**
   * A condition: the group has no row before this one, if it has nothing in flight; so that claims
   * are asked for only where one has lapsed.
   *
   * @param row the alias of the row; OFFSET 0 keeps a probe a probe
   */
  static String nothingEarlier(String row) {
    String queue = row + ".queue_name";
    String earlier =
        "%s = %s AND (e.created_at, e.id) < (%3$s.created_at, %3$s.id)"
            .formatted(GROUP.formatted("e"), GROUP.formatted(row), row);
    String some = "SELECT 1 FROM queue_messages e WHERE %s AND %s AND %s AND %s";
    String probe = "NOT EXISTS (" + some + " OFFSET 0)";
    String indexed =
        "%s AND %s = %s"
            .formatted(SHORT.formatted("e"), GROUP_HASH.formatted("e"), GROUP_HASH.formatted(row));
    String claimed = "e.receipt_handle IS NOT NULL";
    String lapsed =
        some.formatted(
            By.LAPSE.of("e", queue),
            lapses(GROUP_HASH.formatted(row), LATE_SINCE, NOW),
            "true",
            claimed);
    String taken = some.formatted(By.TAKEN.of("e", queue), indexed, earlier, claimed);
    return String.join(
        "\n  AND ",
        probe.formatted(By.IDLE.of("e", queue), indexed, earlier, SINCE),
        probe.formatted(By.RETURNED.of("e", queue), indexed, earlier, RETURNED),
        "NOT EXISTS (SELECT 1 FROM (%s LIMIT 1) lapsed CROSS JOIN LATERAL (%s LIMIT 1) taken OFFSET 0)"
            .formatted(lapsed, taken),
        probe.formatted(named("e", queue), "NOT (" + SHORT.formatted("e") + ")", earlier, "true"));
  }

  /** What is in flight in a group: one probe of {@code sluice_claim_lapse}. */
  static String inFlight(String queue, String group) {
    return """
        SELECT 1 FROM queue_messages e
        WHERE %s AND %s AND %s = %s AND e.receipt_handle IS NOT NULL
        OFFSET 0"""
        .formatted(
            By.LAPSE.of("e", queue),
            lapses(
                "hashtextextended(%s, 0)".formatted(group),
                NOW + " + 1",
                Long.toString(Long.MAX_VALUE)),
            GROUP.formatted("e"),
            group);
  }
}
