package dev.sluice.migrate;

import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Groups of the legacy table that hold rows which no migration put there, read along with the
 * groups that move, in the same order: no index finds a group there. Not thread-safe.
 */
final class ForeignGroups implements AutoCloseable {
  static final ForeignGroups NONE = new ForeignGroups(null);

  private static final String CURSOR = "sluice_foreign";

  private static final String QUERY =
      """
      SELECT COALESCE(q.message_group_id, q.id)
      FROM {legacy} q LEFT JOIN {record} r ON r.move = ? AND r.target_key = q.id
      WHERE q.queue_name = ? AND NOT starts_with(q.id, '%s') AND NOT starts_with(q.id, '%s')
      GROUP BY COALESCE(q.message_group_id, q.id)
      HAVING bool_or(r.target_key IS NULL)
      ORDER BY COALESCE(q.message_group_id, q.id) COLLATE "C\""""
          .formatted(Tokens.HOLD, Tokens.ARRIVING);

  private final @Nullable Connection connection;
  private final Deque<String> read = new ArrayDeque<>();
  private boolean ended;

  private ForeignGroups(@Nullable Connection connection) {
    this.connection = connection;
    this.ended = connection == null;
  }

  static ForeignGroups at(Ends ends, String queue) throws SQLException {
    Connection connection = ends.target();
    SchemaTools.execute(
        connection,
        "SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on;"
            + " SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL work_mem = '64MB'");
    try (var declare =
        connection.prepareStatement(
            "DECLARE " + CURSOR + " NO SCROLL CURSOR WITH HOLD FOR " + ends.names().in(QUERY))) {
      declare.setLong(1, ends.move());
      declare.setString(2, queue);
      declare.execute();
    }
    connection.commit();
    return new ForeignGroups(connection);
  }

  /**
   * Those of these groups; each call asks for groups behind those of the last one, or for its last.
   */
  Set<String> among(List<String> groups) throws SQLException {
    Set<String> found = new HashSet<>();
    for (String group : groups) {
      if (group.equals(next(group))) {
        found.add(group);
      }
    }
    return found;
  }

  private @Nullable String next(String group) throws SQLException {
    byte[] name = group.getBytes(StandardCharsets.UTF_8);
    while (true) {
      if (read.isEmpty() && !ended && connection != null) {
        read.addAll(
            Session.query(
                connection, "FETCH " + Keys.FETCH + " FROM " + CURSOR, row -> row.getString(1)));
        ended = read.isEmpty();
      }
      String first = read.peekFirst();
      if (first == null
          || Arrays.compareUnsigned(first.getBytes(StandardCharsets.UTF_8), name) >= 0) {
        return first;
      }
      read.removeFirst();
    }
  }

  @Override
  public void close() throws SQLException {
    if (connection != null) {
      connection.rollback();
      SchemaTools.execute(connection, "CLOSE " + CURSOR);
      connection.commit();
    }
  }
}
