package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What everybody did to the tables, and what must be true of it. Thread-safe until it is read. */
final class PeerHistory {
  // Leases are kept as doubles.
  private static final long CLOCK_NANOS = 1_000_000;

  private final Queue<PeerEvent> events = new ConcurrentLinkedQueue<>();
  private final long visibilityNanos;

  PeerHistory(double visibilitySeconds) {
    this.visibilityNanos = nanos(visibilitySeconds);
  }

  private static long nanos(double seconds) {
    return (long) (seconds * 1e9);
  }

  void add(PeerEvent event) {
    events.add(event);
  }

  void addAll(Collection<PeerEvent> more) {
    events.addAll(more);
  }

  /**
   * A claim and what became of it.
   *
   * @param settling that its worker began to settle it
   * @param settled that it has; nothing when it was killed
   */
  private record Held(PeerEvent claim, Optional<PeerEvent> settling, Optional<PeerEvent> settled) {}

  long count(String what) {
    return events.stream().filter(e -> e.is(what)).count();
  }

  /** The claims that a killed worker left behind. */
  long left() {
    return held().stream().filter(h -> h.settled().isEmpty()).count();
  }

  private List<Held> held() {
    Map<String, Held> open = new HashMap<>();
    List<Held> held = new ArrayList<>();
    for (PeerEvent event : inOrder()) {
      String key = event.worker() + " " + event.seq();
      switch (event.what()) {
        case "claim" ->
            // The same worker again, after its lease has lapsed.
            Optional.ofNullable(open.put(key, new Held(event, Optional.empty(), Optional.empty())))
                .ifPresent(held::add);
        case "settle" ->
            open.computeIfPresent(
                key, (k, h) -> new Held(h.claim(), Optional.of(event), Optional.empty()));
        case "ack", "nack" ->
            Optional.ofNullable(open.remove(key))
                .ifPresent(h -> held.add(new Held(h.claim(), h.settling(), Optional.of(event))));
        default -> {}
      }
    }
    held.addAll(open.values());
    held.sort(Comparator.comparingLong(h -> h.claim().to()));
    return held;
  }

  private List<PeerEvent> inOrder() {
    return events.stream().sorted(Comparator.comparingLong(PeerEvent::to)).toList();
  }

  /** No group has two messages in flight, and none comes back before its time. */
  void oneIsInFlightPerGroup() {
    Map<String, Held> last = new HashMap<>();
    for (Held held : held()) {
      String group = held.claim().groupId();
      Held before = last.get(group);
      if (before != null) {
        assertThat(held.claim().to() + CLOCK_NANOS)
            .as("%s was claimed while this held: %s", held.claim(), before)
            .isGreaterThanOrEqualTo(until(before));
      }
      last.put(group, before == null || until(held) > until(before) ? held : before);
    }
  }

  /** Until when nobody else can have had the group. */
  private long until(Held held) {
    long lapses = held.claim().from() + visibilityNanos;
    if (held.settled().isEmpty()) {
      return held.settling().map(s -> Math.min(s.from(), lapses)).orElse(lapses);
    }
    PeerEvent settled = held.settled().get();
    return inTime(held.claim(), settled)
        ? settled.from() + nanos(settled.delay())
        : Math.min(settled.from(), lapses);
  }

  private boolean inTime(PeerEvent claim, PeerEvent settled) {
    return settled.to() < claim.from() + visibilityNanos;
  }

  /** What one producer published to a group is handed out in that order. */
  void orderHolds() {
    Map<String, String> last = new HashMap<>();
    for (Held held : held()) {
      String id = held.claim().eventId();
      String stream = held.claim().groupId() + " of " + id.substring(0, id.lastIndexOf('-'));
      String before = last.put(stream, id);
      if (before != null) {
        assertThat(id).as("order in %s", stream).isGreaterThanOrEqualTo(before);
      }
    }
  }

  /**
   * Each message is acked once; where a worker was killed, or late, at its ack nobody can say.
   *
   * @param producersKilled each may have published one message that it could not speak of
   */
  void nothingIsLostOrDoubled(int producersKilled) {
    Set<String> published = new HashSet<>();
    events.stream().filter(e -> e.is("publish")).forEach(e -> published.add(e.eventId()));
    Set<String> acked = new HashSet<>();
    Set<String> unsure = new HashSet<>();
    Set<String> seen = new HashSet<>();
    for (Held held : held()) {
      String id = held.claim().eventId();
      seen.add(id);
      if (held.settled().isPresent() && inTime(held.claim(), held.settled().get())) {
        if (held.settled().get().is("ack")) {
          assertThat(acked.add(id)).as("%s is acked once", id).isTrue();
        }
      } else if (held.settling().isPresent()) {
        unsure.add(id);
      }
    }
    Set<String> lost = new HashSet<>(published);
    lost.removeAll(acked);
    lost.removeAll(unsure);
    assertThat(lost).as("lost").isEmpty();
    seen.removeAll(published);
    assertThat(seen).as("published by nobody").hasSizeLessThanOrEqualTo(producersKilled);
  }
}
