package dev.sluice.queue.legacy;

import dev.sluice.model.LegacyTable;
import dev.sluice.model.QueueUnderTest;
import dev.sluice.model.Variant;
import dev.sluice.queue.Queue;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
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

  Arena(Variant variant) throws SQLException {
    database = TestDatabase.fresh();
    backend = variant.queue();
    try (Connection connection = database.connect()) {
      LegacyTable.create(connection);
      variant.setup().run(connection);
      tellSoonWhoWaits(connection);
    }
    dataSource = database.dataSource(CONNECTIONS);
    own = database.connect();
    other = database.connect();
    other.setAutoCommit(false);
  }

  // A deadlock costs its victims the one time before one of them is told; who waits for a lock of
  // another session, which polls never do, is told after the other instead of hanging for ever.
  private static void tellSoonWhoWaits(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          """
          DO $$ BEGIN
            EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 50', current_database());
            EXECUTE format('ALTER DATABASE %I SET lock_timeout = 30000', current_database());
          END $$
          """);
    }
  }

  /**
   * Makes each claim take some milliseconds between its snapshot and its commit, so that others
   * meet it there.
   */
  void slowClaimsDown() throws SQLException {
    try (Statement statement = own.createStatement()) {
      statement.execute(
          """
          CREATE OR REPLACE FUNCTION take_your_time() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            PERFORM pg_sleep(0.004);
            RETURN NEW;
          END $$;
          DROP TRIGGER IF EXISTS take_your_time ON queue_messages;
          CREATE TRIGGER take_your_time BEFORE UPDATE ON queue_messages
          FOR EACH ROW WHEN (NEW.receipt_handle IS DISTINCT FROM OLD.receipt_handle)
          EXECUTE FUNCTION take_your_time()
          """);
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

  /** One more connection; the caller closes it. */
  Connection connect() {
    return database.connect();
  }

  DataSource dataSource() {
    return dataSource;
  }

  /** How the database sorts these ids. */
  Comparator<String> idOrder(Collection<String> ids) throws SQLException {
    return LegacyTable.idOrder(own, ids);
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
