package dev.sluice.router;

import dev.sluice.delivery.Outcome;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one queue's messages, from a worker to a disposition. Owned by the router's thread.
 */
final class Calls {
  private static final Duration AFTER_OUR_OWN_FAULT = Duration.ofSeconds(10);

  private final Lane lane;
  private final Shared shared;
  private final DispositionRule rule;

  Calls(Lane lane, Shared shared, DispositionRule rule) {
    this.lane = lane;
    this.shared = shared;
    this.rule = rule;
  }

  /** Has a worker for this message: calls its target, or acks it if its group was flushed. */
  void deliver(Held message) {
    if (lane.isFlushed(message)) {
      // The pool is in the middle of filling its workers: it hears of this one's end right after.
      shared.core().execute(() -> suppress(message));
      return;
    }
    message.called(shared.time().nanos());
    try {
      shared
          .mediator()
          .deliver(message.delivery())
          .whenComplete(
              (outcome, fault) -> shared.core().execute(() -> answered(message, outcome, fault)));
    } catch (Throwable e) {
      shared.core().execute(() -> answered(message, null, e));
    }
  }

  private void suppress(Held message) {
    if (message.pool().finished(message)) {
      lane.ends().suppressHead(message);
      shared.carryOn().run();
    }
  }

  private void answered(Held message, @Nullable Outcome outcome, @Nullable Throwable fault) {
    Duration took = Duration.ofNanos(shared.time().nanos() - message.calledAt());
    shared.listener().called(message.pool().code(), took);
    if (!message.pool().finished(message)) {
      return;
    }
    lane.ends().dispose(message, dispositionOf(message, outcome, fault));
    shared.carryOn().run();
  }

  private Disposition dispositionOf(
      Held message, @Nullable Outcome outcome, @Nullable Throwable fault) {
    try {
      if (outcome == null) {
        throw fault == null ? new IllegalStateException("no outcome") : fault;
      }
      FailureCounts failures = lane.failures();
      boolean failed = DispositionRule.isFailure(outcome);
      int count = failed ? failures.failed(message.id()) : failures.of(message.id());
      return rule.decide(outcome, message.calls(), count);
    } catch (Throwable e) {
      lane.events().broke(message, e);
      return new Disposition.RetryInPlace(AFTER_OUR_OWN_FAULT);
    }
  }
}
