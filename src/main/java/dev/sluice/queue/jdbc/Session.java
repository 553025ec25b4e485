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
  /** Before the first command of a transaction whose commands are each to see what is new. */
  public static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; ";

  private static final int PING_SECONDS = 2;
  private static final int ATTEMPTS = 4;
  private static final String BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED; ";
  private static final String COMMIT = "; COMMIT";

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
    return runAgainIfYielded(operation, connection -> query(connection, sql, reader, parameters));
  }

  /**
   * Runs commands, with semicolons between them, as one transaction at READ COMMITTED, whatever the
   * database defaults to: each sees what was committed before it began, and what it locks stays
   * locked until the last one is done. Reads all rows of the last one; runs them again as {@link
   * #query(String, String, RowReader, Object...)} does.
   *
   * <p>It begins and commits by commands of its own, sent along with the others. Without them the
   * commands are one transaction only as long as the driver sends them at once; it sends them one
   * by one when it has prepared them and knows no bound of their rows, and each commits by itself.
   */
  public <T> List<T> queryAtOnce(
      String operation, String commands, RowReader<T> reader, @Nullable Object... parameters) {
    String sql = BEGIN + commands + COMMIT;
    return runAgainIfYielded(
        operation,
        connection -> {
          try {
            return readLast(connection, sql, reader, parameters).rows();
          } catch (SQLException | RuntimeException e) {
            endFailed(connection, e);
            throw e;
          }
        });
  }

  private <T> T runAgainIfYielded(String operation, Work<T> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return run(operation, work);
      } catch (QueueException e) {
        if (attempt == ATTEMPTS || !wasChosenToYield(e)) {
          throw e;
        }
      }
    }
  }

  /**
   * Runs one query on this connection and reads all of its rows. Of several commands, which need a
   * transaction, it is the last one.
   *
   * @throws IllegalStateException if they were several, without a transaction
   */
  public static <T> List<T> query(
      Connection connection, String sql, RowReader<T> reader, @Nullable Object... parameters)
      throws SQLException {
    Answer<T> answer = readLast(connection, sql, reader, parameters);
    if (answer.results() > 1 && connection.getAutoCommit()) {
      throw new IllegalStateException("several commands, which the driver may send apart: " + sql);
    }
    return answer.rows();
  }

  private record Answer<T>(List<T> rows, int results) {}

  private static <T> Answer<T> readLast(
      Connection connection, String sql, RowReader<T> reader, @Nullable Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, parameters);
      // Several commands answer with several results, some without rows.
      ResultSet last = null;
      int results = 0;
      for (boolean isRows = statement.execute();
          isRows || statement.getUpdateCount() >= 0;
          isRows = statement.getMoreResults(Statement.KEEP_CURRENT_RESULT)) {
        last = isRows ? statement.getResultSet() : last;
        results++;
      }
      if (last == null) {
        throw new SQLException("the statement returned no rows");
      }
      List<T> rows = new ArrayList<>();
      while (last.next()) {
        rows.add(reader.read(last));
      }
      return new Answer<>(rows, results);
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

  // The driver does not know of a transaction that was begun by a command.
  private static void endFailed(Connection connection, Exception failure) {
    try (Statement statement = connection.createStatement()) {
      statement.execute("ROLLBACK");
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
        // Of a type: the driver asks the server for one that has none, in a round trip of its own.
        // Statements cast what may be null.
        statement.setNull(at, Types.VARCHAR);
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
