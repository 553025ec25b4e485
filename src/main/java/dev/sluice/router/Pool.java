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
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The messages of all queues that share a limit: they wait for a worker, are being delivered, or
 * wait for their next call. At most {@code concurrency} are being delivered; a wait holds no
 * worker.
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

  private final Time time;
  private final Executor core;
  private final RouterListener listener;
  private final Deque<Held> ready = new ArrayDeque<>();
  private final Set<Held> delivering = new LinkedHashSet<>();
  private final Map<Held, Wait> waiting = new LinkedHashMap<>();
  private final Reservations reservations;
  private PoolSettings settings;
  private @Nullable TokenBucket bucket;
  private @Nullable Held limited;
  private boolean awaitsToken;
  private int admitted;
  private int expected;

  /**
   * @param maxDeferral for how long a message is sent away at most when there is no room
   */
  Pool(
      PoolSettings settings,
      Duration maxDeferral,
      Time time,
      Executor core,
      RouterListener listener) {
    this.settings = settings;
    this.time = time;
    this.core = core;
    this.listener = listener;
    this.reservations = new Reservations(maxDeferral);
    this.bucket = bucket(settings);
  }

  private @Nullable TokenBucket bucket(PoolSettings settings) {
    return settings.perMinute().isPresent()
        ? new TokenBucket(settings.perMinute().getAsInt(), time.nanos())
        : null;
  }

  /** Works with these settings from now on; what is being delivered goes on. */
  void change(PoolSettings settings) {
    TokenBucket old = bucket;
    if (old != null && settings.perMinute().isPresent()) {
      old.changeRate(settings.perMinute().getAsInt(), time.nanos());
    } else {
      bucket = bucket(settings);
    }
    this.settings = settings;
  }

  PoolSettings settings() {
    return settings;
  }

  String code() {
    return settings.code();
  }

  // --- room

  /**
   * How many messages there is room for beyond those that polls under way may bring in: as many may
   * wait as the pool's capacity is, and one more for each worker.
   */
  int room() {
    return most() - admitted - expected;
  }

  /** Whether one more message may come in. */
  boolean hasRoom() {
    return admitted < most();
  }

  private int most() {
    return settings.capacity() + settings.concurrency();
  }

  /** How many messages are here and not being delivered. */
  int buffered() {
    return admitted - delivering.size();
  }

  /** A poll under way may bring in so many; they are taken back when it is over. */
  void expect(int messages) {
    expected += messages;
  }

  /** A message has a place here until {@link #left}. */
  void admit() {
    admitted++;
  }

  /** A message that was admitted is settled, or somebody else's. */
  void left() {
    admitted--;
    reservations.completed(time.nanos());
  }

  /** In how long a message may come back that finds no room now. */
  Duration reserve() {
    listener.poolFull(code());
    return reservations.reserve(buffered(), time.nanos(), ThreadLocalRandom.current().nextDouble());
  }

  boolean isEmpty() {
    return admitted == 0 && delivering.isEmpty();
  }

  // --- turns

  void add(Held message) {
    ready.add(message);
  }

  /** Starts as many deliveries as there are workers for, and as the rate allows. */
  void startDeliveries() {
    while (delivering.size() < settings.concurrency() && !ready.isEmpty()) {
      Held message = ready.element();
      if (!message.lane().isFlushed(message) && !takeToken(message)) {
        return;
      }
      ready.remove();
      delivering.add(message);
      message.lane().deliver(message);
    }
  }

  private boolean takeToken(Held message) {
    TokenBucket tokens = bucket;
    if (tokens == null || tokens.take(time.nanos())) {
      return true;
    }
    if (limited != message) {
      limited = message;
      listener.rateExceeded(code());
    }
    if (!awaitsToken) {
      awaitsToken = true;
      Duration wait = Duration.ofNanos(tokens.nanosUntilToken(time.nanos()));
      Time.Timer unused = time.after(wait, () -> core.execute(this::tokenIsThere));
    }
    return false;
  }

  private void tokenIsThere() {
    awaitsToken = false;
    startDeliveries();
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

  // --- out again

  /** Takes out a message that is not being delivered, if it is here. */
  void forget(Held message) {
    Wait wait = waiting.remove(message);
    if (wait == null) {
      ready.remove(message);
    } else {
      wait.timer().cancel();
    }
  }

  /** Takes out the messages of a lane that wait for a worker, in order. */
  List<Held> takeReady(Lane lane) {
    return takeOut(ready, lane);
  }

  /** Takes out the messages of a lane that wait for their next call. */
  List<Wait> takeWaiting(Lane lane) {
    List<Wait> all = waiting.values().stream().filter(w -> w.message().lane() == lane).toList();
    for (Wait wait : all) {
      wait.timer().cancel();
      waiting.remove(wait.message());
    }
    return all;
  }

  /** Takes out the messages of a lane that are being delivered; what comes of them is ignored. */
  List<Held> takeDelivering(Lane lane) {
    return takeOut(delivering, lane);
  }

  private static List<Held> takeOut(Collection<Held> place, Lane lane) {
    List<Held> all = new ArrayList<>();
    place.removeIf(message -> message.lane() == lane && all.add(message));
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
