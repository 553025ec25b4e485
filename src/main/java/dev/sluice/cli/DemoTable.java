package dev.sluice.cli;

import dev.sluice.queue.QueueException;
import dev.sluice.queue.uri.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** Takes away what demos leave in the tables, and touches no other queue. */
final class DemoTable {
  private static final String PREFIX = "sluice-demo-";
  private static final List<String> TABLES = List.of("queue_messages", "queue_messages_failed");

  private final Database database;

  DemoTable(Database database) {
    this.database = database;
  }

  /** A queue name that no other demo has. */
  static String newQueueName() {
    return PREFIX + System.currentTimeMillis();
  }

  /** Deletes what earlier demos left; one that runs now has begun in the last ten minutes. */
  void removeOld() {
    for (String table : TABLES) {
      delete(
          "DELETE FROM "
              + table
              + " WHERE queue_name ~ ('^' || ? || '[0-9]+$')"
              + " AND created_at < extract(epoch FROM clock_timestamp()) - 600",
          PREFIX);
    }
  }

  /** Deletes what waits in this queue. */
  void empty(String queue) {
    delete("DELETE FROM queue_messages WHERE queue_name = ?", queue);
  }

  private void delete(String sql, String parameter) {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, parameter);
      statement.executeUpdate();
    } catch (SQLException e) {
      throw new QueueException("cleaning up", PREFIX + "*", e);
    }
  }
}
