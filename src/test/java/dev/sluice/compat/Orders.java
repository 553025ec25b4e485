package dev.sluice.compat;

import dev.sluice.e2e.SluiceProcess;
import dev.sluice.model.FailedRow;
import dev.sluice.model.LegacyRow;
import dev.sluice.model.LegacyTable;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.testing.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A database with the seed's tables and one queue, and the programs that work on it. */
final class Orders implements AutoCloseable {
  static final String QUEUE = "orders";

  private static final List<String> SMALL = List.of("-Xmx128m", "-XX:+UseSerialGC");
  private static final long LONGEST_SECONDS = 600;

  private final TestDatabase database = TestDatabase.fresh();

  Orders() throws SQLException {
    try (Connection connection = database.connect()) {
      LegacyTable.create(connection);
    }
  }

  String uri() {
    return database.uri();
  }

  DataSource dataSource(int connections) {
    return database.dataSource(connections);
  }

  LegacyQueue queue() {
    return LegacyQueue.builder(database.dataSource(), QUEUE).build();
  }

  LegacyQueue queue(Duration visibility) {
    return LegacyQueue.builder(database.dataSource(), QUEUE).visibility(visibility).build();
  }

  /** Adds the claim indexes. */
  void index() {
    queue().admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
  }

  List<LegacyRow> rows() throws SQLException {
    try (Connection connection = database.connect()) {
      return LegacyTable.rows(connection);
    }
  }

  List<FailedRow> failed() throws SQLException {
    try (Connection connection = database.connect()) {
      return LegacyTable.failed(connection);
    }
  }

  void clear() throws SQLException {
    try (Connection connection = database.connect()) {
      LegacyTable.clear(connection);
    }
  }

  /** Runs {@code sluice drain} to its end, and returns its exit code. */
  int drain(String... options) throws IOException, InterruptedException {
    try (SluiceProcess drain = start("drain", options)) {
      return drain.exitCode(LONGEST_SECONDS);
    }
  }

  /** Starts a command of {@code sluice} on the queue. */
  SluiceProcess start(String command, String... options) throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of(command, "--uri", uri(), "--queue", QUEUE));
    arguments.addAll(List.of(options));
    return SluiceProcess.start(SMALL, arguments);
  }

  @Override
  public void close() {
    database.close();
  }
}
