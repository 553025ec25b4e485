package dev.sluice.queue.legacy;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.queue.legacy.LegacyQueue.Groups;
import dev.sluice.testing.OneConnection;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of a poll when another session changes a row under it. */
class ClaimRaceTest {
  private static final long NOW = 1_800_000_000L;

  @ParameterizedTest
  @CsvSource({"false, RELAXED", "true, RELAXED", "false, EXCLUSIVE", "true, EXCLUSIVE"})
  void aRowThatAnotherClaimsBetweenSnapshotAndLockIsPassedOver(boolean indexed, Groups groups)
      throws Exception {
    try (TestDatabase database = TestDatabase.fresh();
        Connection other = database.connect();
        Connection own = database.connect()) {
      LegacyQueue producer =
          LegacyQueue.builder(database.dataSource(), "orders").clock(() -> NOW - 5).build();
      producer.initSchema();
      if (indexed) {
        producer.admin().createExtra(Extra.CLAIM_INDEXES);
      }
      producer.publish(Message.of("a", "https://t.example/hook"));
      producer.publish(Message.of("b", "https://t.example/hook"));
      String role = stopStatementsAtTheirFirstRow(other);
      SchemaTools.execute(own, "SET ROLE " + role);
      try (LegacyQueue queue =
          LegacyQueue.builder(new OneConnection(own), "orders")
              .clock(() -> NOW)
              .groups(groups)
              .build()) {
        CompletableFuture<PollResult> poll = CompletableFuture.supplyAsync(() -> queue.poll(1));
        await().atMost(30, SECONDS).until(() -> somebodyWaits(other));

        SchemaTools.execute(
            other,
            "UPDATE queue_messages SET receipt_handle = 'r:a', visible_at = visible_at + 100"
                + " WHERE id = 'a'");
        SchemaTools.execute(other, "SELECT pg_advisory_unlock(1)");

        assertThat(poll.get(30, SECONDS).deliveries())
            .extracting(Delivery::brokerId)
            .containsExactly("b");
      } finally {
        SchemaTools.execute(own, "RESET ROLE");
        SchemaTools.execute(other, "DROP OWNED BY " + role);
        SchemaTools.execute(other, "DROP ROLE " + role);
      }
    }
  }

  /** A role for which each row is looked at with a lock that this session holds for now. */
  private static String stopStatementsAtTheirFirstRow(Connection connection) throws SQLException {
    String role = "stopped_" + text(connection, "SELECT current_database()");
    SchemaTools.execute(connection, "CREATE ROLE " + role);
    SchemaTools.execute(connection, "GRANT SELECT, UPDATE ON queue_messages TO " + role);
    SchemaTools.execute(
        connection,
        """
        CREATE FUNCTION stops() RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_advisory_xact_lock_shared(1);
          RETURN true;
        END $$""");
    SchemaTools.execute(connection, "ALTER TABLE queue_messages ENABLE ROW LEVEL SECURITY");
    SchemaTools.execute(connection, "CREATE POLICY stops ON queue_messages USING (stops())");
    SchemaTools.execute(connection, "SELECT pg_advisory_lock(1)");
    return role;
  }

  private static boolean somebodyWaits(Connection connection) throws SQLException {
    return text(
            connection,
            "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))")
        .equals("t");
  }

  private static String text(Connection connection, String sql) throws SQLException {
    return Session.query(connection, sql, row -> row.getString(1)).get(0);
  }
}
