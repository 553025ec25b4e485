package dev.sluice.router;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.DispatchMode;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The ordered groups of one queue that matter now; a group has one of these for each pool that its
 * messages are in. Owned by the router's thread.
 */
final class Groups {

  /** Gives back the messages of a group, or quarantines them, in order, in one statement. */
  @FunctionalInterface
  interface GiveBack {
    void giveBack(OrderedGroup<Held> group, List<Held> generation, Duration delay);
  }

  private record Key(String pool, String group) {}

  private final Map<Key, OrderedGroup<Held>> byKey = new LinkedHashMap<>();
  private final Map<String, Set<OrderedGroup<Held>>> moving = new HashMap<>();
  private final Set<OrderedGroup<Held>> busy = new LinkedHashSet<>();
  private final Consumer<Held> ready;
  private final GiveBack giveBack;

  /**
   * @param ready takes a message whose turn it is
   */
  Groups(Consumer<Held> ready, GiveBack giveBack) {
    this.ready = ready;
    this.giveBack = giveBack;
  }

  /** The group in which a message keeps its place; empty for one that keeps none. */
  static Optional<String> key(Delivery delivery) {
    return delivery.message().mode() == DispatchMode.IMMEDIATE
        ? Optional.empty()
        : delivery.message().messageGroupId();
  }

  /** The group in which a message waits its turn; empty for a message that need not. */
  Optional<OrderedGroup<Held>> of(Delivery delivery, Pool pool) {
    return key(delivery)
        .map(
            group ->
                byKey.computeIfAbsent(
                    new Key(pool.code(), group), k -> new OrderedGroup<>(k.pool(), k.group())));
  }

  /** The same group in other pools. */
  List<OrderedGroup<Held>> inOtherPools(OrderedGroup<Held> group) {
    return byKey.values().stream()
        .filter(other -> other != group && other.key().equals(group.key()))
        .toList();
  }

  /**
   * The pools are about to change: messages of these groups may go to another pool from now on, and
   * must not overtake those that are in this one.
   */
  void move(OrderedGroup<Held> group) {
    moving.computeIfAbsent(group.key(), k -> new HashSet<>()).add(group);
  }

  /** Whether the same group still has messages in the pool that was its own before. */
  boolean isHeldBackElsewhere(OrderedGroup<Held> group) {
    Set<OrderedGroup<Held>> old = moving.isEmpty() ? null : moving.get(group.key());
    return old != null && !(old.size() == 1 && old.contains(group));
  }

  /** Lets a group do what it may do now: send its next message, or give back a generation. */
  void advance(OrderedGroup<Held> group, long routedPoll) {
    group.takeNext().ifPresent(ready);
    List<Held> generation = group.takeBehind();
    if (!generation.isEmpty()) {
      giveBack.giveBack(group, generation, group.delayBehind());
    }
    if (group.isForgettable(routedPoll)) {
      forget(group);
    } else {
      busy.add(group);
    }
  }

  /** Forgets the groups that waited only for this poll to be routed. */
  void routed(long poll) {
    busy.stream().filter(g -> g.isForgettable(poll)).toList().forEach(this::forget);
  }

  List<OrderedGroup<Held>> all() {
    return List.copyOf(byKey.values());
  }

  private void forget(OrderedGroup<Held> group) {
    byKey.remove(new Key(group.pool(), group.key()), group);
    busy.remove(group);
    Set<OrderedGroup<Held>> old = moving.get(group.key());
    if (old != null && old.remove(group) && old.isEmpty()) {
      moving.remove(group.key());
    }
  }
}
