package dev.sluice.queue.harel.interleave;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** A connection with the thread that waits for its answers, kept over all schedules. */
final class Session implements AutoCloseable {
  private final Connection connection;
  private final int pid;
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private SessionLog log;
  private Script script = new Script("nothing", List.of());
  private int sent;
  private volatile boolean busy;

  Session(Connection connection, int number) throws SQLException {
    this.connection = connection;
    log = new SessionLog(connection);
    connection.setAutoCommit(true);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET test.session = '%d'; SET test.parity = '0'".formatted(number));
      // What waits in a circle is told at once. With plans as large tables have them.
      statement.execute("SET deadlock_timeout = '5ms'; SET enable_seqscan = off");
    }
    pid = pidOf(connection);
    connection.setAutoCommit(false);
  }

  private static int pidOf(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT pg_backend_pid()")) {
      result.next();
      return result.getInt(1);
    }
  }

  void take(Script next) {
    script = next;
    sent = 0;
    log = new SessionLog(connection);
  }

  boolean hasMore() {
    return log.failure() == null && sent < script.steps().size();
  }

  /** Sends the next request; returns at once. */
  void send() {
    Step step = script.steps().get(sent++);
    Thread scheduler = Thread.currentThread();
    busy = true;
    thread.execute(
        () -> {
          perform(step);
          busy = false;
          LockSupport.unpark(scheduler);
        });
  }

  private void perform(Step step) {
    try {
      log.begin();
      step.work().run(log);
      if (step.commits()) {
        log.commit();
      }
    } catch (SQLException e) {
      rollBack(e);
    } catch (RuntimeException e) {
      rollBack(new SQLException("the script of the test failed: " + e, e));
    }
  }

  private void rollBack(SQLException cause) {
    try {
      log.fail(cause);
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  boolean isBusy() {
    return busy;
  }

  SessionLog log() {
    return log;
  }

  String name() {
    return script.name();
  }

  int pid() {
    return pid;
  }

  @Override
  public void close() throws SQLException {
    thread.shutdownNow();
    connection.close();
  }
}
