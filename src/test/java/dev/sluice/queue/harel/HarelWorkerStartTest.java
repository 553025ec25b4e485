package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.Rejection;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.testing.Patience;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A Python worker asks for both of its indexes in one transaction at its start. */
class HarelWorkerStartTest {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private TestDatabase database;
  private HarelQueue queue;

  @BeforeEach
  void init() {
    database = TestDatabase.fresh();
    queue = HarelQueue.builder(database.dataSource()).eventTarget("https://t.example/hook").build();
    queue.initSchema();
  }

  @AfterEach
  void dropDatabase() {
    threads.shutdownNow();
    database.close();
  }

  @Test
  void aPublishDoesNotStopIt() throws Exception {
    startBeside(() -> queue.publishEvents(List.of(new Event("g", "{}", 0))));
  }

  @Test
  void aRequeueDoesNotStopIt() throws Exception {
    queue.publishEvents(List.of(new Event("g", "{}", 0)));
    Delivery delivery = queue.poll(1).deliveries().get(0);
    queue.rejectBatch(List.of(new Rejection(delivery.receipt(), "no")));

    startBeside(() -> queue.admin().requeueFailed(FailedFilter.ALL));
  }

  private void startBeside(Runnable operation) throws Exception {
    try (Connection worker = database.connect()) {
      worker.setAutoCommit(false);
      SchemaTools.execute(
          worker,
          "CREATE INDEX IF NOT EXISTS transport_messages_group ON transport_messages (group_id, seq)");
      Future<?> ours = threads.submit(operation);
      Patience.await().until(this::somebodyWaits);

      assertThatCode(
              () ->
                  SchemaTools.execute(
                      worker,
                      "SET lock_timeout = '500ms';"
                          + " CREATE INDEX IF NOT EXISTS transport_groups_claimable"
                          + " ON transport_groups (lock_expiry)"))
          .doesNotThrowAnyException();

      worker.commit();
      ours.get();
    }
  }

  private boolean somebodyWaits() throws SQLException {
    try (Connection connection = database.connect()) {
      return Session.query(
              connection,
              "SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database()"
                  + " AND wait_event_type = 'Lock'",
              row -> row.getBoolean(1))
          .get(0);
    }
  }
}
