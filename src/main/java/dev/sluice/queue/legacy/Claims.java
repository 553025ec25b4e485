package dev.sluice.queue.legacy;

import dev.sluice.queue.PeekedMessage;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.queue.legacy.LegacyQueue.Groups;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses and claims rows, by the form of the statement that the indexes of the table allow. */
final class Claims {
  // Indexes come and go by the operator's hand; what we know of them may be this old.
  private static final long INDEX_LOOK_NANOS = TimeUnit.SECONDS.toNanos(30);
  // Each group of an exclusive poll takes a lock in a table that all sessions share.
  private static final int MAX_EXCLUSIVE = 500;

  // Compares ids as their column does: a collation that it was given wins over the default.
  private static final String IN_ORDER =
      """
      SELECT o.id
      FROM (
        SELECT m.id, m.created_at FROM queue_messages m WHERE false
        UNION ALL
        SELECT t.id, t.at FROM unnest(CAST(? AS text[]), CAST(? AS bigint[])) AS t(id, at)) o
      ORDER BY o.created_at, o.id""";

  private static final Logger log = LoggerFactory.getLogger(Claims.class);

  private final Session session;
  private final String queue;
  private final LegacyQueue.Clock clock;
  private final LegacySchema schema;
  private final long visibilitySeconds;
  private final Groups groups;
  private final ClaimSearch search;
  private final Lookahead lookahead;
  private final ClaimSearch.Statements ahead =
      ClaimSearch.Statements.byIndex(ClaimSql.REMEMBERED, false);
  private volatile IndexLook indexLook = new IndexLook(false, 0, false);

  private record IndexLook(boolean indexed, long at, boolean taken) {}

  /** A row as it is after it was claimed. */
  record Row(
      String id,
      String group,
      String payload,
      String receipt,
      int receives,
      long createdAt,
      long visibleAt)
      implements ClaimSearch.Taken {
    static Row read(ResultSet row) throws SQLException {
      return new Row(
          row.getString(5),
          row.getString(6),
          row.getString(7),
          row.getString(8),
          row.getInt(9),
          row.getLong(10),
          row.getLong(11));
    }

    @Override
    public boolean isNew() {
      return receives == 1;
    }
  }

  /** A row whose group is locked. */
  private record Locked(String id, String group, long createdAt, String place)
      implements ClaimSearch.Taken {
    static Locked read(ResultSet row) throws SQLException {
      return new Locked(row.getString(5), row.getString(6), row.getLong(7), row.getString(8));
    }

    // Unknown; so the oldest rows count as disordered while many wait, and groups get their turns.
    @Override
    public boolean isNew() {
      return false;
    }
  }

  // The first four columns tell where the statement got to, in every row; the fifth is NULL in the
  // one row of no rows.
  private record Line<T>(ClaimSearch.Place place, ClaimSql.Rest rest, List<T> row) {
    static <T> Session.RowReader<Line<T>> reader(Session.RowReader<T> reader) {
      return row ->
          new Line<>(
              new ClaimSearch.Place(
                  row.getObject(2, Long.class), row.getString(3), row.getObject(4, Long.class)),
              ClaimSql.Rest.valueOf(row.getString(1)),
              row.getString(5) == null ? List.of() : List.of(reader.read(row)));
    }

    static <T> ClaimSearch.Found<T> of(List<Line<T>> each) {
      Line<T> any = each.get(0);
      return new ClaimSearch.Found<>(
          each.stream().flatMap(line -> line.row().stream()).toList(), any.rest(), any.place());
    }
  }

  Claims(
      Session session,
      String queue,
      LegacyQueue.Clock clock,
      LegacySchema schema,
      Duration visibility,
      Groups groups,
      ClaimSearch.Budgets budgets,
      int plainRows,
      LongSupplier nanos,
      long quickNanos) {
    this.session = session;
    this.queue = queue;
    this.clock = clock;
    this.schema = schema;
    this.visibilitySeconds = visibility.plusNanos(999_999_999).toSeconds();
    this.groups = groups;
    this.search =
        new ClaimSearch(queue, groups == Groups.EXCLUSIVE, budgets, plainRows, nanos, quickNanos);
    this.lookahead = new Lookahead(session, queue, plainRows, nanos);
  }

  boolean areExclusive() {
    return groups == Groups.EXCLUSIVE;
  }

  ClaimSearch.Outcome<Row> claim(int max) {
    return areExclusive() ? claimExclusive(max) : claimRelaxed(max);
  }

  private ClaimSearch.Outcome<Row> claimRelaxed(int max) {
    Long now = clock.epochSeconds();
    String prefix = LegacyQueue.receiptPrefix();
    ClaimSearch.Take<Row, RuntimeException> take =
        (statements, lead, limit) ->
            Line.of(
                session.queryAtOnce(
                    "poll",
                    statements.claim(),
                    Line.reader(Row::read),
                    parameters(lead, prefix, visibilitySeconds, limit)));
    if (indexed()) {
      return search(now, true, max, take);
    }
    List<Row> remembered = remembered(now, max, take);
    if (!remembered.isEmpty()) {
      lookahead.polled(remembered.size());
      return new ClaimSearch.Outcome<>(remembered, false, false);
    }
    ClaimSearch.Outcome<Row> outcome = search(now, false, max, take);
    lookahead.polled(outcome.rows().size());
    return outcome;
  }

  private List<Row> remembered(
      @Nullable Long now, int max, ClaimSearch.Take<Row, RuntimeException> take) {
    List<@Nullable Object> lead = lookahead.next(now, max);
    if (lead.isEmpty()) {
      return List.of();
    }
    List<Row> rows = List.of();
    try {
      rows = take.take(ahead, lead, max).rows();
    } catch (QueueException e) {
      log.debug("what was remembered is given up queue={} reason=\"{}\"", queue, e.getMessage());
    }
    if (rows.isEmpty()) {
      lookahead.forget();
    }
    return rows;
  }

  private ClaimSearch.Outcome<Row> search(
      @Nullable Long now, boolean indexed, int max, ClaimSearch.Take<Row, RuntimeException> take) {
    ClaimSearch.Outcome<Row> outcome = search.search(now, indexed, max, take);
    return outcome.pieced() ? inOrder(outcome) : outcome;
  }

  /** Puts what several statements took into the order of one. */
  private ClaimSearch.Outcome<Row> inOrder(ClaimSearch.Outcome<Row> outcome) {
    Map<String, Row> rows = new HashMap<>();
    outcome.rows().forEach(row -> rows.put(row.id(), row));
    if (rows.values().stream().map(Row::createdAt).distinct().count() == rows.size()) {
      return outcome;
    }
    try {
      List<String> ids =
          session.query(
              "poll",
              IN_ORDER,
              row -> row.getString(1),
              rows.keySet().toArray(String[]::new),
              rows.values().stream().map(Row::createdAt).toArray(Long[]::new));
      return new ClaimSearch.Outcome<>(
          ids.stream().map(rows::get).toList(), outcome.inDoubt(), false);
    } catch (QueueException e) {
      // They are claimed: the caller must get them. Only within a second can they be out of order.
      log.warn("order of ids is unknown queue={} reason=\"{}\"", queue, e.getMessage());
      return outcome;
    }
  }

  /**
   * Statements in one transaction: the first ones take the locks of groups, the last looks again,
   * with a snapshot that began after the locks were taken. What another exclusive poller claimed
   * before it let go of a lock is then seen.
   */
  private ClaimSearch.Outcome<Row> claimExclusive(int max) {
    Long now = clock.epochSeconds();
    boolean indexed = indexed();
    return session.transaction(
        "poll",
        connection -> {
          ClaimSearch.Outcome<Locked> locked =
              search.<Locked, SQLException>search(
                  now,
                  indexed,
                  Math.min(max, MAX_EXCLUSIVE),
                  (statements, lead, limit) ->
                      Line.of(
                          Session.query(
                              connection,
                              // Two snapshots are the point, and a database may default to one.
                              Session.READ_COMMITTED + statements.lockGroups(),
                              Line.reader(Locked::read),
                              parameters(lead, limit))));
          if (locked.rows().isEmpty()) {
            return new ClaimSearch.Outcome<>(List.of(), locked.inDoubt(), false);
          }
          List<Row> rows =
              Session.query(
                  connection,
                  ClaimSql.claimLocked(indexed),
                  Row::read,
                  parameters(
                      search.lockedLead(now, indexed),
                      LegacyQueue.receiptPrefix(),
                      visibilitySeconds,
                      locked.rows().stream().map(Locked::place).toArray(String[]::new)));
          // What was locked may have been taken in between, and more be left than was looked at.
          return new ClaimSearch.Outcome<>(rows, rows.isEmpty(), false);
        });
  }

  private static @Nullable Object[] parameters(
      List<@Nullable Object> lead, @Nullable Object... rest) {
    return Stream.concat(lead.stream(), Arrays.stream(rest)).toArray();
  }

  List<PeekedMessage> peek(Optional<String> group, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit: must be at least 1, was " + limit);
    }
    Long now = clock.epochSeconds();
    String only = group.orElse(null);
    boolean indexed = indexed();
    ClaimSearch.Found<PeekedMessage> near =
        peek(
            search.near(indexed, limit),
            search.nearLead(now, indexed, null, List.of()),
            only,
            limit);
    return near.rows().size() == limit || near.rest() == ClaimSql.Rest.NONE
        ? near.rows()
        : peek(search.all(indexed), search.allLead(now, List.of(), List.of()), only, limit).rows();
  }

  private ClaimSearch.Found<PeekedMessage> peek(
      ClaimSearch.Statements statements,
      List<@Nullable Object> lead,
      @Nullable String only,
      long limit) {
    return Line.of(
        session.query(
            "peek",
            statements.peek(),
            Line.reader(Claims::peeked),
            parameters(lead, only, only, limit)));
  }

  private static PeekedMessage peeked(ResultSet row) throws SQLException {
    return new PeekedMessage(
        row.getString(5),
        row.getString(6),
        LegacyQueue.instant(row.getLong(7)),
        LegacyQueue.instant(row.getLong(8)),
        row.getObject(9, Integer.class),
        row.getString(10));
  }

  private boolean indexed() {
    IndexLook look = indexLook;
    long now = System.nanoTime();
    if (!look.taken() || now - look.at() > INDEX_LOOK_NANOS) {
      look = new IndexLook(schema.hasClaimIndexes(), now, true);
      indexLook = look;
    }
    return look.indexed();
  }
}
