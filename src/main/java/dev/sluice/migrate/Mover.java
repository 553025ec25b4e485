package dev.sluice.migrate;

import java.sql.SQLException;

/** Moves chunks in one direction. Not thread-safe. */
interface Mover extends AutoCloseable {
  /** The keys of what waits at the source, without our holds. */
  Keys keys() throws SQLException;

  /**
   * Moves what can be moved of a chunk now, all of it or nothing of each group, and commits.
   *
   * @return the groups of which nothing was moved though it may be later
   */
  java.util.Set<String> move(Chunk chunk) throws SQLException;

  /** How many messages are at the source, without our holds. */
  long remaining() throws SQLException;

  /** Takes our holds away from the source; what is there can be claimed again. */
  void release() throws SQLException;

  @Override
  void close() throws SQLException;
}
