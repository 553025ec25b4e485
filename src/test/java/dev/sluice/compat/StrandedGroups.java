package dev.sluice.compat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Watches for groups that have messages and no row, which nobody can claim. */
final class StrandedGroups implements AutoCloseable {
  private static final long PAUSE_NANOS = 20_000_000;

  private final Connection connection;
  private final String sql;
  private final Thread thread = new Thread(this::watch, "stranded-groups");
  private final Map<String, Long> since = new HashMap<>();
  private volatile boolean over;
  private final AtomicInteger episodes = new AtomicInteger();
  private volatile long longestNanos;
  private volatile String failure = "";

  StrandedGroups(Connection connection, String messages, String groups) {
    this.connection = connection;
    this.sql =
        "SELECT DISTINCT m.group_id FROM %s m WHERE NOT EXISTS (SELECT 1 FROM %s g WHERE g.group_id = m.group_id)"
            .formatted(messages, groups);
    thread.start();
  }

  private void watch() {
    while (!over) {
      try {
        look();
      } catch (SQLException e) {
        failure = String.valueOf(e.getMessage());
        return;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void look() throws SQLException {
    Set<String> stranded = new HashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        stranded.add(rows.getString(1));
      }
    }
    long now = System.nanoTime();
    for (String group : stranded) {
      if (since.putIfAbsent(group, now) == null) {
        episodes.incrementAndGet();
      }
      longestNanos = Math.max(longestNanos, now - since.get(group));
    }
    since.keySet().retainAll(stranded);
  }

  /** How often a group was seen that nobody could claim. */
  int episodes() {
    if (!failure.isEmpty()) {
      throw new AssertionError(failure);
    }
    return episodes.get();
  }

  /** The longest time that one stayed so. */
  Duration longest() {
    return Duration.ofNanos(longestNanos);
  }

  @Override
  public void close() throws SQLException {
    over = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    connection.close();
  }
}
