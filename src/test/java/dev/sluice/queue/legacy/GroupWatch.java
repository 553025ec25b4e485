package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the table all the time, each time at one snapshot of it, for a group of which two
 * messages are in flight. The clock must stand still while it looks.
 */
final class GroupWatch implements AutoCloseable {
  private static final long PAUSE_NANOS = 2_000_000;
  private static final String IN_TWO_HANDS =
      """
      SELECT COALESCE(message_group_id, id), count(*), min(id), max(id) FROM queue_messages
      WHERE queue_name = ? AND receipt_handle IS NOT NULL AND visible_at > ?
      GROUP BY COALESCE(message_group_id, id) HAVING count(*) > 1
      """;

  private final Connection connection;
  private final String queue;
  private final LongSupplier epochSeconds;
  private final Set<String> found = ConcurrentHashMap.newKeySet();
  private final Thread watcher;
  private volatile boolean stopped;
  private volatile @Nullable SQLException failure;

  GroupWatch(Connection connection, String queue, LongSupplier epochSeconds) {
    this.connection = connection;
    this.queue = queue;
    this.epochSeconds = epochSeconds;
    this.watcher = new Thread(this::watch, "group-watch");
    watcher.start();
  }

  private void watch() {
    try (PreparedStatement select = connection.prepareStatement(IN_TWO_HANDS)) {
      while (!stopped) {
        look(select);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (SQLException e) {
      failure = e;
    }
  }

  private void look(PreparedStatement select) throws SQLException {
    select.setString(1, queue);
    select.setLong(2, epochSeconds.getAsLong());
    try (ResultSet row = select.executeQuery()) {
      while (row.next()) {
        found.add(
            "group '%s': %d in flight, '%s' and '%s' among them"
                .formatted(row.getString(1), row.getInt(2), row.getString(3), row.getString(4)));
      }
    }
  }

  void assertNoGroupWasInTwoHands() {
    stop();
    assertThat((Throwable) failure).isNull();
    assertThat(found).isEmpty();
  }

  private void stop() {
    stopped = true;
    try {
      watcher.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws SQLException {
    stop();
    connection.close();
  }
}
