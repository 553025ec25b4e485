package dev.sluice.model;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** One connection per operation, one transaction on it. */
final class HarelConnections {

  /** Work in a transaction. */
  @FunctionalInterface
  interface Work<T> {
    T on(Connection connection) throws SQLException;
  }

  private final DataSource dataSource;

  HarelConnections(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  <T> T inTransaction(Work<T> work) {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        T result = work.on(connection);
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  static int update(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement update = prepare(connection, sql, values)) {
      return update.executeUpdate();
    }
  }

  static boolean exists(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement select = prepare(connection, sql, values);
        ResultSet row = select.executeQuery()) {
      return row.next();
    }
  }

  static PreparedStatement prepare(Connection connection, String sql, Object... values)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
    return statement;
  }
}
