package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Receipt;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What several sessions did, as they saw it: each call with the instants between which it happened.
 *
 * <p>Instants are ticks of one counter for all threads. What a call does takes effect somewhere
 * between the two, so "certainly before" means that one call ended before the other began.
 */
final class History {
  private final AtomicLong ticks = new AtomicLong();
  private final LongSupplier epochSeconds;
  private final Queue<Published> published = new ConcurrentLinkedQueue<>();
  private final Queue<Polled> polls = new ConcurrentLinkedQueue<>();
  private final Queue<Settled> settlements = new ConcurrentLinkedQueue<>();

  History(LongSupplier epochSeconds) {
    this.epochSeconds = epochSeconds;
  }

  /** When a call began and ended, in ticks and in seconds of the queue's clock. */
  record Span(long from, long to, long secondFrom, long secondTo) {
    boolean certainlyBefore(Span other) {
      return to < other.from;
    }

    boolean mayHaveBegunBefore(Span other) {
      return from < other.to;
    }
  }

  /** A message that is in the queue since then. */
  record Published(String id, String claimGroup, long createdAt, Span span) {

    /** The same, created when the row says; the publisher knows it only roughly. */
    Published asDelivered(Delivery delivery) {
      return new Published(id, claimGroup, delivery.createdAt().getEpochSecond(), span);
    }
  }

  /** A poll and what it took. */
  record Polled(PollResult result, Span span) {}

  /** What was done to a claim. */
  enum Settlement {
    ACK,
    HAND_BACK,
    REJECT,
    EXTEND
  }

  /** One claim's settlement or extension, and whether it held anything. */
  record Settled(
      Settlement kind, Receipt receipt, boolean held, long extendedBySeconds, Span span) {}

  /** One claim of one message. */
  record Claim(Delivery delivery, Span span) {}

  void publish(String id, String claimGroup, Runnable call) {
    Span span =
        timed(
                () -> {
                  call.run();
                  return Boolean.TRUE;
                })
            .span;
    published.add(new Published(id, claimGroup, span.secondFrom(), span));
  }

  /** Notes a message that was there before anything began. */
  void there(String id, String claimGroup, long createdAt) {
    published.add(new Published(id, claimGroup, createdAt, new Span(-1, -1, 0, 0)));
  }

  PollResult poll(Supplier<PollResult> call) {
    Timed<PollResult> timed = timed(call);
    polls.add(new Polled(timed.value, timed.span));
    return timed.value;
  }

  void settle(
      Settlement kind,
      List<Receipt> receipts,
      long extendedBySeconds,
      Function<Collection<Receipt>, Set<Receipt>> call) {
    Timed<Set<Receipt>> stale = timed(() -> call.apply(receipts));
    assertThat(receipts).as("the receipts given").containsAll(stale.value);
    for (Receipt receipt : receipts) {
      boolean held = !stale.value.contains(receipt);
      settlements.add(new Settled(kind, receipt, held, extendedBySeconds, stale.span));
    }
  }

  private record Timed<T>(T value, Span span) {}

  private <T> Timed<T> timed(Supplier<T> call) {
    long secondFrom = epochSeconds.getAsLong();
    long from = ticks.incrementAndGet();
    T value = call.get();
    long to = ticks.incrementAndGet();
    return new Timed<>(value, new Span(from, to, secondFrom, epochSeconds.getAsLong()));
  }

  List<Published> published() {
    return List.copyOf(published);
  }

  List<Polled> polls() {
    return List.copyOf(polls);
  }

  List<Settled> settlements() {
    return List.copyOf(settlements);
  }
}
