package dev.sluice.model;

import dev.sluice.queue.Counters;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.MalformedMessageException;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueAdmin;
import dev.sluice.queue.QueueClosedException;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.queue.QueueRow;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Rejection;
import dev.sluice.queue.Return;
import dev.sluice.queue.SchemaReport;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/**
 * The Go backend as a {@link Queue}: the peer beside ours in tests of mixed deployments, and the
 * slow and obvious backend on which the tests themselves are tested.
 *
 * <p>What Go lacks is done in the plainest way: exclusive groups by one lock for a whole queue, and
 * batches by locking their rows in the order of their ids. Safe for use by many threads.
 */
public final class SeedQueue implements Queue {
  private static final long DEFAULT_VISIBILITY = 30;

  private static final String HELD =
      """
      WITH held AS (
        SELECT m.id, r.receipt, r.delay, r.error
        FROM queue_messages m
        JOIN unnest(?::text[], ?::bigint[], ?::text[]) AS r (receipt, delay, error)
          ON m.receipt_handle = r.receipt
        WHERE m.queue_name = ?
        ORDER BY m.id
        FOR UPDATE OF m)
      """;

  private static final String ACK =
      HELD
          + """
          DELETE FROM queue_messages m USING held h WHERE m.queue_name = ? AND m.id = h.id
          RETURNING m.receipt_handle
          """;

  private static final String HAND_BACK =
      HELD
          + """
          UPDATE queue_messages m SET receipt_handle = NULL, visible_at = ? + h.delay
          FROM held h WHERE m.queue_name = ? AND m.id = h.id
          RETURNING h.receipt
          """;

  private static final String EXTEND =
      HELD
          + """
          UPDATE queue_messages m SET visible_at = ? + h.delay
          FROM held h WHERE m.queue_name = ? AND m.id = h.id
          RETURNING m.receipt_handle
          """;

  private static final String REJECT =
      HELD
          + """
          , gone AS (
            DELETE FROM queue_messages m USING held h WHERE m.queue_name = ? AND m.id = h.id
            RETURNING m.*, h.error),
          kept AS (
            INSERT INTO queue_messages_failed (id, queue_name, message_group_id, payload,
              error_message, receive_count, created_at, failed_at)
            SELECT id, queue_name, message_group_id, payload, left(error, 1000), receive_count,
              created_at, ?
            FROM gone ORDER BY id
            ON CONFLICT (queue_name, id) DO UPDATE SET message_group_id = excluded.message_group_id,
              payload = excluded.payload, error_message = excluded.error_message,
              receive_count = excluded.receive_count, created_at = excluded.created_at,
              failed_at = excluded.failed_at)
          SELECT receipt_handle FROM gone
          """;

  private static final String INSERT =
      """
      INSERT INTO queue_messages (id, queue_name, message_group_id, visible_at, payload, created_at)
      SELECT id, queue, message_group, ?, payload, ?
      FROM unnest(?::text[], ?::text[], ?::text[], ?::text[]) WITH ORDINALITY
        AS r (id, queue, message_group, payload, place)
      ORDER BY queue, id, place
      ON CONFLICT (queue_name, id) DO NOTHING
      """;

  private static final String METRICS =
      """
      SELECT count(*) FILTER (WHERE receipt_handle IS NULL AND visible_at <= ?),
        count(*) FILTER (WHERE receipt_handle IS NULL AND visible_at > ?),
        count(*) FILTER (WHERE receipt_handle IS NOT NULL AND visible_at > ?),
        count(*) FILTER (WHERE receipt_handle IS NOT NULL AND visible_at <= ?),
        (SELECT count(*) FROM queue_messages_failed WHERE queue_name = ?)
      FROM queue_messages WHERE queue_name = ?
      """;

  private final DataSource dataSource;
  private final String name;
  private final LongSupplier epochSeconds;
  private final long visibility;
  private final boolean exclusiveGroups;
  private final AtomicLong polled = new AtomicLong();
  private final AtomicLong acked = new AtomicLong();
  private final AtomicLong nacked = new AtomicLong();
  private final AtomicLong deferred = new AtomicLong();
  private final AtomicLong rejected = new AtomicLong();
  private volatile boolean closed;

  /** As {@link QueueUnderTest#open}. */
  public SeedQueue(
      DataSource dataSource,
      String name,
      LongSupplier epochSeconds,
      Duration visibility,
      boolean exclusiveGroups) {
    this.dataSource = dataSource;
    this.name = name;
    this.epochSeconds = epochSeconds;
    this.visibility = visibility.toSeconds() <= 0 ? DEFAULT_VISIBILITY : visibility.toSeconds();
    this.exclusiveGroups = exclusiveGroups;
  }

  @Override
  public String identifier() {
    return name;
  }

  @Override
  public PollResult poll(int max) {
    if (max < 1) {
      throw new IllegalArgumentException("max: must be at least 1, was " + max);
    }
    List<LegacyRow> claimed = inTransaction("poll", connection -> claim(connection, max));
    List<Delivery> deliveries = new ArrayList<>();
    List<Rejection> malformed = new ArrayList<>();
    for (LegacyRow row : claimed) {
      try {
        deliveries.add(delivery(row, MessageJson.read(row.payload())));
      } catch (MalformedMessageException e) {
        malformed.add(new Rejection(receipt(row), "malformed: " + e.getMessage()));
      }
    }
    polled.addAndGet(deliveries.size());
    int quarantined = malformed.size() - rejectBatch(malformed).size();
    return new PollResult(deliveries, claimed.size(), quarantined);
  }

  private List<LegacyRow> claim(Connection connection, int max) throws SQLException {
    if (exclusiveGroups) {
      try (PreparedStatement lock =
          connection.prepareStatement("SELECT pg_advisory_xact_lock(hashtext(?))")) {
        lock.setString(1, name);
        lock.execute();
      }
    }
    return SeedClaim.of(exclusiveGroups)
        .claim(connection, name, epochSeconds.getAsLong(), max, visibility);
  }

  private Delivery delivery(LegacyRow row, Message message) {
    return new Delivery(
        message,
        Delivery.Kind.MESSAGE,
        row.payload(),
        receipt(row),
        row.id(),
        name,
        row.claimGroup(),
        row.receives() == null ? 0 : row.receives(),
        Instant.ofEpochSecond(row.createdAt()),
        Instant.ofEpochSecond(row.visibleAt()));
  }

  private static Receipt receipt(LegacyRow row) {
    if (row.receipt() == null) {
      throw new IllegalStateException("not claimed: " + row.id());
    }
    return new Receipt(row.receipt());
  }

  @Override
  public Set<Receipt> ackBatch(Collection<Receipt> receipts) {
    Set<Receipt> stale = settle("ack", ACK, claims(receipts, 0), name);
    acked.addAndGet(new HashSet<>(receipts).size() - stale.size());
    return stale;
  }

  @Override
  public Set<Receipt> nackBatch(Collection<Return> returns) {
    Set<Receipt> stale = handBack("nack", returns);
    nacked.addAndGet(returns.size() - stale.size());
    return stale;
  }

  @Override
  public Set<Receipt> deferBatch(Collection<Return> returns) {
    Set<Receipt> stale = handBack("defer", returns);
    deferred.addAndGet(returns.size() - stale.size());
    return stale;
  }

  private Set<Receipt> handBack(String operation, Collection<Return> returns) {
    List<Claim> claims =
        returns.stream().map(r -> new Claim(r.receipt(), roundedUp(r.delay()), "")).toList();
    return settle(operation, HAND_BACK, claims, epochSeconds.getAsLong(), name);
  }

  @Override
  public Set<Receipt> rejectBatch(Collection<Rejection> rejections) {
    if (rejections.stream().anyMatch(Rejection::onlyWhileBlocked)) {
      throw new UnsupportedOperationException("the seed blocks no groups");
    }
    List<Claim> claims =
        rejections.stream().map(r -> new Claim(r.receipt(), 0, r.reason())).toList();
    Set<Receipt> stale = settle("reject", REJECT, claims, name, epochSeconds.getAsLong());
    rejected.addAndGet(rejections.size() - stale.size());
    return stale;
  }

  @Override
  public Set<String> blockedGroups(Collection<String> groups) {
    return inTransaction(
        "blockedGroups",
        connection -> {
          try (PreparedStatement select =
              connection.prepareStatement(
                  """
                  SELECT DISTINCT message_group_id FROM queue_messages_failed
                  WHERE queue_name = ? AND message_group_id = ANY (?)
                    AND error_message LIKE 'BLOCKED: %'""")) {
            select.setString(1, name);
            select.setArray(2, LegacyTable.texts(connection, groups.toArray()));
            Set<String> blocked = new HashSet<>();
            try (ResultSet row = select.executeQuery()) {
              while (row.next()) {
                blocked.add(row.getString(1));
              }
            }
            return blocked;
          }
        });
  }

  @Override
  public AutoCloseable listen(Runnable wake) {
    return () -> {};
  }

  @Override
  public Set<Receipt> extendVisibility(Collection<Receipt> receipts, Duration duration) {
    List<Claim> claims = claims(receipts, roundedUp(duration));
    return settle("extend", EXTEND, claims, epochSeconds.getAsLong(), name);
  }

  private record Claim(Receipt receipt, long delay, String error) {}

  private static List<Claim> claims(Collection<Receipt> receipts, long delay) {
    return receipts.stream().distinct().map(receipt -> new Claim(receipt, delay, "")).toList();
  }

  private static long roundedUp(Duration duration) {
    return duration.plusNanos(999_999_999).toSeconds();
  }

  private Set<Receipt> settle(
      String operation, String sql, List<Claim> claims, Object... furtherArguments) {
    Set<Receipt> stale = new HashSet<>();
    claims.forEach(claim -> stale.add(claim.receipt()));
    return inTransaction(
        operation,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setArray(
                1,
                LegacyTable.texts(
                    connection, claims.stream().map(c -> c.receipt().value()).toArray()));
            statement.setArray(
                2, connection.createArrayOf("bigint", claims.stream().map(Claim::delay).toArray()));
            statement.setArray(
                3, LegacyTable.texts(connection, claims.stream().map(Claim::error).toArray()));
            statement.setString(4, name);
            for (int i = 0; i < furtherArguments.length; i++) {
              statement.setObject(5 + i, furtherArguments[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
              while (row.next()) {
                stale.remove(new Receipt(row.getString(1)));
              }
            }
          }
          return stale;
        });
  }

  @Override
  public boolean honoursDelayedReturn() {
    return true;
  }

  @Override
  public boolean hasExclusiveGroups() {
    return exclusiveGroups;
  }

  @Override
  public List<String> insertBatch(List<QueueRow> rows) {
    rows.forEach(SeedQueue::refuseNul);
    List<Message> messages = rows.stream().map(QueueRow::message).toList();
    return inTransaction(
        "publish",
        connection -> {
          long now = epochSeconds.getAsLong();
          try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setLong(1, now);
            insert.setLong(2, now);
            insert.setArray(
                3, LegacyTable.texts(connection, messages.stream().map(Message::id).toArray()));
            insert.setArray(
                4, LegacyTable.texts(connection, rows.stream().map(QueueRow::queue).toArray()));
            insert.setArray(
                5,
                LegacyTable.texts(
                    connection, messages.stream().map(Message::messageGroupIdOrNull).toArray()));
            insert.setArray(
                6,
                LegacyTable.texts(connection, messages.stream().map(MessageJson::write).toArray()));
            insert.executeUpdate();
          }
          return messages.stream().map(Message::id).toList();
        });
  }

  private static void refuseNul(QueueRow row) {
    String group = row.message().messageGroupId().orElse("");
    if ((row.queue() + row.message().id() + group).indexOf('\0') >= 0) {
      throw new IllegalArgumentException("id, group or queue: must not contain NUL");
    }
  }

  @Override
  public QueueMetrics metrics() {
    return inTransaction(
        "metrics",
        connection -> {
          long now = epochSeconds.getAsLong();
          try (PreparedStatement select = connection.prepareStatement(METRICS)) {
            for (int i = 1; i <= 4; i++) {
              select.setLong(i, now);
            }
            select.setString(5, name);
            select.setString(6, name);
            try (ResultSet row = select.executeQuery()) {
              row.next();
              return new QueueMetrics(
                  row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5));
            }
          }
        });
  }

  @Override
  public Counters counters() {
    return new Counters(polled.get(), acked.get(), nacked.get(), deferred.get(), rejected.get());
  }

  @Override
  public boolean healthy() {
    return !closed;
  }

  @Override
  public void initSchema() {
    throw new UnsupportedOperationException("the tests create the tables");
  }

  @Override
  public SchemaReport checkSchema() {
    throw new UnsupportedOperationException("the tests create the tables");
  }

  @Override
  public QueueAdmin admin() {
    return new SeedAdmin(this);
  }

  @Override
  public void close() {
    closed = true;
  }

  List<String> claimable(int limit) {
    return inTransaction(
        "peek",
        connection ->
            SeedClaim.of(exclusiveGroups)
                .wouldClaim(connection, name, epochSeconds.getAsLong(), limit));
  }

  long now() {
    return epochSeconds.getAsLong();
  }

  /** Work on a connection in one transaction. */
  @FunctionalInterface
  interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  <T> T inTransaction(String operation, Work<T> work) {
    if (closed) {
      throw new QueueClosedException(operation, name);
    }
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        T result = work.on(connection);
        connection.commit();
        return result;
      } catch (SQLException e) {
        connection.rollback();
        throw e;
      } finally {
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw new QueueException(operation, name, e);
    }
  }
}
