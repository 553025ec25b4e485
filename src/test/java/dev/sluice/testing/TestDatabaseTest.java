package dev.sluice.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class TestDatabaseTest {

  @Test
  void eachDatabaseIsItsOwn() throws SQLException {
    try (TestDatabase first = TestDatabase.fresh();
        TestDatabase second = TestDatabase.fresh()) {
      execute(first, "CREATE TABLE only_here (n int)");

      assertThat(query(first, "SELECT to_regclass('only_here')")).isEqualTo("only_here");
      assertThat(query(second, "SELECT to_regclass('only_here')")).isNull();
    }
  }

  @Test
  void theUriNamesTheDatabase() throws SQLException {
    try (TestDatabase database = TestDatabase.fresh()) {
      URI uri = URI.create(database.uri());

      assertThat(uri.getScheme()).isEqualTo("postgres");
      assertThat(uri.getPath()).isEqualTo("/" + query(database, "SELECT current_database()"));
    }
  }

  @Test
  void closingDropsADatabaseThatIsStillInUse() throws SQLException {
    TestDatabase database = TestDatabase.fresh();
    try (Connection held = database.connect();
        TestDatabase other = TestDatabase.fresh()) {
      String name = held.getCatalog();

      database.close();

      assertThat(query(other, "SELECT count(*) FROM pg_database WHERE datname = '" + name + "'"))
          .isEqualTo("0");
    }
  }

  private static void execute(TestDatabase database, String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String query(TestDatabase database, String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
