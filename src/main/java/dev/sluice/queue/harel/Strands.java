package dev.sluice.queue.harel;

import dev.sluice.queue.QueueException;
import dev.sluice.queue.jdbc.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds groups whose messages nobody can claim because their row is gone, and puts it back.
 * Thread-safe; one thread looks at a time, and others do not wait for it.
 */
final class Strands {
  private static final Logger log = LoggerFactory.getLogger(Strands.class);
  private static final double BETWEEN_LOOKS = 1;
  private static final double BETWEEN_IDLE_LOOKS = 0.1;
  private static final int STEP = 500;
  private static final int IDLE_STEP = 5_000;
  private static final int BY_HAND = 50_000;

  private final Session session;
  private final HarelSql sql;
  private final Clock clock;
  private final StrandSearch watch = new StrandSearch();
  private final ReentrantLock looking = new ReentrantLock();
  private final LongAdder restored = new LongAdder();
  private @Nullable String sweptTo;
  private double lastLook = Double.NEGATIVE_INFINITY;
  private boolean failing;

  /**
   * What a look found.
   *
   * @param restored how many groups can be claimed again
   * @param inDoubt whether there may be more to find within seconds
   */
  record Finding(int restored, boolean inDoubt) {}

  Strands(Session session, HarelSql sql, Clock clock) {
    this.session = session;
    this.sql = sql;
    this.clock = clock;
  }

  /** How many groups have been put back. */
  long restored() {
    return restored.sum();
  }

  /**
   * Looks, if it is time to.
   *
   * @param idle whether there is nothing else to do
   * @param mayFail whether a failure costs nobody a claim, so that it can be told
   * @throws QueueException if it fails and may
   */
  Finding look(boolean idle, boolean mayFail) {
    double now = clock.seconds();
    if (!looking.tryLock()) {
      return new Finding(0, true);
    }
    try {
      if (now - lastLook < (idle ? BETWEEN_IDLE_LOOKS : BETWEEN_LOOKS)) {
        return new Finding(0, true);
      }
      lastLook = now;
      int found = lookNow(now, idle ? IDLE_STEP : STEP);
      failing = false;
      return new Finding(found, watch.isInDoubt());
    } catch (QueueException e) {
      if (mayFail) {
        throw e;
      }
      if (!failing) {
        failing = true;
        log.warn("event=looking_for_stranded_fails reason=\"{}\"", e.getMessage());
      }
      return new Finding(0, true);
    } finally {
      looking.unlock();
    }
  }

  private int lookNow(double now, int step) {
    List<StrandSearch.Part> parts = watch.due(now);
    watch.looked(
        now,
        session
            .query(
                "look for stranded messages",
                sql.look(),
                Strands::readLook,
                parts.stream().map(StrandSearch.Part::from).toArray(Long[]::new),
                parts.stream().map(StrandSearch.Part::to).toArray(Long[]::new))
            .get(0));
    if (watch.isSweepDue(now)) {
      Swept swept = sweep(sweptTo, step);
      sweptTo = swept.last();
      watch.swept(now, swept.stranded(), swept.last() == null);
    }
    List<String> overdue = watch.takeOverdue(now);
    return overdue.isEmpty() ? 0 : restore(overdue);
  }

  private static StrandSearch.Look readLook(ResultSet row) throws SQLException {
    return new StrandSearch.Look(row.getLong(1), row.getLong(2), row.getLong(3), texts(row, 4));
  }

  private record Swept(@Nullable String last, List<String> stranded) {}

  private Swept sweep(@Nullable String after, int limit) {
    return session
        .query(
            "look for stranded messages",
            sql.sweep(),
            row -> new Swept(row.getString(1), texts(row, 2)),
            after,
            limit)
        .get(0);
  }

  private int restore(List<String> groups) {
    int count =
        session
            .queryAtOnce(
                "restore groups",
                sql.restore(),
                row -> row.getString(1),
                (Object) groups.toArray(String[]::new))
            .size();
    if (count > 0) {
      restored.add(count);
      log.warn(
          "event=groups_restored count={}: their messages had no group row, as Python workers leave"
              + " them at times; schema init --guard prevents it",
          count);
    }
    return count;
  }

  /** Looks at everything, restoring all that stays without a row for the length of the grace. */
  int repairAll(double graceSeconds) {
    List<String> stranded = sweepAll();
    if (stranded.isEmpty()) {
      return 0;
    }
    try {
      Thread.sleep((long) (graceSeconds * 1000));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
    return restore(stranded);
  }

  private List<String> sweepAll() {
    List<String> stranded = new ArrayList<>();
    String after = null;
    do {
      Swept swept = sweep(after, BY_HAND);
      stranded.addAll(swept.stranded());
      after = swept.last();
    } while (after != null);
    return stranded;
  }

  private static List<String> texts(ResultSet row, int column) throws SQLException {
    return List.of((String[]) row.getArray(column).getArray());
  }
}
