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
import java.util.UUID;
import java.util.function.DoubleSupplier;
import javax.sql.DataSource;

/**
 * Python's transport over JDBC: the peer beside ours in tests of mixed deployments. Batches are
 * loops, each round an operation of its own. Safe for use by many threads.
 */
public final class SeedHarel implements HarelUnderTest {
  private static final String INSERT_MESSAGE =
      "INSERT INTO {messages} (group_id, event) VALUES (?, ?)";
  private static final String INSERT_GROUP =
      """
      INSERT INTO {groups} (group_id, locked_by, lock_expiry, priority) VALUES (?, NULL, NULL, ?)
      """;
  private static final String CLAIM = "SELECT group_id, seq, event FROM {claim}(?, ?, ?, ?)";
  private static final String ACK = "SELECT {ack}(?, ?, ?, ?)";
  private static final String PARK =
      "UPDATE {groups} SET lock_expiry = ? WHERE group_id = ? AND locked_by = ?";
  private static final String FREE =
      """
      UPDATE {groups} SET locked_by = NULL, lock_expiry = NULL WHERE group_id = ? AND locked_by = ?
      """;

  private final HarelConnections connections;
  private final HarelNames names;
  private final HarelVersion version;
  private final DoubleSupplier epochSeconds;

  /**
   * As {@link HarelUnderTest.Factory#open}.
   *
   * @param version how it publishes; how it acks is what the database was created with
   */
  public SeedHarel(
      HarelVersion version, DataSource dataSource, HarelNames names, DoubleSupplier epochSeconds) {
    this.version = version;
    this.connections = new HarelConnections(dataSource);
    this.names = names;
    this.epochSeconds = epochSeconds;
  }

  /** Opens transports of this version. */
  public static Factory factory(HarelVersion version) {
    return (dataSource, names, epochSeconds) ->
        new SeedHarel(version, dataSource, names, epochSeconds);
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of();
  }

  @Override
  public void publish(HarelEvent event) {
    connections.inTransaction(
        connection -> {
          HarelConnections.update(
              connection, names.sql(INSERT_MESSAGE), event.group(), event.event());
          return HarelConnections.update(
              connection,
              names.sql(INSERT_GROUP + version.onConflict()),
              event.group(),
              event.priority());
        });
  }

  @Override
  public void publishBatch(List<HarelEvent> events) {
    events.forEach(this::publish);
  }

  @Override
  public List<HarelClaim> claim(String worker, double visibility, int minPriority, int max) {
    String token = worker + ":" + UUID.randomUUID().toString().replace("-", "");
    double now = epochSeconds.getAsDouble();
    List<HarelClaim> claims = new ArrayList<>();
    while (claims.size() < max) {
      Optional<HarelClaim> claim =
          connections.inTransaction(c -> claim(c, now, now + visibility, token, minPriority));
      if (claim.isEmpty()) {
        return claims;
      }
      claims.add(claim.get());
    }
    return claims;
  }

  private Optional<HarelClaim> claim(
      Connection connection, double now, double lease, String token, int minPriority)
      throws SQLException {
    try (PreparedStatement select =
            HarelConnections.prepare(connection, names.sql(CLAIM), now, lease, token, minPriority);
        ResultSet row = select.executeQuery()) {
      return row.next()
          ? Optional.of(
              new HarelClaim(
                  new HarelReceipt(row.getString(1), row.getLong(2), token), row.getString(3)))
          : Optional.empty();
    }
  }

  @Override
  public Set<HarelReceipt> ack(List<HarelReceipt> receipts) {
    for (HarelReceipt receipt : receipts) {
      double now = epochSeconds.getAsDouble();
      connections.inTransaction(
          connection ->
              HarelConnections.exists(
                  connection,
                  names.sql(ACK),
                  receipt.group(),
                  receipt.seq(),
                  receipt.token(),
                  now));
    }
    return Set.of();
  }

  @Override
  public Set<HarelReceipt> nack(List<Return> returns) {
    Set<HarelReceipt> stale = new HashSet<>();
    for (Return returned : returns) {
      HarelReceipt receipt = returned.receipt();
      double now = epochSeconds.getAsDouble();
      int freed =
          connections.inTransaction(connection -> nack(connection, receipt, returned.delay(), now));
      if (freed == 0) {
        stale.add(receipt);
      }
    }
    return stale;
  }

  private int nack(Connection connection, HarelReceipt receipt, double delay, double now)
      throws SQLException {
    return delay > 0
        ? HarelConnections.update(
            connection, names.sql(PARK), now + delay, receipt.group(), receipt.token())
        : HarelConnections.update(connection, names.sql(FREE), receipt.group(), receipt.token());
  }

  @Override
  public Set<HarelReceipt> reject(List<Rejection> rejections) {
    throw new UnsupportedOperationException("harel has no quarantine");
  }

  @Override
  public Set<HarelReceipt> extend(List<HarelReceipt> receipts, double visibility) {
    throw new UnsupportedOperationException("harel extends no lease");
  }

  @Override
  public int requeue(Collection<Long> seqs) {
    throw new UnsupportedOperationException("harel has no quarantine");
  }

  @Override
  public void close() {}
}
