package dev.sluice.model;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The claim of the Go backend, with its two NOT EXISTS clauses: what every faster form must equal.
 *
 * <p>Slow by design; for tables of tests.
 */
public final class SeedClaim {
  private static final String CLAIMABLE =
      """
      SELECT m.queue_name, m.id, m.created_at
      FROM queue_messages m
      WHERE m.queue_name = ?
        AND m.visible_at <= ?
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
      """;

  /** Ours, not the seed's: a group with any row in flight, earlier or later, gives nothing. */
  private static final String NOTHING_OF_THE_GROUP_IN_FLIGHT =
      """
        AND NOT EXISTS (
          SELECT 1 FROM queue_messages e
          WHERE e.queue_name = m.queue_name
            AND COALESCE(e.message_group_id, e.id) = COALESCE(m.message_group_id, m.id)
            AND e.receipt_handle IS NOT NULL AND e.visible_at > ?)
      """;

  private static final String OLDEST_FIRST =
      """
      ORDER BY m.created_at, m.id
      LIMIT ?
      FOR UPDATE SKIP LOCKED
      """;

  private final boolean exclusiveGroups;

  private SeedClaim(boolean exclusiveGroups) {
    this.exclusiveGroups = exclusiveGroups;
  }

  /** The seed's claim, or the same with exclusive groups. */
  public static SeedClaim of(boolean exclusiveGroups) {
    return new SeedClaim(exclusiveGroups);
  }

  /**
   * The ids that a poll would claim, in its order, claiming and locking nothing that lasts. Rows
   * that another session has locked are skipped, as the poll would.
   */
  public List<String> wouldClaim(Connection connection, String queue, long now, int max)
      throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    Savepoint before = connection.setSavepoint();
    try (PreparedStatement select =
        connection.prepareStatement(select() + OLDEST_FIRST.stripTrailing())) {
      bind(select, queue, now, max);
      List<String> ids = new ArrayList<>();
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          ids.add(row.getString("id"));
        }
      }
      return ids;
    } finally {
      connection.rollback(before);
      connection.setAutoCommit(autoCommit);
    }
  }

  /**
   * Claims as the seed does: each row gets the receipt {@code <uuid of this poll>:<id>}, is hidden
   * for {@code visibilitySeconds}, and counts one more receive.
   *
   * @return the claimed rows in the order of the poll
   */
  public List<LegacyRow> claim(
      Connection connection, String queue, long now, int max, long visibilitySeconds)
      throws SQLException {
    String sql =
        "WITH candidate AS ("
            + select()
            + OLDEST_FIRST
            + """
            ), claimed AS (
              UPDATE queue_messages m
              SET receipt_handle = ?::text || ':' || m.id, visible_at = ?,
                receive_count = COALESCE(m.receive_count, 0) + 1
              FROM candidate c
              WHERE m.queue_name = c.queue_name AND m.id = c.id
              RETURNING m.*)
            SELECT queue_name, id, message_group_id, receipt_handle, visible_at, payload,
              created_at, receive_count
            FROM claimed ORDER BY created_at, id
            """;
    try (PreparedStatement update = connection.prepareStatement(sql)) {
      int next = bind(update, queue, now, max);
      update.setString(next, UUID.randomUUID().toString());
      update.setLong(next + 1, now + visibilitySeconds);
      List<LegacyRow> claimed = new ArrayList<>();
      try (ResultSet row = update.executeQuery()) {
        while (row.next()) {
          claimed.add(
              new LegacyRow(
                  row.getString(1),
                  row.getString(2),
                  row.getString(3),
                  row.getString(4),
                  row.getLong(5),
                  row.getString(6),
                  row.getLong(7),
                  row.getInt(8)));
        }
      }
      return claimed;
    }
  }

  private String select() {
    return exclusiveGroups ? CLAIMABLE + NOTHING_OF_THE_GROUP_IN_FLIGHT : CLAIMABLE;
  }

  private int bind(PreparedStatement statement, String queue, long now, int max)
      throws SQLException {
    statement.setString(1, queue);
    int clocks = exclusiveGroups ? 4 : 3;
    for (int i = 2; i < 2 + clocks; i++) {
      statement.setLong(i, now);
    }
    statement.setInt(2 + clocks, max);
    return 3 + clocks;
  }
}
