package dev.sluice.model;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * The whole contract in the plainest statements, one process at a time: the slow and obvious
 * transport on which the tests themselves are tested. Safe for use by many threads and beside
 * others of its kind, not beside Python.
 */
public final class PlainHarel implements HarelUnderTest {
  private static final String ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(20260101)";

  private static final String INSERT_MESSAGE =
      "INSERT INTO {messages} (group_id, event) VALUES (?, ?)";
  private static final String INSERT_GROUP =
      "INSERT INTO {groups} (group_id, priority) VALUES (?, ?) ON CONFLICT (group_id) DO NOTHING";

  private static final String NEXT_GROUP =
      """
      SELECT group_id FROM {groups}
      WHERE (locked_by IS NULL OR lock_expiry < ?) AND (priority >= ? OR ? = 0)
      ORDER BY COALESCE(lock_expiry, 0), group_id LIMIT 1
      """;
  private static final String HEAD =
      "SELECT seq, event FROM {messages} WHERE group_id = ? ORDER BY seq LIMIT 1";
  private static final String LEASE =
      "UPDATE {groups} SET locked_by = ?, lock_expiry = ? WHERE group_id = ?";
  private static final String DROP = "DELETE FROM {groups} WHERE group_id = ?";

  private static final String HELD =
      """
      SELECT 1 FROM {groups} g JOIN {messages} m USING (group_id)
      WHERE g.group_id = ? AND m.seq = ? AND g.locked_by = ?
      """;
  private static final String DELETE = "DELETE FROM {messages} WHERE seq = ?";
  private static final String SERVED =
      "UPDATE {groups} SET locked_by = NULL, lock_expiry = ? WHERE group_id = ?";
  private static final String RELOCK =
      "UPDATE {groups} SET lock_expiry = ? WHERE group_id = ? AND locked_by = ?";
  private static final String FREE =
      """
      UPDATE {groups} SET locked_by = NULL, lock_expiry = NULL WHERE group_id = ? AND locked_by = ?
      """;

  private static final String QUARANTINE =
      """
      INSERT INTO {failed} (seq, group_id, event, error_message, priority, failed_at)
      SELECT m.seq, m.group_id, m.event, ?, g.priority, floor(?)
      FROM {messages} m JOIN {groups} g USING (group_id) WHERE m.seq = ?
      """;
  private static final String REVIVE_GROUP =
      """
      INSERT INTO {groups} (group_id, priority) SELECT group_id, COALESCE(priority, 0)
      FROM {failed} WHERE seq = ? ON CONFLICT (group_id) DO NOTHING
      """;
  private static final String REVIVE_MESSAGE =
      """
      INSERT INTO {messages} (seq, group_id, event)
      SELECT seq, group_id, event FROM {failed} WHERE seq = ?
      """;
  private static final String FORGET = "DELETE FROM {failed} WHERE seq = ?";

  private record Parked(String group, String token) {}

  private record Head(long seq, String event) {}

  private final HarelConnections connections;
  private final DoubleSupplier epochSeconds;
  private final UnaryOperator<String> sql;
  private final Set<Parked> parked = ConcurrentHashMap.newKeySet();

  /** As {@link HarelUnderTest.Factory#open}. */
  public PlainHarel(DataSource dataSource, HarelNames names, DoubleSupplier epochSeconds) {
    this(dataSource, names, epochSeconds, UnaryOperator.identity());
  }

  /** With other statements, to see whether anybody notices. */
  public PlainHarel(
      DataSource dataSource,
      HarelNames names,
      DoubleSupplier epochSeconds,
      UnaryOperator<String> mutation) {
    this.connections = new HarelConnections(dataSource);
    this.epochSeconds = epochSeconds;
    this.sql = template -> names.sql(mutation.apply(template));
  }

  /** Does things by themselves, so that nothing is between a look and the act. */
  private <T> T alone(HarelConnections.Work<T> work) {
    return connections.inTransaction(
        connection -> {
          HarelConnections.exists(connection, ONE_AT_A_TIME);
          return work.on(connection);
        });
  }

  private int update(Connection connection, String template, Object... values) throws SQLException {
    return HarelConnections.update(connection, sql.apply(template), values);
  }

  @Override
  public void publish(HarelEvent event) {
    publishBatch(List.of(event));
  }

  @Override
  public void publishBatch(List<HarelEvent> events) {
    alone(
        connection -> {
          for (HarelEvent event : events) {
            update(connection, INSERT_MESSAGE, event.group(), event.event());
            update(connection, INSERT_GROUP, event.group(), event.priority());
          }
          return events.size();
        });
  }

  @Override
  public List<HarelClaim> claim(String worker, double visibility, int minPriority, int max) {
    String token = worker + ":" + UUID.randomUUID().toString().replace("-", "");
    return alone(
        connection -> {
          double now = epochSeconds.getAsDouble();
          List<HarelClaim> claims = new ArrayList<>();
          while (claims.size() < max) {
            Optional<String> group = nextGroup(connection, now, minPriority);
            if (group.isEmpty()) {
              return claims;
            }
            lease(connection, group.get(), token, now + visibility).ifPresent(claims::add);
          }
          return claims;
        });
  }

  private Optional<String> nextGroup(Connection connection, double now, int minPriority)
      throws SQLException {
    try (PreparedStatement select =
            HarelConnections.prepare(
                connection, sql.apply(NEXT_GROUP), now, minPriority, minPriority);
        ResultSet row = select.executeQuery()) {
      return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
    }
  }

  private Optional<HarelClaim> lease(
      Connection connection, String group, String token, double expiry) throws SQLException {
    Optional<Head> head = head(connection, group);
    if (head.isEmpty()) {
      update(connection, DROP, group);
      return Optional.empty();
    }
    update(connection, LEASE, token, expiry, group);
    HarelReceipt receipt = new HarelReceipt(group, head.get().seq(), token);
    return Optional.of(new HarelClaim(receipt, head.get().event()));
  }

  private Optional<Head> head(Connection connection, String group) throws SQLException {
    try (PreparedStatement select = HarelConnections.prepare(connection, sql.apply(HEAD), group);
        ResultSet row = select.executeQuery()) {
      return row.next()
          ? Optional.of(new Head(row.getLong(1), row.getString(2)))
          : Optional.empty();
    }
  }

  @Override
  public Set<HarelReceipt> ack(List<HarelReceipt> receipts) {
    return alone(
        connection -> {
          Set<HarelReceipt> stale = new HashSet<>();
          for (HarelReceipt receipt : receipts) {
            if (holds(connection, receipt)) {
              remove(connection, receipt);
            } else {
              stale.add(receipt);
            }
          }
          return stale;
        });
  }

  private boolean holds(Connection connection, HarelReceipt receipt) throws SQLException {
    return HarelConnections.exists(
        connection, sql.apply(HELD), receipt.group(), receipt.seq(), receipt.token());
  }

  private void remove(Connection connection, HarelReceipt receipt) throws SQLException {
    update(connection, DELETE, receipt.seq());
    if (head(connection, receipt.group()).isPresent()) {
      update(connection, SERVED, epochSeconds.getAsDouble(), receipt.group());
    } else {
      update(connection, DROP, receipt.group());
    }
  }

  @Override
  public Set<HarelReceipt> nack(List<Return> returns) {
    return alone(
        connection -> {
          Set<HarelReceipt> stale = new HashSet<>();
          for (Return returned : returns) {
            if (!nack(connection, returned.receipt(), returned.delay())) {
              stale.add(returned.receipt());
            }
          }
          return stale;
        });
  }

  private boolean nack(Connection connection, HarelReceipt receipt, double delay)
      throws SQLException {
    if (delay <= 0) {
      return update(connection, FREE, receipt.group(), receipt.token()) > 0;
    }
    parked.add(new Parked(receipt.group(), receipt.token()));
    return relock(connection, receipt, delay);
  }

  private boolean relock(Connection connection, HarelReceipt receipt, double seconds)
      throws SQLException {
    double expiry = epochSeconds.getAsDouble() + seconds;
    return update(connection, RELOCK, expiry, receipt.group(), receipt.token()) > 0;
  }

  @Override
  public Set<HarelReceipt> reject(List<Rejection> rejections) {
    return alone(
        connection -> {
          Set<HarelReceipt> stale = new HashSet<>();
          for (Rejection rejection : rejections) {
            HarelReceipt receipt = rejection.receipt();
            if (holds(connection, receipt)) {
              double now = epochSeconds.getAsDouble();
              update(connection, QUARANTINE, rejection.error(), now, receipt.seq());
              remove(connection, receipt);
            } else {
              stale.add(receipt);
            }
          }
          return stale;
        });
  }

  @Override
  public Set<HarelReceipt> extend(List<HarelReceipt> receipts, double visibility) {
    return alone(
        connection -> {
          Set<HarelReceipt> stale = new HashSet<>();
          for (HarelReceipt receipt : receipts) {
            boolean over = parked.contains(new Parked(receipt.group(), receipt.token()));
            if (over || !relock(connection, receipt, visibility)) {
              stale.add(receipt);
            }
          }
          return stale;
        });
  }

  @Override
  public int requeue(Collection<Long> seqs) {
    return alone(
        connection -> {
          int requeued = 0;
          for (Long seq : new TreeSet<>(seqs)) {
            update(connection, REVIVE_GROUP, seq);
            update(connection, REVIVE_MESSAGE, seq);
            requeued += update(connection, FORGET, seq);
          }
          return requeued;
        });
  }

  @Override
  public void close() {}
}
