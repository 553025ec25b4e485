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
 * <p>Instants are ticks of one clock for all sessions. What a call does takes effect somewhere
 * between the two, so "certainly before" means that one call ended before the other began.
 */
public final class History {
  private final LongSupplier ticks;
  private final LongSupplier epochSeconds;
  private final Queue<Published> published = new ConcurrentLinkedQueue<>();
  private final Queue<Polled> polls = new ConcurrentLinkedQueue<>();
  private final Queue<Settled> settlements = new ConcurrentLinkedQueue<>();

  /** Of the threads of this process, whose ticks are a counter. */
  History(LongSupplier epochSeconds) {
    this(epochSeconds, new AtomicLong()::incrementAndGet);
  }

  /** Of several processes, which share a clock. */
  public History(LongSupplier epochSeconds, LongSupplier ticks) {
    this.epochSeconds = epochSeconds;
    this.ticks = ticks;
  }

  /** When a call began and ended, in ticks and in seconds of the queue's clock. */
  public record Span(long from, long to, long secondFrom, long secondTo) {
    boolean certainlyBefore(Span other) {
      return to < other.from;
    }

    boolean mayHaveBegunBefore(Span other) {
      return from < other.to;
    }
  }

  /** A message that is in the queue since then. */
  public record Published(String id, String claimGroup, long createdAt, Span span) {

    /** The same, created when the row says; the publisher knows it only roughly. */
    Published asDelivered(Delivery delivery) {
      return new Published(id, claimGroup, delivery.createdAt().getEpochSecond(), span);
    }
  }

  /** A poll and what it took. */
  public record Polled(PollResult result, Span span) {}

  /** What was done to a claim. */
  public enum Settlement {
    ACK,
    HAND_BACK,
    REJECT,
    EXTEND
  }

  /** One claim's settlement or extension, and whether it held anything. */
  public record Settled(
      Settlement kind, Receipt receipt, boolean held, long extendedBySeconds, Span span) {}

  /** One claim of one message. */
  record Claim(Delivery delivery, Span span) {}

  /** Publishes and notes it. */
  public void publish(String id, String claimGroup, Runnable call) {
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

  /** Polls and notes it. */
  public PollResult poll(Supplier<PollResult> call) {
    Timed<PollResult> timed = timed(call);
    polls.add(new Polled(timed.value, timed.span));
    return timed.value;
  }

  /** Settles or extends and notes it. */
  public void settle(
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

  /** Notes what another process has published. */
  public void add(Published message) {
    published.add(message);
  }

  /** Notes what another process has polled. */
  public void add(Polled poll) {
    polls.add(poll);
  }

  /** Notes what another process has settled. */
  public void add(Settled settlement) {
    settlements.add(settlement);
  }

  private record Timed<T>(T value, Span span) {}

  private <T> Timed<T> timed(Supplier<T> call) {
    long secondFrom = epochSeconds.getAsLong();
    long from = ticks.getAsLong();
    T value = call.get();
    long to = ticks.getAsLong();
    return new Timed<>(value, new Span(from, to, secondFrom, epochSeconds.getAsLong()));
  }

  /** What was published. */
  public List<Published> published() {
    return List.copyOf(published);
  }

  /** All polls, the empty ones included. */
  public List<Polled> polls() {
    return List.copyOf(polls);
  }

  /** All settlements and extensions. */
  public List<Settled> settlements() {
    return List.copyOf(settlements);
  }
}
