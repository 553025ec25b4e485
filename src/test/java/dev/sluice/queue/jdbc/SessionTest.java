package dev.sluice.queue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.QueueException;
import dev.sluice.testing.OneConnection;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What several commands of one text are to each other. */
class SessionTest {
  /** More often than it takes the driver to prepare a statement. */
  private static final int RUNS = 10;

  private static final String LOCK = "SELECT pg_advisory_xact_lock(7)";

  /** Text has no bound, and a NULL of no type makes the driver ask what the statement yields. */
  private static final String LOCKS =
      "SELECT concat(count(*), CAST(? AS text)) FROM pg_locks"
          + " WHERE pid = pg_backend_pid() AND locktype = 'advisory'";

  private TestDatabase database;
  private Connection connection;
  private Session session;

  @BeforeEach
  void connect() {
    database = TestDatabase.fresh();
    connection = database.connect();
    session = new Session(new OneConnection(connection), "q");
  }

  @AfterEach
  void dropDatabase() throws SQLException {
    connection.close();
    database.close();
  }

  @Test
  void whatOneCommandLocksIsLockedWhileTheNextRunsHoweverOftenTheyRan() {
    for (int i = 0; i < RUNS; i++) {
      assertThat(atOnce(LOCK + "; " + LOCKS)).containsExactly("1");
    }
    assertThat(one(LOCKS)).containsExactly("0");
  }

  @Test
  void eachCommandLooksAnewWhereTheDatabaseDefaultsToOneSnapshot() {
    one("SELECT set_config('default_transaction_isolation', 'serializable', ?::text IS NOT NULL)");
    for (int i = 0; i < RUNS; i++) {
      assertThat(
              atOnce("SELECT 1; SELECT concat(current_setting('transaction_isolation'), ?::text)"))
          .containsExactly("read committed");
    }
  }

  @Test
  void commandsThatFailLeaveNoTransactionBehind() {
    for (int i = 0; i < RUNS; i++) {
      assertThatThrownBy(() -> atOnce(LOCK + "; SELECT concat(1 / 0, ?::text)"))
          .isInstanceOf(QueueException.class)
          .hasMessageContaining("division by zero");
      assertThat(one(LOCKS)).containsExactly("0");
    }
  }

  @Test
  void severalCommandsAreRefusedWhereEachWouldCommitByItself() {
    assertThatThrownBy(() -> one(LOCK + "; " + LOCKS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("several commands");
  }

  private List<String> atOnce(String commands) {
    return session.queryAtOnce("test", commands, row -> row.getString(1), (Object) null);
  }

  private List<String> one(String sql) {
    return session.query("test", sql, row -> row.getString(1), (Object) null);
  }
}
