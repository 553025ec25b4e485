package dev.sluice.queue.harel.interleave;

import java.sql.SQLException;

/** One request of a client: a statement, a call of a function, or the end of a transaction. */
record Step(Work work, boolean commits) {
  static final Step COMMIT = new Step(log -> {}, true);

  /** Runs on the session's own thread. */
  @FunctionalInterface
  interface Work {
    void run(SessionLog log) throws SQLException;
  }
}
