package dev.sluice.queue.harel;

import dev.sluice.model.HarelMessage;
import dev.sluice.model.HarelNames;
import dev.sluice.model.HarelTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Looks at the tables all the time for messages whose group has no row: most are found no more at
 * the end, for the next publish into their group revives them.
 */
final class StrandWatch {
  private static final long PAUSE_NANOS = 3_000_000;

  private final Connection connection;
  private final HarelNames names;
  private final HarelWitness witness;
  private final long toleratedNanos;
  private final Map<Long, Long> since = new HashMap<>();
  private final Set<Long> complainedOf = new HashSet<>();
  private long longestNanos;
  private final Thread watcher = new Thread(this::watch, "strand-watch");
  private volatile boolean stopped;

  private StrandWatch(
      Connection connection, HarelNames names, HarelWitness witness, Duration tolerated) {
    this.connection = connection;
    this.names = names;
    this.witness = witness;
    this.toleratedNanos = tolerated.toNanos();
  }

  /**
   * Complains to the witness until it ends, which closes the connection.
   *
   * @param tolerated for how long a message may be stranded
   */
  static StrandWatch start(
      Connection connection, HarelNames names, HarelWitness witness, Duration tolerated) {
    StrandWatch watch = new StrandWatch(connection, names, witness, tolerated);
    watch.watcher.start();
    return watch;
  }

  private void watch() {
    try {
      while (!stopped) {
        found(HarelTables.stranded(connection, names));
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (SQLException e) {
      witness.complain("the watch failed: " + e);
    }
  }

  private void found(List<HarelMessage> stranded) {
    long now = System.nanoTime();
    since.keySet().retainAll(stranded.stream().map(HarelMessage::seq).collect(Collectors.toSet()));
    for (HarelMessage message : stranded) {
      since.putIfAbsent(message.seq(), now);
      long nanos = now - since.get(message.seq());
      longestNanos = Math.max(longestNanos, nanos);
      if (nanos >= toleratedNanos && complainedOf.add(message.seq())) {
        witness.complain("stranded: seq %d of %s".formatted(message.seq(), message.group()));
      }
    }
  }

  /** Ends; yields for how long a message was stranded at most. */
  Duration end() throws SQLException, InterruptedException {
    stopped = true;
    watcher.join();
    connection.close();
    return Duration.ofNanos(longestNanos);
  }
}
