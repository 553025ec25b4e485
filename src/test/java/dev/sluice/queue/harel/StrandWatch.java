package dev.sluice.queue.harel;

import dev.sluice.model.HarelMessage;
import dev.sluice.model.HarelNames;
import dev.sluice.model.HarelTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at the tables all the time for messages whose group has no row: most are found no more at
 * the end, for the next publish into their group revives them.
 */
final class StrandWatch {
  private static final long PAUSE_NANOS = 3_000_000;

  private final Connection connection;
  private final HarelNames names;
  private final HarelWitness witness;
  private final Set<Long> found = ConcurrentHashMap.newKeySet();
  private final Thread watcher = new Thread(this::watch, "strand-watch");
  private volatile boolean stopped;

  private StrandWatch(Connection connection, HarelNames names, HarelWitness witness) {
    this.connection = connection;
    this.names = names;
    this.witness = witness;
  }

  /** Complains to the witness until it ends, which closes the connection. */
  static StrandWatch start(Connection connection, HarelNames names, HarelWitness witness) {
    StrandWatch watch = new StrandWatch(connection, names, witness);
    watch.watcher.start();
    return watch;
  }

  private void watch() {
    try {
      while (!stopped) {
        HarelTables.stranded(connection, names).forEach(this::found);
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (SQLException e) {
      witness.complain("the watch failed: " + e);
    }
  }

  private void found(HarelMessage message) {
    if (found.add(message.seq())) {
      witness.complain("stranded: seq %d of %s".formatted(message.seq(), message.group()));
    }
  }

  void end() throws SQLException, InterruptedException {
    stopped = true;
    watcher.join();
    connection.close();
  }
}
