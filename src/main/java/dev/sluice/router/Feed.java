package dev.sluice.router;

import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueClosedException;
import dev.sluice.queue.QueueException;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * Polls one queue, one poll at a time: at once while it gives, each interval while it does not, and
 * never for more than there is room for.
 *
 * <p>Owned by the router's thread, but for the poll itself.
 */
final class Feed {
  private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(30);
  private static final Duration SHORTEST_GAP = Duration.ofMillis(5);
  private static final Duration FOR_MORE_ROOM = Duration.ofMillis(50);
  private static final int FAILURES_TO_TELL = 3;
  private static final String OUT_OF_MEMORY = "53200";

  /**
   * One poll.
   *
   * @param number from 1, in the order in which they began
   * @param beganAt in {@code Time.nanos}
   */
  record Poll(long number, long beganAt) {}

  /** What a feed brings in and asks; called on the router's thread. */
  interface Taker {
    /** How many messages there is room for in the pools that the queue feeds. */
    int room();

    /** Whether that is worth a statement now, or more should be waited for. */
    boolean hasMuchRoom();

    /** How many messages there is room for in other pools: the queue may have some for them. */
    int roomElsewhere();

    /**
     * A poll begins.
     *
     * @param max how many messages it may bring in
     */
    void beginning(Poll poll, int max);

    /**
     * A poll has ended; a failed one has taken nothing.
     *
     * @param blocked the groups among them that quarantine blocks
     */
    void polled(Poll poll, PollResult result, Set<String> blocked);

    /** There is some room: it goes to whoever waits for it longest. */
    void pollInTurn();

    /** The queue may have more, if there is room. */
    void mayHaveMore();

    /** The last poll was empty, and the next comes after the interval. */
    void idle(Poll poll, PollResult result);

    /** Polls fail, again and again, and not because the database is away. */
    void keepsFailing(Throwable cause);

    /** The queue was closed by its owner. */
    void closed();
  }

  private final Queue queue;
  private final RouterOptions options;
  private final Time time;
  private final Executor core;
  private final Executor polls;
  private final Events events;
  private final Taker taker;
  private final Outage backoff;

  /** How many messages one poll asks for at most; less than the batch once they did not fit. */
  private int ceiling;

  private int failuresInARow;
  private long lastBegun;
  private long lastPolledAt;
  private long lastLookedBeyond;
  private long takenSinceLook;
  private boolean looksBeyond;
  private long lastEnded;
  private long timersSet;
  private boolean on;
  private boolean underWay;
  private boolean wakened;
  private boolean timed;
  private boolean awaitsRoom;
  private boolean seesNoRoom;
  private boolean ringsSoon;
  private boolean looksOn;
  private Time.Timer timer = () -> {};

  Feed(
      Queue queue,
      RouterOptions options,
      Time time,
      Executor core,
      Executor polls,
      Events events,
      Taker taker) {
    this.queue = queue;
    this.options = options;
    this.time = time;
    this.core = core;
    this.polls = polls;
    this.events = events;
    this.taker = taker;
    this.ceiling = options.batch();
    this.lastPolledAt = time.nanos();
    this.lastLookedBeyond = lastPolledAt;
    this.backoff = new Outage(options.pollInterval(), max(LONGEST_BACKOFF, options.pollInterval()));
  }

  void start() {
    on = true;
    pollIfRoom();
  }

  /** Begins no further poll; one under way still comes in. */
  void stop() {
    on = false;
    cancelTimer();
  }

  /** Whether the last poll that ended has succeeded. */
  boolean succeeds() {
    return lastEnded > 0 && !backoff.isOn();
  }

  boolean isUnderWay() {
    return underWay;
  }

  long lastBegun() {
    return lastBegun;
  }

  /** The last poll that has come in. */
  long lastEnded() {
    return lastEnded;
  }

  /**
   * There may be more room than before. A little room waits a moment for more: one row per
   * statement would be the price of polling for each slot that becomes free.
   */
  void pollIfRoom() {
    if (!on || underWay || (timed && !awaitsRoom)) {
      return;
    }
    int room = taker.room();
    if (room > 0 && taker.hasMuchRoom()) {
      cancelTimer();
      poll(room, roomBeyond());
    } else if (!timed || (room > 0 && seesNoRoom)) {
      cancelTimer();
      awaitsRoom = true;
      seesNoRoom = room <= 0;
      pollAfter(seesNoRoom ? options.pollInterval() : FOR_MORE_ROOM);
    }
  }

  /** There may be something to claim now: an idle queue is polled without waiting. */
  void wake() {
    if (underWay) {
      wakened = true;
    } else if (timed && !looksOn && !backoff.isOn()) {
      cancelTimer();
      pollIfRoom();
    }
  }

  /**
   * As {@link #wake}, but not more often than every few milliseconds. Who asks again before that
   * does not put it off; and who waits for room has no use for it.
   */
  void wakeSoon() {
    if (underWay) {
      wakened = true;
    } else if (timed && !awaitsRoom && !ringsSoon && !looksOn && !backoff.isOn()) {
      cancelTimer();
      ringsSoon = true;
      pollAfter(SHORTEST_GAP);
    }
  }

  /**
   * @param beyond what waits in front may all be for pools with little room or none, and behind it
   *     some for others: so many more are asked for, and what finds no room is sent away
   */
  private void poll(int room, int beyond) {
    int max = Math.min(room + beyond, ceiling);
    looksBeyond = beyond > 0;
    if (looksBeyond) {
      lookedBeyond();
    }
    Poll poll = new Poll(++lastBegun, time.nanos());
    lastPolledAt = poll.beganAt();
    underWay = true;
    wakened = false;
    taker.beginning(poll, max);
    polls.execute(
        () -> {
          try {
            PollResult result = queue.poll(max);
            Set<String> blocked = blockedAmong(result);
            core.execute(() -> succeeded(poll, result, blocked));
          } catch (Throwable e) {
            core.execute(() -> failed(poll, e));
          }
        });
  }

  /**
   * Once in an interval, so that a backlog is sent away a batch at a time; and not at all while the
   * queue is walked that fast anyway.
   */
  private int roomBeyond() {
    if (time.nanos() - lastLookedBeyond < options.pollInterval().toNanos()) {
      return 0;
    }
    if (takenSinceLook >= ceiling) {
      lookedBeyond();
      return 0;
    }
    return Math.max(0, taker.roomElsewhere());
  }

  private void lookedBeyond() {
    lastLookedBeyond = time.nanos();
    takenSinceLook = 0;
  }

  // Asked after the claim: whatever blocked a group before this claim of it is seen.
  private Set<String> blockedAmong(PollResult result) {
    if (options.onBlock() == RouterOptions.OnBlock.ACK) {
      return Set.of();
    }
    Set<String> ordered = new HashSet<>();
    result.deliveries().stream()
        .filter(d -> Groups.key(d).isPresent())
        .forEach(d -> ordered.add(d.claimGroup()));
    if (ordered.isEmpty()) {
      return Set.of();
    }
    try {
      return queue.blockedGroups(ordered);
    } catch (RuntimeException e) {
      // Unknown: the rejections find out, and give back what is not blocked.
      return ordered;
    }
  }

  private void succeeded(Poll poll, PollResult result, Set<String> blocked) {
    ended(poll);
    failuresInARow = 0;
    if (backoff.succeeded()) {
      events.pollingResumed();
    }
    takenSinceLook += looksBeyond ? 0 : result.taken();
    // It looks on at once, but for half of the time at most: all of it may be blocked.
    boolean looksOnNow = result.taken() == 0 && result.doubt() == PollResult.Doubt.UNSEEN;
    boolean again = result.taken() > 0 || wakened;
    taker.polled(poll, result, blocked);
    if (!on) {
      return;
    }
    if (looksOnNow) {
      long took = time.nanos() - poll.beganAt();
      pollAfter(Duration.ofNanos(Math.max(SHORTEST_GAP.toNanos(), took)));
      looksOn = true;
    } else if (again) {
      taker.mayHaveMore();
    } else {
      pollAfter(options.pollInterval());
      taker.idle(poll, result);
    }
  }

  private void failed(Poll poll, Throwable cause) {
    ended(poll);
    if (cause instanceof QueueClosedException) {
      on = false;
      taker.polled(poll, PollResult.EMPTY, Set.of());
      taker.closed();
      return;
    }
    if (backoff.failed()) {
      events.pollingFails(
          cause instanceof QueueException
              ? String.valueOf(cause.getMessage())
              : cause.getClass().getName());
    }
    taker.polled(poll, PollResult.EMPTY, Set.of());
    if (isOutOfMemory(cause) && ceiling > 1) {
      // So many messages of their size do not fit into our heap: ask for fewer from now on.
      ceiling = Math.max(1, ceiling / 2);
    } else if (!(cause instanceof QueueException failure && failure.isConnectionFailure())
        && ++failuresInARow >= FAILURES_TO_TELL) {
      taker.keepsFailing(cause);
    }
    if (on) {
      pollAfter(backoff.delay());
    }
  }

  private static boolean isOutOfMemory(Throwable cause) {
    return cause instanceof OutOfMemoryError
        || (cause instanceof QueueException failure
            && failure.sqlState().filter(OUT_OF_MEMORY::equals).isPresent());
  }

  private void ended(Poll poll) {
    underWay = false;
    lastEnded = poll.number();
  }

  private void pollAfter(Duration delay) {
    timed = true;
    long set = ++timersSet;
    timer = time.after(delay, () -> core.execute(() -> timerRang(set)));
  }

  private void timerRang(long set) {
    if (!timed || set != timersSet) {
      return;
    }
    boolean patient = awaitsRoom;
    boolean sawNoRoom = seesNoRoom;
    cancelTimer();
    if (patient && on && !underWay) {
      int room = taker.room();
      if (room > 0) {
        awaitsRoom = true;
        taker.pollInTurn();
        awaitsRoom = timed;
      } else if (sawNoRoom && taker.roomElsewhere() > 0) {
        poll(0, taker.roomElsewhere());
        return;
      }
    }
    pollIfRoom();
  }

  /** Whether it waits for more room than there is, though there is some. */
  boolean awaitsRoom() {
    return on && awaitsRoom && !underWay && taker.room() > 0;
  }

  /** When the last poll began, or this was made, in {@code Time.nanos}. */
  long lastPolledAt() {
    return lastPolledAt;
  }

  /** Takes what room there is. */
  void pollNow() {
    cancelTimer();
    poll(taker.room(), roomBeyond());
  }

  private void cancelTimer() {
    timer.cancel();
    timed = false;
    awaitsRoom = false;
    seesNoRoom = false;
    ringsSoon = false;
    looksOn = false;
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
