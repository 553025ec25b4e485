package dev.sluice.queue.legacy;

import dev.sluice.queue.PeekedMessage;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.queue.legacy.LegacyQueue.Groups;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Chooses and claims rows, by the form of the statement that the indexes of the table allow. */
final class Claims {
  // Indexes come and go by the operator's hand; what we know of them may be this old.
  private static final long INDEX_LOOK_NANOS = TimeUnit.SECONDS.toNanos(30);
  // Each group of an exclusive poll takes a lock in a table that all sessions share.
  private static final int MAX_EXCLUSIVE = 500;
  private static final String[] NO_GROUPS = {};
  private static final String NO_MORE = "false";

  private final Session session;
  private final String queue;
  private final LegacyQueue.Clock clock;
  private final LegacySchema schema;
  private final long visibilitySeconds;
  private final Groups groups;
  private final Forms indexedForms;
  private final Forms plainForms;
  private volatile IndexLook indexLook = new IndexLook(false, 0, false);

  private record IndexLook(boolean indexed, long at, boolean taken) {}

  /** The statements of one form. */
  private record Forms(
      String claim,
      String lockGroups,
      String lockAllGroups,
      String claimLocked,
      String peek,
      String peekAll) {
    static Forms of(ClaimSql.Near near, boolean indexed, Groups groups) {
      String condition = groups == Groups.EXCLUSIVE ? ClaimSql.nothingInFlight(indexed) : "true";
      return new Forms(
          ClaimSql.claim(near.sql(), near.more()),
          // Two snapshots are the point of an exclusive poll, and a database may default to one.
          Session.READ_COMMITTED + ClaimSql.lockGroups(near.sql(), near.more(), indexed),
          ClaimSql.lockGroups(ClaimSql.ALL, NO_MORE, indexed),
          ClaimSql.claimLocked(indexed),
          ClaimSql.peek(near.sql(), near.more(), condition),
          ClaimSql.peek(ClaimSql.ALL, NO_MORE, condition));
    }
  }

  private static final String CLAIM_ALL = ClaimSql.claim(ClaimSql.ALL, NO_MORE);

  /** A row as it is after it was claimed. */
  record Row(
      String id,
      String group,
      String payload,
      String receipt,
      int receives,
      long createdAt,
      long visibleAt) {
    static Row read(ResultSet row) throws SQLException {
      return new Row(
          row.getString(2),
          row.getString(3),
          row.getString(4),
          row.getString(5),
          row.getInt(6),
          row.getLong(7),
          row.getLong(8));
    }
  }

  /** Rows, and whether a pass over the queue may find further ones. */
  private record Found<T>(List<T> rows, boolean more) {
    // The first column tells of more in every row; the second is NULL in the one row of no rows.
    static <T> Session.RowReader<Found<T>> reader(Session.RowReader<T> reader) {
      return row -> {
        boolean more = row.getBoolean(1);
        return new Found<>(row.getString(2) == null ? List.of() : List.of(reader.read(row)), more);
      };
    }

    static <T> Found<T> of(List<Found<T>> each) {
      List<T> rows = each.stream().flatMap(found -> found.rows().stream()).toList();
      return new Found<>(rows, each.stream().anyMatch(Found::more));
    }
  }

  Claims(
      Session session,
      String queue,
      LegacyQueue.Clock clock,
      LegacySchema schema,
      Duration visibility,
      Groups groups,
      ClaimSql.Budgets budgets) {
    this.session = session;
    this.queue = queue;
    this.clock = clock;
    this.schema = schema;
    this.visibilitySeconds = visibility.plusNanos(999_999_999).toSeconds();
    this.groups = groups;
    this.indexedForms = Forms.of(ClaimSql.Near.indexed(budgets), true, groups);
    this.plainForms = Forms.of(ClaimSql.Near.plain(budgets), false, groups);
  }

  boolean areExclusive() {
    return groups == Groups.EXCLUSIVE;
  }

  List<Row> claim(int max) {
    return areExclusive() ? claimExclusive(max) : claimRelaxed(max);
  }

  private List<Row> claimRelaxed(int max) {
    String prefix = LegacyQueue.receiptPrefix();
    Long now = clock.epochSeconds();
    Found<Row> near =
        Found.of(
            session.query(
                "poll",
                forms().claim(),
                Found.reader(Row::read),
                queue,
                now,
                prefix,
                visibilitySeconds,
                (long) max,
                (long) max));
    if (!near.more()) {
      return near.rows();
    }
    Row last = near.rows().isEmpty() ? null : near.rows().get(near.rows().size() - 1);
    String[] claimedGroups = near.rows().stream().map(Row::group).toArray(String[]::new);
    long rest = (long) max - near.rows().size();
    Found<Row> far;
    try {
      far =
          Found.of(
              session.query(
                  "poll",
                  CLAIM_ALL,
                  Found.reader(Row::read),
                  queue,
                  now,
                  claimedGroups,
                  last == null ? null : last.createdAt(),
                  last == null ? null : last.id(),
                  prefix,
                  visibilitySeconds,
                  rest,
                  rest));
    } catch (QueueException e) {
      if (near.rows().isEmpty()) {
        throw e;
      }
      // Rows are claimed: they must reach the caller. The next poll meets the failure.
      return near.rows();
    }
    return Stream.concat(near.rows().stream(), far.rows().stream()).toList();
  }

  /**
   * Statements in one transaction: the first takes the locks of groups, the last looks again, with
   * a snapshot that began after the locks were taken. What another exclusive poller claimed before
   * it let go of a lock is then seen.
   */
  private List<Row> claimExclusive(int max) {
    Forms forms = forms();
    Long now = clock.epochSeconds();
    long limit = Math.min(max, MAX_EXCLUSIVE);
    return session.transaction(
        "poll",
        connection -> {
          Session.RowReader<Found<String>> ids = Found.reader(row -> row.getString(2));
          Found<String> locked =
              Found.of(
                  Session.query(connection, forms.lockGroups(), ids, queue, now, limit, limit));
          if (locked.more()) {
            locked =
                Found.of(
                    Session.query(
                        connection,
                        forms.lockAllGroups(),
                        ids,
                        queue,
                        now,
                        NO_GROUPS,
                        null,
                        null,
                        limit,
                        limit));
          }
          return locked.rows().isEmpty()
              ? List.of()
              : Found.of(
                      Session.query(
                          connection,
                          forms.claimLocked(),
                          Found.reader(Row::read),
                          queue,
                          now,
                          LegacyQueue.receiptPrefix(),
                          visibilitySeconds,
                          locked.rows().toArray(String[]::new)))
                  .rows();
        });
  }

  List<PeekedMessage> peek(Optional<String> group, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit: must be at least 1, was " + limit);
    }
    Long now = clock.epochSeconds();
    String only = group.orElse(null);
    long rows = limit;
    Forms forms = forms();
    Session.RowReader<Found<PeekedMessage>> reader = Found.reader(Claims::peeked);
    Found<PeekedMessage> near =
        Found.of(session.query("peek", forms.peek(), reader, queue, now, only, only, rows, rows));
    return near.more()
        ? Found.of(
                session.query(
                    "peek",
                    forms.peekAll(),
                    reader,
                    queue,
                    now,
                    NO_GROUPS,
                    null,
                    null,
                    only,
                    only,
                    rows,
                    rows))
            .rows()
        : near.rows();
  }

  private static PeekedMessage peeked(ResultSet row) throws SQLException {
    return new PeekedMessage(
        row.getString(2),
        row.getString(3),
        LegacyQueue.instant(row.getLong(4)),
        LegacyQueue.instant(row.getLong(5)),
        row.getObject(6, Integer.class),
        row.getString(7));
  }

  private Forms forms() {
    return indexed() ? indexedForms : plainForms;
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
