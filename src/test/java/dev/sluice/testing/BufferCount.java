package dev.sluice.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts the buffers that the statements of a connection read: each that names the table is first
 * explained, as a prepared statement with its parameters, twice, and undone; then it is run. The
 * second time counts, when the planner has read what it needs. Not for use by many threads.
 */
public final class BufferCount {
  private static final Set<String> COMMITTING = Set.of("setAutoCommit", "commit");
  private static final Pattern OWN_TRANSACTION =
      Pattern.compile("^(BEGIN|SET TRANSACTION) ISOLATION LEVEL READ COMMITTED; |; COMMIT$");

  private final Connection connection;
  private final String table;
  private final List<Long> buffers = new ArrayList<>();
  private boolean undoing;

  /** Of the statements on this connection that name this table. */
  public BufferCount(Connection connection, String table) {
    this.connection = connection;
    this.table = table;
  }

  /** How many buffers were read since the last call. */
  public long take() {
    long taken = buffers.stream().mapToLong(each -> each).sum();
    buffers.clear();
    return taken;
  }

  /** What each statement since the last {@link #take} has read. */
  public List<Long> each() {
    return List.copyOf(buffers);
  }

  /** Runs something that commits, and undoes it. */
  public <T> T undone(Callable<T> work) throws Exception {
    connection.setAutoCommit(false);
    undoing = true;
    try {
      return work.call();
    } finally {
      undoing = false;
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  /** The connection; what is done through it is counted. */
  public Connection connection() {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          if (undoing && COMMITTING.contains(method.getName())) {
            return null;
          }
          if (undoing && arguments != null && arguments[0] instanceof String sql) {
            arguments[0] = OWN_TRANSACTION.matcher(sql).replaceAll("");
          }
          Object result = call(connection, method, arguments);
          return result instanceof PreparedStatement statement
                  && arguments[0] instanceof String sql
                  && sql.contains(table)
              ? counted(statement, sql)
              : result;
        });
  }

  private PreparedStatement counted(PreparedStatement statement, String sql) {
    Map<Integer, String> parameters = new TreeMap<>();
    return proxy(
        PreparedStatement.class,
        (proxy, method, arguments) -> {
          if (method.getName().startsWith("set")
              && arguments.length >= 2
              && arguments[0] instanceof Integer place) {
            parameters.put(
                place, method.getName().equals("setNull") ? "NULL" : literal(arguments[1]));
          } else if (method.getName().startsWith("execute")) {
            explain(sql, parameters);
          }
          return call(statement, method, arguments);
        });
  }

  private void explain(String sql, Map<Integer, String> parameters)
      throws SQLException, IOException {
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    Savepoint before = connection.setSavepoint();
    try (Statement statement = connection.createStatement()) {
      statement.setEscapeProcessing(false);
      for (String command : OWN_TRANSACTION.matcher(sql).replaceAll("").split(";", -1)) {
        statement.execute(
            command.contains(table) ? "PREPARE explained AS " + numbered(command) : command);
      }
      String explain =
          "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained"
              + parameters.values().stream().collect(Collectors.joining(", ", "(", ")"));
      run(statement, explain);
      connection.rollback(before);
      buffers.add(run(statement, explain));
      connection.rollback(before);
      statement.execute("DEALLOCATE explained");
    }
    if (autoCommit) {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private static long run(Statement statement, String explain) throws SQLException, IOException {
    try (ResultSet result = statement.executeQuery(explain)) {
      result.next();
      JsonNode plan = new ObjectMapper().readTree(result.getString(1)).get(0).get("Plan");
      return plan.get("Shared Hit Blocks").asLong() + plan.get("Shared Read Blocks").asLong();
    }
  }

  private static String numbered(String sql) {
    StringBuilder numbered = new StringBuilder();
    int number = 0;
    for (int i = 0; i < sql.length(); i++) {
      char c = sql.charAt(i);
      numbered.append(c == '?' ? "$" + ++number : String.valueOf(c));
    }
    return numbered.toString();
  }

  private static String literal(@Nullable Object value) throws SQLException {
    if (value == null) {
      return "NULL";
    }
    if (value instanceof Array array && array.getArray() instanceof Object[] elements) {
      return Arrays.stream(elements)
          .map(element -> '"' + String.valueOf(element).replaceAll("[\\\\\"]", "\\\\$0") + '"')
          .collect(
              Collectors.collectingAndThen(Collectors.joining(",", "{", "}"), BufferCount::quoted));
    }
    return value instanceof Number ? value.toString() : quoted(value.toString());
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(BufferCount.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
