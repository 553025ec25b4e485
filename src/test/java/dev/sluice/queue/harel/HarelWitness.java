package dev.sluice.queue.harel;

import dev.sluice.model.HarelClaim;
import dev.sluice.model.HarelReceipt;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sees each event published, delivered and settled in a storm, and writes down what may not be.
 * Thread-safe.
 */
final class HarelWitness {
  private static final int ENOUGH_OF_A_KIND = 5;

  /** The {@code number}-th event of a publisher in a group, from zero. */
  private record Sent(int publisher, String group, int number) {}

  private record Source(int publisher, String group) {}

  private final Map<String, Sent> sent = new ConcurrentHashMap<>();
  private final Map<Source, AtomicInteger> published = new ConcurrentHashMap<>();
  private final Map<Source, AtomicInteger> handled = new ConcurrentHashMap<>();
  private final Map<String, HarelReceipt> holders = new ConcurrentHashMap<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final Map<String, AtomicInteger> kinds = new ConcurrentHashMap<>();
  private final AtomicInteger allPublished = new AtomicInteger();
  private final AtomicInteger allHandled = new AtomicInteger();
  private final AtomicInteger redelivered = new AtomicInteger();
  private final AtomicLong lastDelivery = new AtomicLong(System.nanoTime());

  /** Must be told before the event is published, in the publisher's order. */
  void publishes(int publisher, String group, String event) {
    int number = count(published, new Source(publisher, group)).getAndIncrement();
    sent.put(event, new Sent(publisher, group, number));
    allPublished.incrementAndGet();
  }

  /** An event is in somebody's hand from now on. */
  void delivered(HarelClaim claim) {
    lastDelivery.set(System.nanoTime());
    HarelReceipt receipt = claim.receipt();
    HarelReceipt holder = holders.putIfAbsent(receipt.group(), receipt);
    if (holder != null) {
      complain("in two hands: %s and %s".formatted(holder, receipt));
    }
    Sent event = sent.get(claim.event());
    if (event == null || !event.group().equals(receipt.group())) {
      complain("never published: %s as %s".formatted(claim, event));
      return;
    }
    int next = count(handled, new Source(event.publisher(), event.group())).get();
    if (event.number() != next) {
      complain("out of order: %s where number %d was next".formatted(event, next));
    }
  }

  /** Must be told before the ack, for who claims the group next may be faster than its answer. */
  void handles(HarelClaim claim) {
    Sent event = sent.get(claim.event());
    if (event != null) {
      count(handled, new Source(event.publisher(), event.group())).incrementAndGet();
    }
    allHandled.incrementAndGet();
    letGo(claim);
  }

  /** Must be told before the nack. */
  void handsBack(HarelClaim claim) {
    redelivered.incrementAndGet();
    letGo(claim);
  }

  private void letGo(HarelClaim claim) {
    holders.remove(claim.receipt().group(), claim.receipt());
  }

  /** Few of each kind: many of one must not keep out the first of another. */
  void complain(String complaint) {
    String kind = complaint.split(":", 2)[0];
    if (count(kinds, kind).incrementAndGet() <= ENOUGH_OF_A_KIND) {
      complaints.add(complaint);
    }
  }

  List<String> complaints() {
    return complaints;
  }

  int waiting() {
    return allPublished.get() - allHandled.get();
  }

  int handled() {
    return allHandled.get();
  }

  int redelivered() {
    return redelivered.get();
  }

  long nanosSinceDelivery() {
    return System.nanoTime() - lastDelivery.get();
  }

  private static <K> AtomicInteger count(Map<K, AtomicInteger> counts, K key) {
    return counts.computeIfAbsent(key, k -> new AtomicInteger());
  }
}
