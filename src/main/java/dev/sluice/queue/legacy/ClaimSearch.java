package dev.sluice.queue.legacy;

import dev.sluice.queue.QueueException;
import dev.sluice.queue.jdbc.ClaimMark;
import dev.sluice.queue.legacy.ClaimSql.Candidates;
import dev.sluice.queue.legacy.ClaimSql.Rest;
import dev.sluice.queue.legacy.GroupRound.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a poll looks, one statement after the other, until it has what it asks for or has looked at
 * as much as it may. Thread-safe.
 *
 * <p>With the claim indexes: at the oldest rows, then at the next groups of a round that the polls
 * of this queue make together. So no poll costs more than its budget, each claimable group's turn
 * comes, and a poll that finds nothing and has not been everywhere says so.
 */
final class ClaimSearch {
  /**
   * How much a poll looks at.
   *
   * @param rows of the oldest rows at least, a power of two
   * @param rowsAMessage and for each message that it asks for
   * @param groups how many groups at a time, when the first few gave nothing
   * @param times how often, then
   */
  record Budgets(int rows, int rowsAMessage, int groups, int times) {
    static final Budgets DEFAULT = new Budgets(128, 4, 1_024, 4);
    private static final int MOST_ROWS = 16_384;

    int rowsFor(long messages) {
      long wanted = Math.min(MOST_ROWS, messages * rowsAMessage);
      return wanted <= rows ? rows : Math.toIntExact(Long.highestOneBit(wanted * 2 - 1));
    }
  }

  /** A row that a statement took. */
  interface Taken {
    String group();

    String id();

    long createdAt();

    /** Whether it comes for the first time. */
    boolean isNew();
  }

  /**
   * Where a statement on the oldest rows found the first one, or one on groups stopped.
   *
   * @param at created_at or a hash; null where there was none
   * @param lateAt visible_at
   */
  record Place(@Nullable Long at, @Nullable String id, @Nullable Long lateAt) {
    static final Place FRONT = new Place(Long.MIN_VALUE, "", Long.MIN_VALUE);

    /** This one; where it tells nothing, that one. */
    Place or(Place that) {
      return at == null || id == null ? new Place(that.at, that.id, lateAt) : this;
    }
  }

  /**
   * Where polls begin.
   *
   * @param frontAt when the walk from the front began that saw all that was before it
   */
  record Mark(Place place, long frontAt) {}

  /** What a statement took. */
  record Found<T>(List<T> rows, Rest rest, Place place) {}

  /**
   * What a poll took.
   *
   * @param inDoubt whether there may be more although it took nothing
   * @param pieced whether several statements took it, each in its order
   */
  record Outcome<T>(List<T> rows, boolean inDoubt, boolean pieced) {}

  /** Runs a statement on candidates. */
  interface Take<T extends Taken, X extends Exception> {
    /**
     * Takes the first of these candidates.
     *
     * @param lead the first parameters
     * @param limit how many to take at most
     */
    Found<T> take(Statements statements, List<@Nullable Object> lead, long limit) throws X;
  }

  /** What may be done with candidates; to claim and to lock may take several commands. */
  record Statements(String claim, String lockGroups, String peek) {
    // A plan made while the table was tiny reads all of it, or all that an index not made for this
    // gives it, and is kept while it grows.
    private static final String BY_INDEX =
        "SET LOCAL enable_seqscan TO off; SET LOCAL enable_bitmapscan TO off; ";

    static Statements byIndex(Candidates candidates, boolean exclusive) {
      Statements statements = of(candidates, true, exclusive);
      return new Statements(
          BY_INDEX + statements.claim, BY_INDEX + statements.lockGroups, statements.peek);
    }

    static Statements of(Candidates candidates, boolean indexed, boolean exclusive) {
      return new Statements(
          ClaimSql.claim(candidates),
          ClaimSql.lockGroups(candidates, indexed),
          ClaimSql.peek(candidates, exclusive ? ClaimSql.nothingInFlight(indexed) : "true"));
    }
  }

  private record Form(String name, int size) {}

  // One poll in so many looks at groups first while the oldest rows are not in order of age.
  private static final int ASIDE = 16;
  private static final int SHARE_ASIDE = 4;
  // How late a row may be committed, or the clock be that dated it, and still hold back its group.
  private static final long LATEST_SECONDS = 5;

  private final String queue;
  private final boolean exclusive;
  private final Budgets budgets;
  private final Statements plain;
  private final Statements allIndexed;
  private final Statements allPlain;
  private final Map<Form, Statements> indexed = new ConcurrentHashMap<>();
  private final GroupRound round = new GroupRound();
  private final ClaimMark<Mark> mark;
  private final LongSupplier nanos;
  private Place lastSeen = Place.FRONT;
  private int pollsInDisorder;

  ClaimSearch(
      String queue,
      boolean exclusive,
      Budgets budgets,
      int plainRows,
      LongSupplier nanos,
      long quickNanos) {
    this.nanos = nanos;
    this.queue = queue;
    this.exclusive = exclusive;
    this.budgets = budgets;
    this.mark = new ClaimMark<>(quickNanos);
    this.plain = Statements.of(ClaimSql.plain(plainRows), false, exclusive);
    this.allPlain = Statements.of(ClaimSql.ALL, false, exclusive);
    this.allIndexed = Statements.of(ClaimSql.ALL, true, exclusive);
  }

  /** Looks until {@code max} are taken, or the budget is spent. */
  <T extends Taken, X extends Exception> Outcome<T> search(
      @Nullable Long now, boolean isIndexed, int max, Take<T, X> take) throws X {
    List<T> rows = new ArrayList<>();
    AtomicInteger pieces = new AtomicInteger();
    Take<T, X> counted =
        (statements, lead, limit) -> {
          Found<T> found = take.take(statements, lead, limit);
          pieces.addAndGet(found.rows().isEmpty() ? 0 : 1);
          return found;
        };
    try {
      boolean everywhere = look(now, isIndexed, max, counted, rows);
      // Each statement gives what it takes in order, and ids are the database's to compare.
      rows.sort(Comparator.comparingLong(Taken::createdAt));
      return new Outcome<>(rows, !everywhere && rows.isEmpty(), pieces.get() > 1);
    } catch (QueueException e) {
      if (rows.isEmpty()) {
        throw e;
      }
      // Rows are claimed: they must reach the caller. The next poll meets the failure.
      return new Outcome<>(rows, false, pieces.get() > 1);
    } finally {
      // What was claimed may have let its successors come forward where we have been already.
      if (!rows.isEmpty()) {
        round.beginAnew();
      }
    }
  }

  /** Whether nothing is left to be looked at. */
  private <T extends Taken, X extends Exception> boolean look(
      @Nullable Long now, boolean isIndexed, int max, Take<T, X> take, List<T> rows) throws X {
    long began = nanos.getAsLong();
    Mark from = isIndexed ? mark.begin(began) : null;
    // The probes of other statements pass all that is gone, of each group.
    int aside = isIndexed && from == null ? aside(max) : 0;
    if (aside > 0) {
      for (Kind kind : round.inTurn(List.of(Kind.values()))) {
        lookAtGroups(kind, budgets.rowsFor(max), now, aside, take, rows);
      }
    }
    if (rows.size() >= max) {
      return true;
    }
    Found<T> near = walk(now, isIndexed, from, max, take, rows);
    try {
      return lookFurther(now, isIndexed, from, near, max, take, rows);
    } finally {
      if (isIndexed && from == null) {
        long ended = nanos.getAsLong();
        mark.tookInAll(ended - began, ended);
      }
    }
  }

  /** Looks at the oldest rows. */
  private <T extends Taken, X extends Exception> Found<T> walk(
      @Nullable Long now,
      boolean isIndexed,
      @Nullable Mark from,
      int max,
      Take<T, X> take,
      List<T> rows)
      throws X {
    long began = nanos.getAsLong();
    Found<T> near =
        take.take(
            near(isIndexed, max), nearLead(now, isIndexed, from, rows), (long) max - rows.size());
    rows.addAll(near.rows());
    if (isIndexed) {
      long ended = nanos.getAsLong();
      Mark seen = new Mark(seen(near), from == null ? began : from.frontAt());
      // What is claimable may have come before the mark: a walk from there that took nothing is
      // followed by one from the front. And where all is to be looked at, nothing was seen yet.
      boolean inVain = near.rest() == Rest.ALL || (from != null && near.rows().isEmpty());
      mark.claimed(
          from,
          inVain ? Optional.empty() : Optional.of(seen),
          near.rows().size(),
          ended - began,
          ended);
    }
    return near;
  }

  // What is committed since the front was looked at is dated then, or later, or so much earlier.
  private long reach(Mark from) {
    long since = nanos.getAsLong() - from.frontAt();
    return LATEST_SECONDS + 1 + TimeUnit.NANOSECONDS.toSeconds(since);
  }

  /** Whether nothing is left to be looked at. */
  private <T extends Taken, X extends Exception> boolean lookFurther(
      @Nullable Long now,
      boolean isIndexed,
      @Nullable Mark from,
      Found<T> near,
      int max,
      Take<T, X> take,
      List<T> rows)
      throws X {
    Rest rest = near.rest();
    if (rows.size() >= max || rest == Rest.NONE) {
      return from == null;
    }
    if (rest == Rest.ALL) {
      List<@Nullable Object> lead = allLead(now, near.rows(), rows);
      rows.addAll(take.take(all(isIndexed), lead, (long) max - rows.size()).rows());
      return true;
    }
    if (from != null) {
      return false;
    }
    round.lookedAtFront();
    List<Kind> kinds =
        round.inTurn(rest == Rest.IDLE ? List.of(Kind.IDLE) : List.of(Kind.values()));
    for (Kind kind : kinds) {
      lookAtGroups(kind, budgets.rowsFor(max), now, max, take, rows);
    }
    for (Kind kind : kinds) {
      for (int i = 0; i < budgets.times() && rows.isEmpty() && !round.isOver(kind); i++) {
        lookAtGroups(kind, budgets.groups(), now, max, take, rows);
      }
    }
    return round.hasBeenEverywhere(kinds);
  }

  private <T extends Taken, X extends Exception> void lookAtGroups(
      Kind kind, int groups, @Nullable Long now, int max, Take<T, X> take, List<T> rows) throws X {
    if (rows.size() >= max) {
      return;
    }
    GroupRound.Stop from = round.next(kind);
    long limit = (long) max - rows.size();
    List<@Nullable Object> lead = Arrays.asList(queue, now, from.hash(), limit, groups(rows));
    Found<T> found = take.take(groups(kind, groups), lead, limit);
    rows.addAll(found.rows());
    Long last = found.place().at();
    round.lookedAt(kind, from, last == null ? from.hash() : last, found.rest() == Rest.NONE);
  }

  /** How many of {@code max} the next poll takes from the round before it looks at the oldest. */
  private synchronized int aside(int max) {
    if (pollsInDisorder < ASIDE) {
      return 0;
    }
    pollsInDisorder = 0;
    return Math.max(1, max / SHARE_ASIDE);
  }

  // What came back is looked at by the time at which it did: older rows may hide behind it, and new
  // ones behind blocked ones that are older than all that comes back. Both must not starve.
  private synchronized <T extends Taken> Place seen(Found<T> near) {
    boolean disorder =
        near.rest() == Rest.IDLE_AND_LAPSED
            || (near.rest() == Rest.IDLE && near.rows().stream().noneMatch(Taken::isNew));
    pollsInDisorder = disorder ? pollsInDisorder + 1 : 0;
    lastSeen = near.place().or(lastSeen);
    return lastSeen;
  }

  private static <T extends Taken> String[] groups(List<T> rows) {
    return rows.stream().map(Taken::group).toArray(String[]::new);
  }

  // ---- statements and their first parameters

  Statements near(boolean isIndexed, int max) {
    return isIndexed ? form("near", budgets.rowsFor(max), IndexedClaimSql::near) : plain;
  }

  <T extends Taken> List<@Nullable Object> nearLead(
      @Nullable Long now, boolean isIndexed, @Nullable Mark from, List<T> rows) {
    List<@Nullable Object> lead = lead(now, isIndexed, from);
    if (isIndexed) {
      lead.add(groups(rows));
    }
    return lead;
  }

  /**
   * What a second look at rows begins with; the last mark is as good for it as that of the first.
   */
  List<@Nullable Object> lockedLead(@Nullable Long now, boolean isIndexed) {
    return lead(now, isIndexed, isIndexed ? mark.begin(nanos.getAsLong()) : null);
  }

  private List<@Nullable Object> lead(@Nullable Long now, boolean isIndexed, @Nullable Mark from) {
    List<@Nullable Object> lead = new ArrayList<>(Arrays.asList(queue, now));
    if (isIndexed) {
      Place place = from == null ? Place.FRONT : from.place();
      lead.addAll(Arrays.asList(place.at(), place.id(), place.lateAt()));
      lead.add(from == null ? 0L : reach(from));
    }
    return lead;
  }

  Statements all(boolean isIndexed) {
    return isIndexed ? allIndexed : allPlain;
  }

  // All that comes before the last of the oldest ones was looked at with them.
  <T extends Taken> List<@Nullable Object> allLead(
      @Nullable Long now, List<T> oldest, List<T> rows) {
    T last = oldest.isEmpty() ? null : oldest.get(oldest.size() - 1);
    return Arrays.asList(
        queue,
        now,
        groups(rows),
        last == null ? null : last.createdAt(),
        last == null ? null : last.id());
  }

  private Statements groups(Kind kind, int groups) {
    return kind == Kind.IDLE
        ? form("idle", groups, IndexedClaimSql::idleGroups)
        : form("lapsed", groups, IndexedClaimSql::lapsedGroups);
  }

  private Statements form(String name, int size, Function<Integer, Candidates> candidates) {
    return indexed.computeIfAbsent(
        new Form(name, size), form -> Statements.byIndex(candidates.apply(size), exclusive));
  }
}
