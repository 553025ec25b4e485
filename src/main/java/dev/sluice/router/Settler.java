package dev.sluice.router;

import dev.sluice.queue.Queue;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Settles in groups: whatever came in while one round of statements ran goes into the next. What
 * fails is kept, in order, and tried again.
 *
 * <p>Owned by the router's thread, but for the round itself.
 */
final class Settler {
  /** How long a lone settlement waits for company. */
  static final Duration LINGER = Duration.ofMillis(2);

  private static final int ROUND = 1_000;
  private static final int COMPANY = 100;
  private static final int TRIES = 5;

  private final Queue queue;
  private final Time time;
  private final Executor core;
  private final Executor statements;
  private final Events events;
  private final Listener listener;
  private final Deque<Settlement> pending = new ArrayDeque<>();
  private final Map<Settlement, Integer> faults = new HashMap<>();
  private final Outage backoff = new Outage(Duration.ofMillis(100), Duration.ofSeconds(5));
  private List<Settlement> underWay = List.of();
  private Time.Timer timer = () -> {};
  private boolean timed;
  private boolean hurried;
  private boolean lastCall;

  /** Learns what came of settlements, on the router's thread. */
  interface Listener {
    /**
     * A settlement is over.
     *
     * @param stale whether its claim held nothing
     */
    void settled(Settlement settlement, boolean stale);

    /** A settlement was given up: its claim is left to lapse. */
    void leftToLapse(Settlement settlement);

    /** Every result of a round has been told. */
    void roundOver();
  }

  Settler(
      Queue queue,
      Time time,
      Executor core,
      Executor statements,
      Events events,
      Listener listener) {
    this.queue = queue;
    this.time = time;
    this.core = core;
    this.statements = statements;
    this.events = events;
    this.listener = listener;
  }

  void submit(Settlement settlement) {
    pending.add(settlement);
    schedule();
  }

  /** From now on nothing waits for company. */
  void hurry() {
    hurried = true;
    if (!backoff.isOn()) {
      runNow();
    }
  }

  /** What waits is tried once more now, and nothing again. */
  void lastCall() {
    lastCall = true;
    runNow();
  }

  boolean isIdle() {
    return pending.isEmpty() && underWay.isEmpty();
  }

  /** How many settlements are not committed. */
  int backlog() {
    return pending.size() + underWay.size();
  }

  /** Tells of each message that waits for its settlement. */
  void each(Consumer<Held> visitor) {
    pending.forEach(s -> visitor.accept(s.message()));
    underWay.forEach(s -> visitor.accept(s.message()));
  }

  private void schedule() {
    if (!underWay.isEmpty() || pending.isEmpty()) {
      return;
    }
    if (backoff.isOn() && !lastCall) {
      runAfter(backoff.delay());
    } else if (hurried || pending.size() >= COMPANY) {
      runNow();
    } else {
      runAfter(LINGER);
    }
  }

  private void runAfter(Duration delay) {
    if (!timed) {
      timed = true;
      timer = time.after(delay, () -> core.execute(this::runNow));
    }
  }

  private void runNow() {
    timer.cancel();
    timed = false;
    if (!underWay.isEmpty() || pending.isEmpty()) {
      return;
    }
    List<Settlement> round = new ArrayList<>(Math.min(pending.size(), ROUND));
    while (round.size() < ROUND && !pending.isEmpty()) {
      round.add(pending.remove());
    }
    underWay = round;
    statements.execute(
        () -> {
          List<SettlementRound.Result> results = SettlementRound.run(queue, round);
          core.execute(() -> over(results));
        });
  }

  private void over(List<SettlementRound.Result> results) {
    List<Settlement> failed = new ArrayList<>();
    Set<OrderedGroup<Held>> left = new HashSet<>();
    String cause = "";
    for (SettlementRound.Result result : results) {
      if (result instanceof SettlementRound.Failed failure) {
        cause = failure.cause();
        Optional<OrderedGroup<Held>> group = failure.settlement().message().group();
        if (isWorthKeeping(failure) && !(group.isPresent() && left.contains(group.get()))) {
          failed.add(failure.settlement());
        } else {
          // What goes back behind it has to lapse behind it as well.
          group.ifPresent(left::add);
          leave(failure);
        }
      } else {
        faults.remove(result.settlement());
        listener.settled(result.settlement(), result instanceof SettlementRound.Stale);
      }
    }
    underWay = List.of();
    for (int i = failed.size() - 1; i >= 0; i--) {
      pending.addFirst(failed.get(i));
    }
    noteHealth(failed.size(), cause);
    schedule();
    listener.roundOver();
  }

  private void leave(SettlementRound.Failed failure) {
    faults.remove(failure.settlement());
    events.leftToLapse(failure.settlement().message(), failure.cause());
    listener.leftToLapse(failure.settlement());
  }

  private boolean isWorthKeeping(SettlementRound.Failed failure) {
    if (lastCall) {
      return false;
    }
    return !failure.atFault() || faults.merge(failure.settlement(), 1, Integer::sum) < TRIES;
  }

  private void noteHealth(int failed, String cause) {
    if (failed == 0) {
      if (backoff.succeeded()) {
        events.settlingResumed();
      }
    } else if (backoff.failed()) {
      events.settlingFails(failed, cause);
    }
  }
}
