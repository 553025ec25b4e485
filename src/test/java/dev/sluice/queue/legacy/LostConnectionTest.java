package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.StaleReceiptException;
import dev.sluice.testing.Patience;
import dev.sluice.testing.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LostConnectionTest {
  private TestDatabase database;
  private LegacyQueue queue;

  @BeforeEach
  void createTable() {
    database = TestDatabase.fresh();
    queue = LegacyQueue.builder(database.dataSource(), "q").build();
    queue.initSchema();
  }

  @AfterEach
  void dropDatabase() {
    database.close();
  }

  @Test
  void aConnectionLostInAnAckIsReplacedAndTheAckDone() throws SQLException {
    queue.publish(message("a"));
    Receipt receipt = queue.poll(1).deliveries().get(0).receipt();
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM queue_messages FOR UPDATE");
      CompletableFuture<Void> ack = CompletableFuture.runAsync(() -> queue.ack(receipt));

      terminateTheOneThatWaits();
      other.rollback();

      ack.join();
    }
    assertThat(queue.metrics().total()).isZero();
  }

  @Test
  void anAckWhoseAnswerWasLostIsASuccess() {
    queue.publish(message("a"));
    Receipt receipt = queue.poll(1).deliveries().get(0).receipt();
    LegacyQueue flaky = LegacyQueue.builder(losingTheFirstAnswer(), "q").build();

    flaky.ack(receipt);

    assertThat(queue.metrics().total()).isZero();
    assertThat(flaky.counters().acked()).isOne();
  }

  @Test
  void anAckThatIsOutdatedIsAnErrorThoughItsAnswerWasLost() {
    queue.publish(message("a"));
    Receipt outdated = queue.poll(1).deliveries().get(0).receipt();
    queue.nack(outdated, Duration.ZERO);
    queue.poll(1);
    LegacyQueue flaky = LegacyQueue.builder(losingTheFirstAnswer(), "q").build();

    assertThatThrownBy(() -> flaky.ack(outdated)).isInstanceOf(StaleReceiptException.class);
    assertThat(queue.metrics().total()).isOne();
  }

  @Test
  void aConnectionLostInANackSaysSoAndTheClaimHolds() throws SQLException {
    queue.publish(message("a"));
    Receipt receipt = queue.poll(1).deliveries().get(0).receipt();
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM queue_messages FOR UPDATE");
      CompletableFuture<Void> nack =
          CompletableFuture.runAsync(() -> queue.nack(receipt, Duration.ZERO));

      terminateTheOneThatWaits();
      other.rollback();

      assertThatThrownBy(nack::join)
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOf(QueueException.class)
          .hasMessageContaining("nack on queue 'q'")
          .hasMessageContaining("57P01")
          .satisfies(e -> assertThat(((QueueException) e).isConnectionFailure()).isTrue());
    }
    assertThat(queue.metrics().inFlight()).isOne();
    queue.ack(receipt);
  }

  @Test
  void aPollThatLostItsConnectionClaimedNothing() throws SQLException {
    queue.publishBatch(List.of(message("a"), message("b")));
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE queue_messages IN ACCESS EXCLUSIVE MODE");
      CompletableFuture<Integer> poll = CompletableFuture.supplyAsync(() -> queue.poll(10).taken());

      terminateTheOneThatWaits();
      other.rollback();

      assertThatThrownBy(poll::join).cause().hasMessageContaining("57P01");
    }
    assertThat(queue.poll(10).deliveries())
        .extracting(Delivery::brokerId)
        .containsExactly("a", "b");
  }

  private void terminateTheOneThatWaits() {
    Patience.await()
        .pollInterval(Duration.ofMillis(10))
        .until(
            () -> {
              try (Connection connection = database.connect();
                  Statement statement = connection.createStatement();
                  ResultSet result =
                      statement.executeQuery(
                          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                              + " WHERE datname = current_database() AND wait_event_type = 'Lock'")) {
                result.next();
                return result.getInt(1) == 1;
              }
            });
  }

  /** Runs the first statement and then says that the connection broke before the answer came. */
  private DataSource losingTheFirstAnswer() {
    AtomicInteger statements = new AtomicInteger();
    DataSource real = database.dataSource();
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              Object result = call(real, method, arguments);
              return result instanceof Connection connection
                  ? losing(Connection.class, connection, statements)
                  : result;
            });
  }

  private static <T> T losing(Class<T> type, T real, AtomicInteger statements) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              Object result = call(real, method, arguments);
              if (method.getName().equals("execute") && statements.getAndIncrement() == 0) {
                throw new SQLException("the connection broke", "08006");
              }
              return result instanceof PreparedStatement statement
                  ? losing(PreparedStatement.class, statement, statements)
                  : result;
            }));
  }

  private static Object call(Object target, java.lang.reflect.Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static Message message(String id) {
    return Message.of(id, "https://t.example/hook");
  }
}
