package dev.sluice.router;

import dev.sluice.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The messages whose turn it is: they wait for a worker, are being delivered, or wait for their
 * next call. At most {@code concurrency} are being delivered; a wait holds no worker.
 *
 * <p>Owned by the router's thread.
 */
final class Pool {

  /**
   * A message between two calls.
   *
   * @param dueAt when its next call is due, in {@code Time.nanos}
   */
  record Wait(Held message, long dueAt, Time.Timer timer) {}

  private final int concurrency;
  private final Time time;
  private final Executor core;
  private final Consumer<Held> deliver;
  private final Deque<Held> ready = new ArrayDeque<>();
  private final Set<Held> delivering = new LinkedHashSet<>();
  private final Map<Held, Wait> waiting = new LinkedHashMap<>();

  /**
   * @param deliver starts one delivery; must not block
   */
  Pool(int concurrency, Time time, Executor core, Consumer<Held> deliver) {
    this.concurrency = concurrency;
    this.time = time;
    this.core = core;
    this.deliver = deliver;
  }

  void add(Held message) {
    ready.add(message);
  }

  /** Starts as many deliveries as there are workers for. */
  void startDeliveries() {
    while (delivering.size() < concurrency && !ready.isEmpty()) {
      Held message = ready.remove();
      delivering.add(message);
      deliver.accept(message);
    }
  }

  /**
   * A delivery has ended.
   *
   * @return whether it was running here
   */
  boolean finished(Held message) {
    return delivering.remove(message);
  }

  boolean isDelivering(Held message) {
    return delivering.contains(message);
  }

  /** Calls the message again after the delay, before those that were never called. */
  void callAgainAfter(Held message, Duration delay) {
    long dueAt = time.nanos() + delay.toNanos();
    Time.Timer timer = time.after(delay, () -> core.execute(() -> due(message)));
    waiting.put(message, new Wait(message, dueAt, timer));
  }

  private void due(Held message) {
    Wait wait = waiting.get(message);
    if (wait != null && wait.dueAt() - time.nanos() <= 0) {
      waiting.remove(message);
      ready.addFirst(message);
      startDeliveries();
    }
  }

  /** Takes out a message that is not being delivered, if it is here. */
  void forget(Held message) {
    Wait wait = waiting.remove(message);
    if (wait == null) {
      ready.remove(message);
    } else {
      wait.timer().cancel();
    }
  }

  /** Takes out the messages that wait for a worker, in order. */
  List<Held> takeReady() {
    List<Held> all = new ArrayList<>(ready);
    ready.clear();
    return all;
  }

  /** Takes out the messages that wait for their next call. */
  List<Wait> takeWaiting() {
    List<Wait> all = new ArrayList<>(waiting.values());
    all.forEach(w -> w.timer().cancel());
    waiting.clear();
    return all;
  }

  /** Takes out the messages that are being delivered; what comes of them is ignored. */
  List<Held> takeDelivering() {
    List<Held> all = new ArrayList<>(delivering);
    delivering.clear();
    return all;
  }

  Collection<Held> ready() {
    return ready;
  }

  Collection<Held> delivering() {
    return delivering;
  }

  Collection<Held> waiting() {
    return waiting.keySet();
  }
}
