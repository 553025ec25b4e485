package dev.sluice.bench;

import dev.sluice.queue.Receipt;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** What the Go services send to the database, on one connection. Not thread-safe. */
final class SeedLegacy {
  private static final String POLL =
      """
      WITH candidate AS (
        SELECT m.id FROM queue_messages m
        WHERE m.queue_name = ? AND m.visible_at <= ?
          AND NOT EXISTS (
            SELECT 1 FROM queue_messages e
            WHERE e.queue_name = m.queue_name
              AND COALESCE(e.message_group_id, e.id) = COALESCE(m.message_group_id, m.id)
              AND (e.created_at < m.created_at OR (e.created_at = m.created_at AND e.id < m.id))
              AND e.visible_at <= ?)
          AND NOT EXISTS (
            SELECT 1 FROM queue_messages e
            WHERE e.queue_name = m.queue_name
              AND COALESCE(e.message_group_id, e.id) = COALESCE(m.message_group_id, m.id)
              AND (e.created_at < m.created_at OR (e.created_at = m.created_at AND e.id < m.id))
              AND e.receipt_handle IS NULL AND e.visible_at > ?)
        ORDER BY m.created_at, m.id
        LIMIT ?
        FOR UPDATE SKIP LOCKED)
      UPDATE queue_messages m
      SET receipt_handle = ? || ':' || m.id, visible_at = ?, receive_count = m.receive_count + 1
      FROM candidate c
      WHERE m.queue_name = ? AND m.id = c.id
      RETURNING m.receipt_handle, m.payload
      """;

  private static final String ACK =
      "DELETE FROM queue_messages WHERE queue_name = ? AND receipt_handle = ?";

  private static final String NACK =
      """
      UPDATE queue_messages SET receipt_handle = NULL, visible_at = ?
      WHERE queue_name = ? AND receipt_handle = ?
      """;

  private static final String INSERT =
      """
      INSERT INTO queue_messages (id, queue_name, message_group_id, visible_at, payload, created_at)
      SELECT id, ?, message_group, ?, payload, ?
      FROM unnest(?::text[], ?::text[], ?::text[]) AS rows (id, message_group, payload)
      ON CONFLICT (queue_name, id) DO NOTHING
      """;

  private static final long VISIBILITY = Duration.ofHours(12).toSeconds();

  private final Connection connection;
  private final int patienceSeconds;

  /**
   * @param patience after which a statement is cut off
   */
  SeedLegacy(Connection connection, Duration patience) {
    this.connection = connection;
    this.patienceSeconds = (int) patience.toSeconds();
  }

  /** A row as a producer gives it. */
  record Row(String id, String group, String payload) {}

  List<Receipt> poll(int max) throws SQLException {
    long now = Instant.now().getEpochSecond();
    try (PreparedStatement poll = connection.prepareStatement(POLL)) {
      poll.setQueryTimeout(patienceSeconds);
      poll.setString(1, Scratch.QUEUE);
      poll.setLong(2, now);
      poll.setLong(3, now);
      poll.setLong(4, now);
      poll.setInt(5, max);
      poll.setString(6, UUID.randomUUID().toString());
      poll.setLong(7, now + VISIBILITY);
      poll.setString(8, Scratch.QUEUE);
      List<Receipt> receipts = new ArrayList<>();
      try (ResultSet row = poll.executeQuery()) {
        while (row.next()) {
          receipts.add(new Receipt(row.getString(1)));
        }
      }
      return receipts;
    }
  }

  void ack(Receipt receipt) throws SQLException {
    try (PreparedStatement ack = connection.prepareStatement(ACK)) {
      ack.setString(1, Scratch.QUEUE);
      ack.setString(2, receipt.value());
      ack.executeUpdate();
    }
  }

  void nack(Receipt receipt) throws SQLException {
    try (PreparedStatement nack = connection.prepareStatement(NACK)) {
      nack.setLong(1, Instant.now().getEpochSecond());
      nack.setString(2, Scratch.QUEUE);
      nack.setString(3, receipt.value());
      nack.executeUpdate();
    }
  }

  void insert(List<Row> rows) throws SQLException {
    long now = Instant.now().getEpochSecond();
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      insert.setString(1, Scratch.QUEUE);
      insert.setLong(2, now);
      insert.setLong(3, now);
      insert.setArray(4, texts(rows.stream().map(Row::id).toArray()));
      insert.setArray(5, texts(rows.stream().map(Row::group).toArray()));
      insert.setArray(6, texts(rows.stream().map(Row::payload).toArray()));
      insert.executeUpdate();
    }
  }

  private Array texts(Object[] values) throws SQLException {
    return connection.createArrayOf("text", values);
  }
}
