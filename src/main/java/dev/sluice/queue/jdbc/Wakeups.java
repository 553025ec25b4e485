package dev.sluice.queue.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what the wake-up triggers of one database say, on one connection for all queues of it.
 *
 * <p>Connection and thread are there while somebody listens. A connection that is lost is replaced,
 * after a quarter of a second first, at most 30 s; one whose server hangs is found out within 40 s,
 * by a question each 30 s. Triggers that come or go are noticed by the same question.
 *
 * <p>A pooler that hands a server's session to one transaction after another (pgbouncer's
 * transaction mode) passes no notifications on: nothing is heard then.
 *
 * <p>Safe for use by many threads.
 */
public final class Wakeups implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Wakeups.class);
  private static final Duration CHECK = Duration.ofSeconds(30);
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final long FIRST_PAUSE_MILLIS = 250;
  private static final long LONGEST_PAUSE_MILLIS = 30_000;
  // How late somebody new is listened for, at most.
  private static final int LISTEN_MILLIS = 1_000;

  /** Where a table's trigger speaks, and what it calls a queue; no row without the trigger. */
  private static final String EAR =
      """
      SELECT 'sluice_' || hashtextextended(format('%I.%I', n.nspname, c.relname), 0),
        left(CAST(? AS text), 500)
      FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_trigger t ON t.tgrelid = c.oid AND t.tgname = 'sluice_notify' AND t.tgenabled <> 'D'
      WHERE c.oid = to_regclass(?)""";

  private final Connections connections;
  private final Duration check;
  private final Duration answer;
  private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
  private @Nullable Session session;

  /** Opens a connection that nobody else uses; closed by the caller. */
  @FunctionalInterface
  public interface Connections {
    Connection open() throws SQLException;
  }

  public Wakeups(Connections connections) {
    this(connections, CHECK, ANSWER);
  }

  /**
   * @param check how often the server is asked whether it is there, and about triggers
   * @param answer how long it may take to answer
   */
  Wakeups(Connections connections, Duration check, Duration answer) {
    this.connections = connections;
    this.check = check;
    this.answer = answer;
  }

  /**
   * Listens until closed.
   *
   * @param table the table that has the trigger, as the search path finds it
   * @param queue what the trigger calls the queue; empty where the table holds one
   * @param wake called after something was published, and once whenever listening begins; calls may
   *     stand for several publishes. Must not block
   */
  public synchronized Subscription listen(String table, String queue, Runnable wake) {
    Subscription subscription = new Subscription(table, queue, wake);
    subscriptions.add(subscription);
    if (session == null) {
      session = new Session();
      session.start();
    }
    return subscription;
  }

  private synchronized void end(Subscription subscription) {
    subscriptions.remove(subscription);
    if (session != null && subscriptions.isEmpty()) {
      session.end();
      session = null;
    }
  }

  /** Ends all listening. */
  @Override
  public void close() {
    subscriptions.forEach(Subscription::close);
  }

  private record Ear(String channel, String payload) {}

  /** One who listens. */
  public final class Subscription implements AutoCloseable {
    private final String table;
    private final String queue;
    private final Runnable wake;
    private volatile boolean closed;

    private Subscription(String table, String queue, Runnable wake) {
      this.table = table;
      this.queue = queue;
      this.wake = wake;
    }

    private void wake() {
      if (closed) {
        return;
      }
      try {
        wake.run();
      } catch (RuntimeException e) {
        log.error("event=wake_failed table={} queue={}", table, queue, e);
      }
    }

    /** Ends it: {@code wake} is called no more. Waits for nobody. Idempotent. */
    @Override
    public void close() {
      closed = true;
      end(this);
    }
  }

  /** A thread and its connection, from the first who listens to the last. */
  private final class Session {
    private final Thread thread = new Thread(this::run, "sluice-listener");
    private final Map<Subscription, Ear> ears = new LinkedHashMap<>();
    private volatile boolean ended;
    private volatile @Nullable Connection connection;
    private long pauseMillis = FIRST_PAUSE_MILLIS;
    private boolean lost;

    void start() {
      thread.setDaemon(true);
      thread.start();
    }

    /** Does not wait: the server may hang, in the midst of a login even. */
    void end() {
      ended = true;
      thread.interrupt();
      cut(connection);
    }

    private void run() {
      while (!ended) {
        try (Connection opened = connections.open()) {
          connection = opened;
          try {
            hear(opened);
          } finally {
            connection = null;
            // Not to be used again by whoever gets it from a pool: it listens.
            cut(opened);
          }
        } catch (SQLException e) {
          tell(e);
        }
        pause();
      }
    }

    private void cut(@Nullable Connection open) {
      if (open != null) {
        try {
          open.abort(Runnable::run);
        } catch (SQLException e) {
          log.debug("event=listener_not_cut reason=\"{}\"", e.getMessage());
        }
      }
    }

    private void tell(SQLException failure) {
      if (!ended && !lost) {
        lost = true;
        log.warn(
            "event=listener_lost reason=\"{}\": idle queues are polled, and heard again once it is"
                + " back",
            failure.getMessage());
      }
    }

    private void pause() {
      long millis = pauseMillis;
      pauseMillis = Math.min(2 * millis, LONGEST_PAUSE_MILLIS);
      try {
        if (!ended) {
          Thread.sleep(millis);
        }
      } catch (InterruptedException e) {
        // Only end() interrupts.
        ended = true;
      }
    }

    private void hear(Connection open) throws SQLException {
      open.setAutoCommit(true);
      open.setNetworkTimeout(Runnable::run, Math.toIntExact(answer.toMillis()));
      PGConnection notified = open.unwrap(PGConnection.class);
      ears.clear();
      Set<String> channels = new HashSet<>();
      long checked = 0;
      List<Subscription> known = List.of();
      while (!ended) {
        List<Subscription> all = List.copyOf(subscriptions);
        if (!known.equals(all) || System.nanoTime() - checked >= check.toNanos()) {
          attach(open, all, channels).forEach(Subscription::wake);
          known = all;
          checked = System.nanoTime();
          recovered();
        }
        long next = check.toNanos() - (System.nanoTime() - checked);
        wake(
            notified.getNotifications(
                Math.max(1, (int) Math.min(LISTEN_MILLIS, next / 1_000_000))));
      }
    }

    private void recovered() {
      pauseMillis = FIRST_PAUSE_MILLIS;
      if (lost) {
        lost = false;
        log.info("event=listener_back");
      }
    }

    /** Listens where it did not; yields those for whom listening begins. */
    private List<Subscription> attach(Connection open, List<Subscription> all, Set<String> channels)
        throws SQLException {
      ears.keySet().retainAll(all);
      List<Subscription> begin = new ArrayList<>();
      try (PreparedStatement select = open.prepareStatement(EAR);
          Statement listen = open.createStatement()) {
        for (Subscription subscription : all) {
          Ear ear = ear(select, subscription);
          if (ear == null) {
            ears.remove(subscription);
            continue;
          }
          if (channels.add(ear.channel())) {
            listen.execute("LISTEN \"" + ear.channel() + "\"");
          }
          if (!ear.equals(ears.put(subscription, ear))) {
            begin.add(subscription);
          }
        }
      }
      return begin;
    }

    private static @Nullable Ear ear(PreparedStatement select, Subscription subscription)
        throws SQLException {
      select.setString(1, subscription.queue);
      select.setString(2, subscription.table);
      try (ResultSet row = select.executeQuery()) {
        return row.next() ? new Ear(row.getString(1), row.getString(2)) : null;
      }
    }

    private void wake(PGNotification @Nullable [] heard) {
      if (heard == null || heard.length == 0) {
        return;
      }
      Set<Ear> said = new HashSet<>();
      for (PGNotification notification : heard) {
        said.add(new Ear(notification.getName(), notification.getParameter()));
      }
      ears.forEach(
          (subscription, ear) -> {
            if (said.contains(ear)) {
              subscription.wake();
            }
          });
    }
  }
}
