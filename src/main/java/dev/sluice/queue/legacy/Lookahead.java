package dev.sluice.queue.legacy;

import dev.sluice.queue.QueueException;
import dev.sluice.queue.jdbc.Session;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the polls of a table without our indexes may claim next. Each of them would read the whole
 * queue; so one that comes soon after another looks further ahead than it needs to, and those that
 * follow within a moment ({@link LegacyHold#REMEMBERED_MILLIS}) take from that. Thread-safe.
 */
final class Lookahead {
  /** After a look that has served fewer polls than that, the next one has to wait. */
  private static final int WORTH = 4;

  private static final long SHORTEST_PAUSE_NANOS = 1_000_000_000L;
  private static final int TIMES_AS_LONG = 20;

  private static final long REMEMBERED_NANOS = LegacyHold.REMEMBERED_MILLIS * 1_000_000;

  // The database counts from a moment before the answer came, and until a moment after it was
  // asked.
  private static final long FRESH_NANOS = REMEMBERED_NANOS * 9 / 10;

  /** How long a producer's row may take from its created_at until it is committed. */
  private static final long MARGIN_SECONDS = 5;

  private static final Logger log = LoggerFactory.getLogger(Lookahead.class);

  private final Session session;
  private final String queue;
  private final int rows;
  private final LongSupplier nanos;
  private Look look = Look.NONE;
  private int served = WORTH;
  private boolean looking;
  private boolean lastTook;
  private long lastEnded;
  private long lastLook;
  private long lookTook;

  /**
   * What one look saw of a group.
   *
   * @param inFlight the ids of what was in flight
   * @param crowded whether that was so much that it is not known
   * @param ids of what waits, in order
   */
  private record Chain(List<String> inFlight, boolean crowded, List<String> ids) {}

  /**
   * A row that waits behind none but those before it in its group.
   *
   * @param place how many of the chain are before it
   */
  private record Next(String row, String group, long createdAt, Chain chain, int place) {
    String id() {
      return chain.ids().get(place);
    }

    Stream<String> before() {
      return Stream.concat(chain.inFlight().stream(), chain.ids().subList(0, place).stream());
    }
  }

  /**
   * What one look saw.
   *
   * @param left what no poll has taken yet
   * @param whole whether there was nothing else to claim
   * @param ended by the ticker
   * @param at the database's time then, in microseconds
   * @param second the time by the clock of the queue
   * @param clock what that clock said, if it is not the database's
   */
  private record Look(
      List<Next> left, boolean whole, long ended, long at, long second, @Nullable Long clock) {
    static final Look NONE = new Look(List.of(), false, 0, 0, 0, null);

    Look with(List<Next> rest) {
      return new Look(rest, whole, ended, at, second, clock);
    }

    boolean mayServe(int max) {
      return whole || left.stream().map(Next::group).distinct().limit(max).count() == max;
    }
  }

  Lookahead(Session session, String queue, int rows, LongSupplier nanos) {
    this.session = session;
    this.queue = queue;
    this.rows = rows;
    this.nanos = nanos;
  }

  /** A poll has ended. */
  synchronized void polled(int taken) {
    lastEnded = nanos.getAsLong();
    lastTook = taken > 0;
  }

  /** What was remembered gave nothing. */
  synchronized void forget() {
    look = Look.NONE;
    served = 0;
  }

  /**
   * The first parameters of {@link ClaimSql#REMEMBERED} for a poll of so many; empty when it has to
   * look for itself.
   *
   * @param now as the clock of the queue has it; null for the database's
   */
  List<@Nullable Object> next(@Nullable Long now, int max) {
    List<@Nullable Object> lead = take(now, max);
    if (!lead.isEmpty() || !begin()) {
      return lead;
    }
    try {
      Look seen = look(ClaimSql.Ahead.OLDEST, now);
      become(seen.mayServe(max) ? seen : look(ClaimSql.Ahead.EVERY_GROUP, now));
    } catch (QueueException e) {
      // A pass of another kind may succeed where this one did not; if not, it tells why.
      log.debug("no look ahead queue={} reason=\"{}\"", queue, e.getMessage());
      become(Look.NONE);
    } finally {
      end();
    }
    return take(now, max);
  }

  private record Row(
      String row,
      String id,
      String group,
      long createdAt,
      String head,
      List<String> inFlight,
      boolean crowded,
      long at,
      long second,
      boolean whole) {
    static Row read(ResultSet row) throws SQLException {
      return new Row(
          row.getString(1),
          row.getString(2),
          row.getString(3),
          row.getLong(4),
          row.getString(5),
          texts(row.getArray(6)),
          row.getBoolean(7),
          row.getLong(8),
          row.getLong(9),
          row.getBoolean(10));
    }

    private static List<String> texts(@Nullable Array array) throws SQLException {
      return array == null ? List.of() : List.of((String[]) array.getArray());
    }
  }

  private Look look(ClaimSql.Ahead ahead, @Nullable Long now) {
    List<Row> found = session.queryAtOnce("poll", ahead.look(rows), Row::read, queue, queue, now);
    if (found.isEmpty()) {
      return Look.NONE;
    }
    Map<String, Chain> chains = new HashMap<>();
    List<Next> left = new ArrayList<>();
    for (Row row : found) {
      Chain chain =
          chains.computeIfAbsent(
              row.head(), head -> new Chain(row.inFlight(), row.crowded(), new ArrayList<>()));
      left.add(new Next(row.row(), row.group(), row.createdAt(), chain, chain.ids().size()));
      chain.ids().add(row.id());
    }
    Row any = found.get(0);
    return new Look(left, any.whole(), nanos.getAsLong(), any.at(), any.second(), now);
  }

  private synchronized boolean begin() {
    long now = nanos.getAsLong();
    boolean soon = lastTook && now - lastEnded < REMEMBERED_NANOS;
    long pause = Math.max(SHORTEST_PAUSE_NANOS, lookTook * TIMES_AS_LONG);
    boolean paused = served < WORTH && now - lastLook < pause;
    if (looking || !soon || paused) {
      return false;
    }
    looking = true;
    lastLook = now;
    return true;
  }

  private synchronized void become(Look seen) {
    look = seen;
    served = 0;
  }

  private synchronized void end() {
    looking = false;
    lookTook = nanos.getAsLong() - lastLook;
  }

  /** One of a group, in order: as many as a poll asks for, or all there are. */
  private synchronized List<@Nullable Object> take(@Nullable Long now, int max) {
    boolean counts =
        nanos.getAsLong() - look.ended() < FRESH_NANOS && Objects.equals(now, look.clock());
    if (!counts || look.left().isEmpty() || !look.mayServe(max)) {
      return List.of();
    }
    Set<String> groups = new HashSet<>();
    List<Next> some = new ArrayList<>();
    List<Next> rest = new ArrayList<>();
    for (Next next : look.left()) {
      (some.size() < max && groups.add(next.group()) ? some : rest).add(next);
    }
    look = look.with(rest);
    served++;
    return lead(look, some);
  }

  private List<@Nullable Object> lead(Look look, List<Next> some) {
    List<Long> places = new ArrayList<>();
    List<String> before = new ArrayList<>();
    for (int i = 0; i < some.size(); i++) {
      long place = i + 1L;
      some.get(i)
          .before()
          .forEach(
              id -> {
                places.add(place);
                before.add(id);
              });
    }
    return Arrays.asList(
        queue,
        look.clock(),
        look.at() + REMEMBERED_NANOS / 1_000,
        some.stream().map(Next::row).toArray(String[]::new),
        some.stream().map(Next::id).toArray(String[]::new),
        some.stream().map(Next::group).toArray(String[]::new),
        some.stream().map(Next::createdAt).toArray(Long[]::new),
        some.stream().map(next -> next.chain().crowded()).toArray(Boolean[]::new),
        look.second() - MARGIN_SECONDS,
        places.toArray(Long[]::new),
        before.toArray(String[]::new));
  }
}
