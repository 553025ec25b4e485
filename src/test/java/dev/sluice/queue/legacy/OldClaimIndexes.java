package dev.sluice.queue.legacy;

import dev.sluice.queue.jdbc.SchemaTools;
import java.sql.Connection;
import java.sql.SQLException;

/** The claim indexes as they were before they were split by the states of rows. */
final class OldClaimIndexes {
  private static final String SCRIPT =
      """
      CREATE INDEX sluice_claim_order
        ON queue_messages (queue_name, created_at, id)
        WHERE octet_length(queue_name) + octet_length(id) <= 2000;
      CREATE INDEX sluice_claim_group
        ON queue_messages
           (queue_name, hashtextextended(COALESCE(message_group_id, id), 0), created_at, id)
        WHERE octet_length(queue_name) + octet_length(id) <= 2000;
      CREATE INDEX sluice_claim_long
        ON queue_messages (created_at)
        WHERE octet_length(queue_name) + octet_length(id) > 2000;
      CREATE INDEX sluice_claim_held
        ON queue_messages
           (hashtextextended(COALESCE(message_group_id, id), hashtextextended(queue_name, 0)))
        WHERE receipt_handle IS NOT NULL;
      """;

  private OldClaimIndexes() {}

  static void create(Connection connection) throws SQLException {
    SchemaTools.execute(connection, SCRIPT);
  }
}
