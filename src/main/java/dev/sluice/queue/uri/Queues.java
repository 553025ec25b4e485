package dev.sluice.queue.uri;

import dev.sluice.queue.Queue;
import dev.sluice.queue.legacy.LegacyQueue;
import java.time.Duration;

/** Opens the queues of a database with the backend that its URI names. */
public final class Queues {
  private Queues() {}

  /**
   * The queue of this name; does not touch the database yet. Closing it leaves the database open.
   *
   * @param visibility how long a claim holds; zero for the backend's own default
   * @param exclusive whether a group is handled by one at a time across routers
   * @throws IllegalArgumentException if the name is empty or holds a NUL
   */
  public static Queue open(Database database, String name, Duration visibility, boolean exclusive) {
    return LegacyQueue.builder(database.dataSource(), name)
        .visibility(visibility)
        .groups(exclusive ? LegacyQueue.Groups.EXCLUSIVE : LegacyQueue.Groups.RELAXED)
        .build();
  }

  /** The statements that create tables and indexes, as one script; needs no database. */
  public static String schemaScript() {
    return LegacyQueue.schemaScript();
  }
}
