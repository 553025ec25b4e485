package dev.sluice.load;

import dev.sluice.delivery.Mediator;
import dev.sluice.delivery.Outcome;
import dev.sluice.queue.Delivery;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A target behind no network, that writes a {@link Journal} and holds no thread while it works. */
final class InProcessTarget implements Mediator, AutoCloseable {

  /** What it answers, and how long that takes. */
  record Answer(Outcome outcome, Duration after) {
    static Answer taken(Duration after) {
      return new Answer(new Outcome.Delivered(), after);
    }
  }

  /** What it answers to the how-manieth call of a message, from 1. */
  @FunctionalInterface
  interface Behaviour {
    Answer to(Delivery delivery, int call);
  }

  private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(2);
  private final Journal journal;
  private final Behaviour behaviour;

  InProcessTarget(Journal journal, Behaviour behaviour) {
    this.journal = journal;
    this.behaviour = behaviour;
  }

  /** Takes everything after this time. */
  static InProcessTarget takingAll(Journal journal, Duration after) {
    return new InProcessTarget(journal, (delivery, call) -> Answer.taken(after));
  }

  @Override
  public CompletionStage<Outcome> deliver(Delivery delivery) {
    Journal.Running call = journal.called(delivery.message().id());
    Answer answer = behaviour.to(delivery, call.number());
    CompletableFuture<Outcome> future = new CompletableFuture<>();
    ScheduledFuture<?> unused =
        timers.schedule(
            () -> {
              call.answered(answer.outcome() instanceof Outcome.Delivered);
              future.complete(answer.outcome());
            },
            answer.after().toNanos(),
            TimeUnit.NANOSECONDS);
    return future;
  }

  /** Chance that is the same in each run: a percentage by message and call. */
  static boolean chance(int percent, String id, int call) {
    int hash = (id + "/" + call).hashCode() * 0x9E3779B9;
    return Math.floorMod(hash ^ (hash >>> 15), 100) < percent;
  }

  @Override
  public void close() {
    timers.shutdownNow();
  }
}
