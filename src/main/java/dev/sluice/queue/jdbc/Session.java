package dev.sluice.queue.jdbc;

import dev.sluice.queue.QueueClosedException;
import dev.sluice.queue.QueueException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs a queue's statements on connections of a data source and turns what fails into {@link
 * QueueException}. Safe for use by many threads.
 */
public final class Session {
  private static final int PING_SECONDS = 2;
  private static final int ATTEMPTS = 4;

  private final DataSource dataSource;
  private final String queue;
  private volatile boolean closed;

  /**
   * @param queue named in every failure
   */
  public Session(DataSource dataSource, String queue) {
    this.dataSource = dataSource;
    this.queue = queue;
  }

  /** Something done on one connection. */
  @FunctionalInterface
  public interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  /** Reads one row of a result. */
  @FunctionalInterface
  public interface RowReader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** Runs work of single statements, each of which commits by itself. */
  public <T> T run(String operation, Work<T> work) {
    return call(operation, true, work);
  }

  /** Runs work as one transaction; rolls back when it fails. */
  public <T> T transaction(String operation, Work<T> work) {
    return call(
        operation,
        false,
        connection -> {
          try {
            T result = work.on(connection);
            connection.commit();
            return result;
          } catch (SQLException | RuntimeException e) {
            rollBack(connection, e);
            throw e;
          }
        });
  }

  /**
   * Runs one query and reads all of its rows. A statement that the database rolled back for the
   * sake of another one (deadlock, serialization) is run again.
   */
  public <T> List<T> query(
      String operation, String sql, RowReader<T> reader, @Nullable Object... parameters) {
    for (int attempt = 1; ; attempt++) {
      try {
        return run(operation, connection -> query(connection, sql, reader, parameters));
      } catch (QueueException e) {
        if (attempt == ATTEMPTS || !wasChosenToYield(e)) {
          throw e;
        }
      }
    }
  }

  /** Runs one query on this connection and reads all of its rows. */
  public static <T> List<T> query(
      Connection connection, String sql, RowReader<T> reader, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      // A statement of several commands answers with several results: the query is the last one.
      ResultSet last = null;
      for (boolean isRows = statement.execute();
          isRows || statement.getUpdateCount() >= 0;
          isRows = statement.getMoreResults(Statement.KEEP_CURRENT_RESULT)) {
        last = isRows ? statement.getResultSet() : last;
      }
      if (last == null) {
        throw new SQLException("the statement returned no rows");
      }
      List<T> rows = new ArrayList<>();
      while (last.next()) {
        rows.add(reader.read(last));
      }
      return rows;
    }
  }

  /** Whether the database answers within 2 seconds. Never throws. */
  public boolean ping() {
    if (closed) {
      return false;
    }
    // A pool can make its caller wait longer than a ping may: wait for it elsewhere.
    FutureTask<Boolean> ping =
        new FutureTask<>(
            () -> {
              try (Connection connection = dataSource.getConnection()) {
                return connection.isValid(PING_SECONDS);
              }
            });
    Thread thread = new Thread(ping, "sluice-ping");
    thread.setDaemon(true);
    thread.start();
    try {
      return ping.get(PING_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      ping.cancel(true);
    }
  }

  /** Makes every later call but {@link #ping} throw {@link QueueClosedException}. */
  public void close() {
    closed = true;
  }

  private static boolean wasChosenToYield(QueueException failure) {
    return failure.sqlState().filter(s -> s.equals("40P01") || s.equals("40001")).isPresent();
  }

  private <T> T call(String operation, boolean autoCommit, Work<T> work) {
    requireOpen(operation);
    try (Connection connection = dataSource.getConnection()) {
      boolean before = connection.getAutoCommit();
      if (before != autoCommit) {
        connection.setAutoCommit(autoCommit);
      }
      try {
        return work.on(connection);
      } finally {
        if (before != autoCommit && !connection.isClosed()) {
          connection.setAutoCommit(before);
        }
      }
    } catch (SQLException e) {
      // A pool that was closed under us says so in its own words; what happened is that we stopped.
      requireOpen(operation);
      throw new QueueException(operation, queue, e);
    }
  }

  /**
   * Does nothing unless this is closed.
   *
   * @throws QueueClosedException after {@link #close}
   */
  public void requireOpen(String operation) {
    if (closed) {
      throw new QueueClosedException(operation, queue);
    }
  }

  private static void rollBack(Connection connection, Exception failure) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  private static void bind(PreparedStatement statement, @Nullable Object... parameters)
      throws SQLException {
    for (int i = 0; i < parameters.length; i++) {
      Object parameter = parameters[i];
      int at = i + 1;
      if (parameter == null) {
        statement.setNull(at, Types.NULL);
      } else if (parameter instanceof String[] texts) {
        statement.setArray(at, statement.getConnection().createArrayOf("text", texts));
      } else if (parameter instanceof Long[] numbers) {
        statement.setArray(at, statement.getConnection().createArrayOf("int8", numbers));
      } else if (parameter instanceof Integer[] numbers) {
        statement.setArray(at, statement.getConnection().createArrayOf("int4", numbers));
      } else if (parameter instanceof Boolean[] flags) {
        statement.setArray(at, statement.getConnection().createArrayOf("bool", flags));
      } else if (parameter instanceof Double[] numbers) {
        statement.setArray(at, statement.getConnection().createArrayOf("float8", numbers));
      } else {
        statement.setObject(at, parameter);
      }
    }
  }
}
