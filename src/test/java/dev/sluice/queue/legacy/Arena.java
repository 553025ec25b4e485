package dev.sluice.queue.legacy;

import dev.sluice.model.LegacyTable;
import dev.sluice.model.QueueUnderTest;
import dev.sluice.model.RandomTable;
import dev.sluice.model.Variant;
import dev.sluice.queue.Queue;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/** A database with the seed's tables, as a variant wants them. */
final class Arena implements AutoCloseable {
  private static final int CONNECTIONS = 12;

  private final TestDatabase database;
  private final QueueUnderTest backend;
  private final DataSource dataSource;
  private final Connection own;
  private final Connection other;
  private final Comparator<String> idOrder;

  Arena(Variant variant) throws SQLException {
    database = TestDatabase.fresh();
    backend = variant.queue();
    try (Connection connection = database.connect()) {
      LegacyTable.create(connection);
      variant.setup().run(connection);
      findDeadlocksSoon(connection);
    }
    dataSource = database.dataSource(CONNECTIONS);
    own = database.connect();
    other = database.connect();
    other.setAutoCommit(false);
    idOrder = LegacyTable.idOrder(own, RandomTable.EVERY_ID);
  }

  // A deadlock costs its victims this long before one of them is told.
  private static void findDeadlocksSoon(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 50',"
              + " current_database()); END $$");
    }
  }

  /** The test's own connection, in auto-commit mode between its uses. */
  Connection own() {
    return own;
  }

  /**
   * Another session's connection, not in auto-commit mode, outside of a transaction between uses.
   */
  Connection other() {
    return other;
  }

  DataSource dataSource() {
    return dataSource;
  }

  /** How the database sorts {@link RandomTable#EVERY_ID}. */
  Comparator<String> idOrder() {
    return idOrder;
  }

  Queue open(String queue, LongSupplier epochSeconds, Duration visibility, boolean exclusive) {
    return backend.open(dataSource, queue, epochSeconds, visibility, exclusive);
  }

  @Override
  public void close() throws SQLException {
    own.close();
    other.close();
    database.close();
  }
}
