package dev.sluice.model;

import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.FailedMessage;
import dev.sluice.queue.PeekedMessage;
import dev.sluice.queue.QueueAdmin;
import dev.sluice.queue.QueueStats;
import dev.sluice.queue.SchemaReport;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** As much of the administration as the model covers, in the plainest way. */
final class SeedAdmin implements QueueAdmin {
  private static final String CHOSEN =
      """
      WITH chosen AS (
        SELECT f.* FROM queue_messages_failed f
        WHERE f.queue_name = ?
          AND (cardinality(?::text[]) = 0 OR f.id = ANY(?::text[]))
          AND (?::text IS NULL OR f.message_group_id = ?)
          AND (?::text IS NULL OR position(lower(?) IN lower(f.error_message)) > 0))
      """;

  private static final String REQUEUE =
      CHOSEN
          + """
          , back AS (
            INSERT INTO queue_messages (id, queue_name, message_group_id, visible_at, payload,
              created_at)
            SELECT id, queue_name, message_group_id, ?, payload, created_at FROM chosen
            ON CONFLICT (queue_name, id) DO NOTHING
            RETURNING queue_name, id),
          gone AS (
            DELETE FROM queue_messages_failed f USING back b
            WHERE f.queue_name = b.queue_name AND f.id = b.id)
          SELECT c.id, b.id IS NOT NULL FROM chosen c LEFT JOIN back b USING (id)
          """;

  private static final String DISCARD =
      CHOSEN
          + """
          DELETE FROM queue_messages_failed f USING chosen c
          WHERE f.queue_name = c.queue_name AND f.id = c.id
          RETURNING f.id
          """;

  private final SeedQueue queue;

  SeedAdmin(SeedQueue queue) {
    this.queue = queue;
  }

  @Override
  public List<PeekedMessage> peek(Optional<String> group, int limit) {
    return queue.claimable(group.isPresent() ? Integer.MAX_VALUE : limit).stream()
        .map(this::peeked)
        .filter(message -> group.isEmpty() || message.group().equals(group))
        .limit(limit)
        .toList();
  }

  private PeekedMessage peeked(String id) {
    return queue.inTransaction("peek", connection -> read(connection, id));
  }

  private PeekedMessage read(Connection connection, String id) throws SQLException {
    LegacyRow row =
        LegacyTable.rows(connection).stream()
            .filter(r -> r.queue().equals(queue.identifier()) && r.id().equals(id))
            .findFirst()
            .orElseThrow();
    return new PeekedMessage(
        id,
        row.group(),
        Instant.ofEpochSecond(row.createdAt()),
        Instant.ofEpochSecond(row.visibleAt()),
        row.receives(),
        row.payload());
  }

  @Override
  public RequeueResult requeueFailed(FailedFilter filter) {
    return queue.inTransaction(
        "requeue",
        connection -> {
          int requeued = 0;
          List<String> inTheWay = new ArrayList<>();
          try (PreparedStatement statement = connection.prepareStatement(REQUEUE)) {
            bind(connection, statement, filter);
            statement.setLong(8, queue.now());
            try (ResultSet row = statement.executeQuery()) {
              while (row.next()) {
                if (row.getBoolean(2)) {
                  requeued++;
                } else {
                  inTheWay.add(row.getString(1));
                }
              }
            }
          }
          return new RequeueResult(requeued, inTheWay);
        });
  }

  @Override
  public int discardFailed(FailedFilter filter) {
    return queue.inTransaction(
        "discard",
        connection -> {
          int discarded = 0;
          try (PreparedStatement statement = connection.prepareStatement(DISCARD)) {
            bind(connection, statement, filter);
            try (ResultSet row = statement.executeQuery()) {
              while (row.next()) {
                discarded++;
              }
            }
          }
          return discarded;
        });
  }

  private void bind(Connection connection, PreparedStatement statement, FailedFilter filter)
      throws SQLException {
    statement.setString(1, queue.identifier());
    statement.setArray(2, LegacyTable.texts(connection, filter.ids().toArray()));
    statement.setArray(3, LegacyTable.texts(connection, filter.ids().toArray()));
    statement.setString(4, filter.groupOrNull());
    statement.setString(5, filter.groupOrNull());
    statement.setString(6, filter.reasonOrNull());
    statement.setString(7, filter.reasonOrNull());
  }

  @Override
  public QueueStats stats() {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<QueueStats> statsOfAllQueues() {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<FailedMessage> listFailed(FailedFilter filter, int limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<PublishPreview> previewPublish(List<String> ids) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<String> objectionToPublishing() {
    return Optional.empty();
  }

  @Override
  public int repair() {
    return 0;
  }

  @Override
  public String schemaScript() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void createExtra(SchemaReport.Extra extra) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void dropExtra(SchemaReport.Extra extra) {
    throw new UnsupportedOperationException();
  }
}
