package dev.sluice.queue.contract;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.FailedMessage;
import dev.sluice.queue.MalformedMessageException;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import dev.sluice.queue.Receipt;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What both backends must do, through {@link Queue} alone; each part of it is a class of its own.
 * {@link Backend} names where they differ and why. {@link LegacyContractTest} and {@link
 * HarelContractTest} run it.
 */
abstract class QueueContract {
  static final double START = 1_800_000_000;

  /** Behind the end of every claim of 30 s. */
  static final double PAST_VISIBILITY = 31;

  private final AtomicReference<Double> now = new AtomicReference<>(START);
  private TestDatabase database;
  private Queue queue;

  abstract Backend backend();

  @BeforeEach
  final void createTables() {
    database = TestDatabase.fresh();
    queue = another();
    queue.initSchema();
  }

  @AfterEach
  final void dropDatabase() {
    database.close();
  }

  final Queue queue() {
    return queue;
  }

  /** The same queue, as another process opens it. */
  final Queue another() {
    return backend().open(database.dataSource(), now::get);
  }

  final void advance(double seconds) {
    now.updateAndGet(n -> n + seconds);
  }

  static Message message(String id) {
    return Message.of(id, "https://t.example/hook");
  }

  /** A message of the group that its first letter names: {@code a1} is of {@code a}. */
  static Message grouped(String id) {
    return message(id).withGroup(id.substring(0, 1));
  }

  final void publish(String... ids) {
    queue.publishBatch(List.of(ids).stream().map(QueueContract::grouped).toList());
  }

  /** Claims at most so many, and tells their messages' ids. */
  final List<String> poll(int max) {
    return ids(queue.poll(max));
  }

  final Delivery claim() {
    return queue.poll(1).deliveries().get(0);
  }

  /** A receipt of the message that another claim took over. */
  final Receipt outdated() {
    Receipt receipt = claim().receipt();
    advance(PAST_VISIBILITY);
    claim();
    return receipt;
  }

  static List<String> ids(PollResult result) {
    return result.deliveries().stream().map(d -> d.message().id()).toList();
  }

  static List<Receipt> receipts(PollResult result) {
    return result.deliveries().stream().map(Delivery::receipt).toList();
  }

  /** Polls and acks until nothing is left, and tells the ids in the order of their claims. */
  final List<String> drain() {
    List<String> seen = new java.util.ArrayList<>();
    for (PollResult next = queue.poll(10); next.taken() > 0; next = queue.poll(10)) {
      seen.addAll(ids(next));
      queue.ackBatch(receipts(next));
    }
    return seen;
  }

  final long waiting() {
    return queue.metrics().total();
  }

  final List<FailedMessage> quarantine() {
    return queue.admin().listFailed(FailedFilter.ALL, 100);
  }

  final List<String> quarantinedIds() {
    return quarantine().stream().map(failed -> idOf(failed.payload())).toList();
  }

  /** The id in the message itself; that of the row is the backend's own. */
  static String idOf(String payload) {
    int data = payload.indexOf("\"data\":");
    String json = data < 0 ? payload : payload.substring(data + 7, payload.length() - 1);
    try {
      return MessageJson.read(json).id();
    } catch (MalformedMessageException e) {
      throw new AssertionError(payload, e);
    }
  }

  final String jdbcUrl() {
    return database.jdbcUrl();
  }

  /** A connection of the test's own. */
  final Connection connect() {
    return database.connect();
  }

  final void sql(String statement) {
    try (Connection connection = connect();
        Statement s = connection.createStatement()) {
      s.execute(statement);
    } catch (SQLException e) {
      throw new AssertionError(statement, e);
    }
  }
}
