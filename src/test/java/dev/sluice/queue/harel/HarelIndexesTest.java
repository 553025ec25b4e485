package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.testing.Patience;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HarelIndexesTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private TestDatabase database;
  private HarelQueue queue;

  @BeforeEach
  void init() {
    database = TestDatabase.fresh();
    queue = HarelQueue.builder(database.dataSource()).build();
    queue.initSchema();
  }

  @AfterEach
  void dropDatabase() {
    threads.shutdownNow();
    database.close();
  }

  // The worker waits for the lock of CREATE INDEX CONCURRENTLY, which waits for the worker's
  // snapshot.
  @Test
  void indexesAreMadeThoughAWorkerStartsInTheMiddle() throws Exception {
    try (Connection writer = database.connect()) {
      writer.setAutoCommit(false);
      SchemaTools.execute(writer, "INSERT INTO transport_groups VALUES ('g', NULL, NULL, 0)");
      Future<?> indexes = threads.submit(() -> queue.admin().createExtra(Extra.CLAIM_INDEXES));
      await("%CREATE INDEX CONCURRENTLY%");
      Future<?> start = threads.submit(this::start);
      await("CREATE INDEX IF NOT EXISTS transport_groups_claimable%");

      writer.commit();

      indexes.get();
      start.get();
    }
    assertThat(queue.checkSchema().extras()).contains(Extra.CLAIM_INDEXES);
  }

  @Test
  void theOrderIndexOfAPrefixIsMadeAnewAfterAnInterruption() throws Exception {
    HarelQueue prefixed = HarelQueue.builder(database.dataSource()).prefix("p").build();
    prefixed.initSchema();
    try (Connection connection = database.connect()) {
      SchemaTools.execute(
          connection,
          "UPDATE pg_index SET indisvalid = false"
              + " WHERE indexrelid = 'p_transport_groups_claim_order'::regclass");
    }

    prefixed.admin().createExtra(Extra.CLAIM_INDEXES);

    assertThat(prefixed.checkSchema().extras()).contains(Extra.CLAIM_INDEXES);
  }

  @Test
  void anIndexOfTheMessagesThatATableLacksIsMadeWithTheOthers() throws Exception {
    try (Connection connection = database.connect()) {
      SchemaTools.execute(connection, "DROP INDEX transport_messages_group");

      queue.admin().createExtra(Extra.CLAIM_INDEXES);

      SchemaTools.execute(connection, "DROP INDEX transport_messages_group");
    }
  }

  /** What harel does at its start; never the one whom a deadlock stops. */
  private void start() {
    try (Connection worker = database.connect()) {
      SchemaTools.execute(worker, "SET deadlock_timeout = '1min'");
      SchemaTools.execute(
          worker,
          "CREATE INDEX IF NOT EXISTS transport_groups_claimable ON transport_groups (lock_expiry)");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Until a session waits in such a statement. */
  private void await(String statement) {
    Patience.await().pollInterval(Duration.ofMillis(20)).until(() -> waits(statement));
  }

  private boolean waits(String statement) throws SQLException {
    try (Connection connection = database.connect();
        Statement query = connection.createStatement();
        ResultSet row =
            query.executeQuery(
                "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND wait_event_type = 'Lock' AND query LIKE '"
                    + statement
                    + "'")) {
      row.next();
      return row.getBoolean(1);
    }
  }
}
