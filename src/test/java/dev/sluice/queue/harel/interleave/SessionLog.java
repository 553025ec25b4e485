package dev.sluice.queue.harel.interleave;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session's connection during one schedule, and what its client learned. Belongs to the thread
 * that runs the session's requests; others read it between requests.
 */
final class SessionLog {
  private final Connection connection;
  private final List<Happening> uncommitted = new ArrayList<>();
  private final List<Happening> committed = new ArrayList<>();
  private @Nullable SQLException failure;
  private int begun;
  private volatile int turn;

  SessionLog(Connection connection) {
    this.connection = connection;
  }

  /** Runs a statement and returns the rows of its answer, if it has some. */
  List<List<Object>> run(String sql, @Nullable Object... parameters) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < parameters.length; i++) {
        bind(statement, i + 1, parameters[i]);
      }
      return statement.execute() ? rows(statement.getResultSet()) : List.of();
    }
  }

  private void bind(PreparedStatement statement, int index, @Nullable Object value)
      throws SQLException {
    if (value instanceof String[] texts) {
      statement.setArray(index, connection.createArrayOf("text", texts));
    } else if (value instanceof Long[] numbers) {
      statement.setArray(index, connection.createArrayOf("bigint", numbers));
    } else if (value instanceof Integer[] numbers) {
      statement.setArray(index, connection.createArrayOf("int", numbers));
    } else if (value instanceof Boolean[] flags) {
      statement.setArray(index, connection.createArrayOf("bool", flags));
    } else if (value instanceof Double[] numbers) {
      statement.setArray(index, connection.createArrayOf("float8", numbers));
    } else {
      statement.setObject(index, value);
    }
  }

  private static List<List<Object>> rows(ResultSet result) throws SQLException {
    int width = result.getMetaData().getColumnCount();
    List<List<Object>> rows = new ArrayList<>();
    while (result.next()) {
      List<Object> row = new ArrayList<>();
      for (int i = 1; i <= width; i++) {
        row.add(result.getObject(i));
      }
      rows.add(row);
    }
    return rows;
  }

  /** Notes what the request that runs has done, in force when its transaction commits. */
  void note(Happening.Kind kind, Message message, String token) {
    uncommitted.add(new Happening(kind, message, token, begun, turn, turn));
  }

  /** The messages that this session has claimed under the token. */
  List<Message> claimed(String token) {
    return committed.stream()
        .filter(h -> h.is(Happening.Kind.CLAIMED) && h.token().equals(token))
        .map(Happening::message)
        .toList();
  }

  void begin() {
    begun = turn;
  }

  void commit() throws SQLException {
    connection.commit();
    for (Happening h : uncommitted) {
      committed.add(new Happening(h.kind(), h.message(), h.token(), h.begun(), h.returned(), turn));
    }
    uncommitted.clear();
  }

  void fail(SQLException cause) throws SQLException {
    failure = cause;
    uncommitted.clear();
    connection.rollback();
  }

  void turn(int now) {
    turn = now;
  }

  List<Happening> happenings() {
    return committed;
  }

  @Nullable SQLException failure() {
    return failure;
  }
}
