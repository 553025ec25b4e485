package dev.sluice.router;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.DispatchMode;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** The ordered groups of one queue that matter now. Owned by the router's thread. */
final class Groups {

  /** Gives back the messages of a group, in order, in one statement. */
  @FunctionalInterface
  interface GiveBack {
    void giveBack(OrderedGroup<Held> group, List<Held> generation, Duration delay);
  }

  private final Map<String, OrderedGroup<Held>> byKey = new HashMap<>();
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

  /** The group in which a message waits its turn; empty for a message that need not. */
  Optional<OrderedGroup<Held>> of(Delivery delivery) {
    if (delivery.message().mode() == DispatchMode.IMMEDIATE) {
      return Optional.empty();
    }
    String key = delivery.message().messageGroupId().orElseThrow();
    return Optional.of(byKey.computeIfAbsent(key, OrderedGroup::new));
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
    byKey.remove(group.key(), group);
    busy.remove(group);
  }
}
