package dev.sluice.queue.contract;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueClosedException;
import dev.sluice.queue.SchemaReport.Extra;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What the wake-up trigger says, and who hears it. Nothing else calls {@code wake}. */
abstract class WakeUpContract extends QueueContract {
  private final AtomicInteger wakes = new AtomicInteger();

  @Test
  void listeningWakesOnceAndThenAtEachPublish() throws Exception {
    try (AutoCloseable listening = listen()) {
      publish("a1");
      awaitWakes(2);

      sql(backend().insert("orders"));
      awaitWakes(3);
      assertThat(listening).isNotNull();
    }
  }

  @Test
  void aPublishWakesWhenItIsCommittedAndNotBefore() throws Exception {
    try (AutoCloseable listening = listen();
        Connection producer = connect();
        Statement statement = producer.createStatement()) {
      producer.setAutoCommit(false);
      statement.execute(backend().insert("orders"));
      statement.execute(backend().insert("orders"));
      assertThat(wakes).hasValue(1);

      producer.commit();
      awaitWakes(2);
      assertThat(listening).isNotNull();
    }
  }

  @Test
  void aRequeueWakesAndAHandBackDoesNot() throws Exception {
    publish("a1", "b1");
    var receipts = receipts(queue().poll(2));
    queue().reject(receipts.get(0), "no");
    try (AutoCloseable listening = listen()) {
      queue().nack(receipts.get(1), Duration.ZERO);
      assertThat(wakes).hasValue(1);

      queue().admin().requeueFailed(FailedFilter.ALL);
      awaitWakes(2);
      assertThat(listening).isNotNull();
    }
  }

  @Test
  void publishesToAnotherQueueWakeNobodyHere() throws Exception {
    assumeThat(backend().holdsManyQueues()).isTrue();
    AtomicInteger others = new AtomicInteger();
    try (AutoCloseable listening = listen();
        AutoCloseable other = queue().listen(others::incrementAndGet)) {
      assertThat(List.of(listening, other)).hasSize(2);
      await().untilAtomic(others, n(1));
      for (int i = 0; i < 3; i++) {
        sql(backend().insert("other").replace("'x'", "'x" + i + "'"));
        await().during(Duration.ofMillis(50)).untilAtomic(wakes, n(1));
      }
      sql(backend().insert("orders"));
      awaitWakes(2);
      await().untilAtomic(others, n(2));
    }
  }

  @Test
  void aTableOfTheSameNameInAnotherSchemaWakesNobodyHere() throws Exception {
    sql("CREATE SCHEMA elsewhere");
    PGSimpleDataSource elsewhere = new PGSimpleDataSource();
    elsewhere.setUrl(jdbcUrl());
    elsewhere.setCurrentSchema("elsewhere");
    Queue other = backend().open(elsewhere, () -> START);
    other.initSchema();
    other.admin().createExtra(Extra.NOTIFY);
    AtomicInteger others = new AtomicInteger();
    try (AutoCloseable listening = listen();
        AutoCloseable there = other.listen(others::incrementAndGet)) {
      assertThat(List.of(listening, there)).hasSize(2);
      await().untilAtomic(others, n(1));
      other.publish(message("x"));
      await().untilAtomic(others, n(2));
      publish("a1");
      awaitWakes(2);

      assertThat(others).hasValue(2);
    }
  }

  @Test
  void withoutATriggerNothingIsHeard() throws Exception {
    try (AutoCloseable listening = queue().listen(wakes::incrementAndGet)) {
      await().until(() -> listeners("%pg_trigger%") == 1);
      publish("a1");

      await().during(Duration.ofMillis(300)).untilAtomic(wakes, n(0));
      assertThat(listening).isNotNull();
    }
  }

  @Test
  void aListenerWhoseConnectionIsCutIsBackByItselfAndWakes() throws Exception {
    try (AutoCloseable listening = listen()) {
      sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE datname = current_database() AND query LIKE 'LISTEN%'");
      awaitWakes(2);

      publish("a1");
      awaitWakes(3);
      assertThat(listening).isNotNull();
    }
  }

  @Test
  void whoClosesHearsNothingMore() throws Exception {
    queue().admin().createExtra(Extra.NOTIFY);
    AutoCloseable first = queue().listen(() -> wakes.addAndGet(100));
    try (AutoCloseable second = listen()) {
      awaitWakes(101);
      first.close();
      first.close();
      publish("a1");
      awaitWakes(102);
      assertThat(second).isNotNull();
    }
    await().until(() -> listeners("LISTEN%") == 0);
  }

  @Test
  void aClosedQueueListensNoMore() throws Exception {
    listen();

    queue().close();

    await().until(() -> listeners("LISTEN%") == 0);
    assertThatThrownBy(() -> queue().listen(() -> {})).isInstanceOf(QueueClosedException.class);
  }

  @Test
  void aDroppedTriggerLeavesTheTableAsItWas() throws Exception {
    List<String> before = triggersAndFunctions();
    queue().admin().createExtra(Extra.NOTIFY);
    assertThat(triggersAndFunctions()).hasSize(before.size() + 2);

    queue().admin().dropExtra(Extra.NOTIFY);

    assertThat(triggersAndFunctions()).isEqualTo(before);
  }

  @Test
  void aTriggerThatIsOffOrOfAnotherVersionIsNotThereAndMadeAnew() {
    queue().admin().createExtra(Extra.NOTIFY);
    sql("ALTER TABLE " + backend().messagesTable() + " DISABLE TRIGGER sluice_notify");
    assertThat(queue().checkSchema().extras()).isEmpty();

    queue().admin().createExtra(Extra.NOTIFY);

    assertThat(queue().checkSchema().extras()).containsExactly(Extra.NOTIFY);
  }

  @Test
  void theTriggerIsMadeBetweenTransactionsOfWritersThatStayOpenForAWhile() throws Exception {
    try (Connection producer = connect();
        Statement statement = producer.createStatement()) {
      producer.setAutoCommit(false);
      statement.execute(backend().insert("orders"));
      Thread creator = new Thread(() -> queue().admin().createExtra(Extra.NOTIFY));
      creator.start();
      await()
          .pollInterval(Duration.ofMillis(20))
          .until(
              () ->
                  !query(
                          "SELECT pid FROM pg_stat_activity"
                              + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                      .isEmpty());

      // Behind a statement that waits for a lock, this one would wait for the producer as well.
      publish("a1");
      producer.commit();
      creator.join();
    }
    assertThat(queue().checkSchema().extras()).containsExactly(Extra.NOTIFY);
  }

  /** With the trigger, and once listening has begun. */
  private AutoCloseable listen() {
    queue().admin().createExtra(Extra.NOTIFY);
    int before = wakes.get();
    AutoCloseable listening = queue().listen(wakes::incrementAndGet);
    await().until(() -> wakes.get() > before);
    return listening;
  }

  private void awaitWakes(int count) {
    await().untilAtomic(wakes, n(count));
  }

  private static org.hamcrest.Matcher<Integer> n(int count) {
    return org.hamcrest.Matchers.equalTo(count);
  }

  private int listeners(String query) throws SQLException {
    return Integer.parseInt(
        query(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND pid <> pg_backend_pid() AND query LIKE '"
                    + query
                    + "'")
            .get(0));
  }

  private List<String> triggersAndFunctions() throws SQLException {
    return query(
        "SELECT tgname FROM pg_trigger UNION ALL SELECT proname FROM pg_proc"
            + " WHERE pronamespace = 'public'::regnamespace ORDER BY 1");
  }

  private List<String> query(String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        rows.add(row.getString(1));
      }
    }
    return rows;
  }
}
