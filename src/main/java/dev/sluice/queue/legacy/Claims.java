package dev.sluice.queue.legacy;

import dev.sluice.queue.PeekedMessage;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.queue.legacy.LegacyQueue.Groups;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Chooses and claims rows, by the form of the statement that the indexes of the table allow. */
final class Claims {
  // Indexes come and go by the operator's hand; what we know of them may be this old.
  private static final long INDEX_LOOK_NANOS = TimeUnit.SECONDS.toNanos(30);
  // Each claim of an exclusive poll holds a lock in a table that all sessions share.
  private static final int MAX_EXCLUSIVE = 500;

  private final Session session;
  private final String queue;
  private final LegacyQueue.Clock clock;
  private final LegacySchema schema;
  private final long visibilitySeconds;
  private final Groups groups;
  private final String indexedCandidates;
  private final String plainCandidates;
  private final String indexedClaim;
  private final String plainClaim;
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
      long visibleAt) {
    static Row read(ResultSet row) throws SQLException {
      return new Row(
          row.getString(1),
          row.getString(2),
          row.getString(3),
          row.getString(4),
          row.getInt(5),
          row.getLong(6),
          row.getLong(7));
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
    this.indexedCandidates = ClaimSql.indexed(budgets);
    this.plainCandidates = ClaimSql.unindexed(budgets);
    this.indexedClaim = ClaimSql.claim(indexedCandidates);
    this.plainClaim = ClaimSql.claim(plainCandidates);
  }

  List<Row> claim(int max) {
    return groups == Groups.EXCLUSIVE ? claimExclusive(max) : claimRelaxed(max);
  }

  private List<Row> claimRelaxed(int max) {
    return session.query(
        "poll",
        indexed() ? indexedClaim : plainClaim,
        Row::read,
        queue,
        clock.epochSeconds(),
        LegacyQueue.receiptPrefix(),
        visibilitySeconds,
        (long) max);
  }

  /**
   * Two statements in one transaction: the first takes the locks of groups, the second looks again,
   * with a snapshot that began after the locks were taken. What another exclusive poller claimed
   * before it let go of a lock is then seen.
   */
  private List<Row> claimExclusive(int max) {
    boolean indexed = indexed();
    String lockGroups =
        // Two snapshots are the point: a database may default to one for the whole transaction.
        "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; "
            + ClaimSql.lockGroups(indexed ? indexedCandidates : plainCandidates, indexed);
    return session.transaction(
        "poll",
        connection -> {
          List<String> ids =
              Session.query(
                  connection,
                  lockGroups,
                  row -> row.getString(1),
                  queue,
                  clock.epochSeconds(),
                  (long) Math.min(max, MAX_EXCLUSIVE));
          return ids.isEmpty()
              ? List.of()
              : Session.query(
                  connection,
                  ClaimSql.claimLocked(indexed),
                  Row::read,
                  queue,
                  clock.epochSeconds(),
                  LegacyQueue.receiptPrefix(),
                  visibilitySeconds,
                  ids.toArray(String[]::new));
        });
  }

  List<PeekedMessage> peek(Optional<String> group, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit: must be at least 1, was " + limit);
    }
    return session.query(
        "peek",
        ClaimSql.peek(indexed() ? indexedCandidates : plainCandidates),
        row ->
            new PeekedMessage(
                row.getString(1),
                row.getString(2),
                Instant.ofEpochSecond(row.getLong(3)),
                Instant.ofEpochSecond(row.getLong(4)),
                row.getObject(5, Integer.class),
                row.getString(6)),
        queue,
        clock.epochSeconds(),
        group.orElse(null),
        group.orElse(null),
        (long) limit);
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
