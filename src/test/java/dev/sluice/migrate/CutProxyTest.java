package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.migrate.Scissors.Cut;
import dev.sluice.testing.TestDatabase;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the tests of dying sessions rest on. */
class CutProxyTest {
  private final TestDatabase database = TestDatabase.fresh();

  @AfterEach
  void drop() {
    database.close();
  }

  private static Connection connect(CutProxy proxy) throws SQLException {
    URI uri = URI.create(proxy.uri());
    String[] user = uri.getUserInfo().split(":", 2);
    return DriverManager.getConnection(
        "jdbc:postgresql://%s:%d%s".formatted(uri.getHost(), uri.getPort(), uri.getPath()),
        user[0],
        user[1]);
  }

  @Test
  void anUncutSessionIsAnyOther() throws Exception {
    try (CutProxy proxy = new CutProxy(database.uri(), Scissors.none(), () -> {});
        Connection connection = connect(proxy);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (n int)");

      assertThat(Sides.query(database, "SELECT count(*) FROM t")).containsExactly("0");
    }
  }

  /** How many requests a connection and two statements are, by cutting ever later ones. */
  private int cutUntilDone(Cut cut, AtomicInteger done) throws Exception {
    for (int n = 1; n < 50; n++) {
      Sides.execute(database, "DROP TABLE IF EXISTS t; CREATE TABLE t (n int)");
      Scissors scissors = Scissors.at(n, cut);
      try (CutProxy proxy = new CutProxy(database.uri(), scissors, () -> {})) {
        insertTwice(proxy);
        assertThat(scissors.haveCut()).isFalse();
        return n - 1;
      } catch (SQLException e) {
        assertThat(scissors.haveCut()).isTrue();
        if (Sides.query(database, "SELECT n::text FROM t").contains("2")) {
          done.incrementAndGet();
        }
      }
    }
    throw new AssertionError("it never ends");
  }

  private static void insertTwice(CutProxy proxy) throws SQLException {
    try (Connection connection = connect(proxy);
        Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO t VALUES (1)");
      statement.execute("INSERT INTO t VALUES (2)");
    }
  }

  @Test
  void aRequestCutBeforeIsNotDone() throws Exception {
    AtomicInteger done = new AtomicInteger();

    assertThat(cutUntilDone(Cut.BEFORE, done)).isGreaterThanOrEqualTo(2);
    assertThat(done).hasValue(0);
  }

  @Test
  void aRequestCutAfterIsDoneAndTheClientDoesNotKnow() throws Exception {
    AtomicInteger done = new AtomicInteger();

    assertThat(cutUntilDone(Cut.AFTER, done)).isGreaterThanOrEqualTo(2);
    assertThat(done).hasValue(1);
  }

  @Test
  void aProxyThatRefusesLetsNobodyIn() throws Exception {
    try (CutProxy proxy = new CutProxy(database.uri(), Scissors.none(), () -> {})) {
      proxy.refuse();

      assertThatThrownBy(() -> connect(proxy).close()).isInstanceOf(SQLException.class);
    }
  }
}
