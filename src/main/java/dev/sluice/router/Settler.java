package dev.sluice.router;

import dev.sluice.queue.Queue;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final Queue queue;
  private final Time time;
  private final Executor core;
  private final Executor statements;
  private final Events events;
  private final Listener listener;
  private final Deque<Settlement> pending = new ArrayDeque<>();
  private final Set<Settlement> parked = new LinkedHashSet<>();
  private final Map<Settlement, Integer> faults = new HashMap<>();
  private final Outage outage = new Outage(Duration.ofMillis(100), Duration.ofSeconds(5));
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
    if (!outage.isOn()) {
      runNow();
    }
  }

  /** What waits is tried once more now, and nothing again. */
  void lastCall() {
    lastCall = true;
    pending.addAll(parked);
    parked.clear();
    runNow();
  }

  boolean isIdle() {
    return pending.isEmpty() && underWay.isEmpty() && parked.isEmpty();
  }

  /** Whether the last round was not cut off from the database. */
  boolean reachesDatabase() {
    return !outage.isOn();
  }

  /** How many settlements are not committed. */
  int backlog() {
    return pending.size() + underWay.size() + parked.size();
  }

  /** Tells of each message that waits for its settlement. */
  void each(Consumer<Held> visitor) {
    pending.forEach(s -> visitor.accept(s.message()));
    underWay.forEach(s -> visitor.accept(s.message()));
    parked.forEach(s -> visitor.accept(s.message()));
  }

  private void schedule() {
    if (!underWay.isEmpty() || pending.isEmpty()) {
      return;
    }
    if (outage.isOn() && !lastCall) {
      runAfter(outage.delay());
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
    underWay = List.of();
    List<SettlementRound.Failed> cutOff = new ArrayList<>();
    List<SettlementRound.Failed> refused = new ArrayList<>();
    for (SettlementRound.Result result : results) {
      if (!(result instanceof SettlementRound.Failed failed)) {
        forgetFaults(result.settlement());
        listener.settled(result.settlement(), result instanceof SettlementRound.Stale);
      } else if (lastCall) {
        leave(failed);
      } else {
        (failed.connection() ? cutOff : refused).add(failed);
      }
    }
    keep(cutOff);
    park(refused);
    schedule();
    listener.roundOver();
  }

  /** Without a connection everything waits, in its order. */
  private void keep(List<SettlementRound.Failed> cutOff) {
    for (int i = cutOff.size() - 1; i >= 0; i--) {
      pending.addFirst(cutOff.get(i).settlement());
    }
    if (cutOff.isEmpty()) {
      if (outage.succeeded()) {
        events.settlingResumed();
      }
    } else if (outage.failed()) {
      events.settlingFails(cutOff.size(), cutOff.get(0).cause());
    }
  }

  /** What the database refuses waits aside: all others go on, and its group stays closed. */
  private void park(List<SettlementRound.Failed> refused) {
    if (refused.isEmpty()) {
      return;
    }
    List<Settlement> batch = refused.stream().map(SettlementRound.Failed::settlement).toList();
    int most = 0;
    for (Settlement settlement : batch) {
      most = Math.max(most, faults.merge(settlement, 1, Integer::sum));
    }
    events.settlementsRefused(batch.size(), refused.get(0).cause());
    parked.addAll(batch);
    Time.Timer unused = time.after(pause(most), () -> core.execute(() -> unpark(batch)));
  }

  private void unpark(List<Settlement> batch) {
    for (Settlement settlement : batch) {
      if (parked.remove(settlement)) {
        pending.add(settlement);
      }
    }
    schedule();
  }

  private static Duration pause(int faults) {
    Duration doubled = SHORTEST_PAUSE.multipliedBy(1L << Math.min(faults - 1, 20));
    return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
  }

  private void forgetFaults(Settlement settlement) {
    if (!faults.isEmpty()) {
      faults.remove(settlement);
    }
  }

  private void leave(SettlementRound.Failed failed) {
    forgetFaults(failed.settlement());
    events.leftToLapse(failed.settlement().message(), failed.cause());
    listener.leftToLapse(failed.settlement());
  }
}
