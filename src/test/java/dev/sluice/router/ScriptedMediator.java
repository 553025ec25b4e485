package dev.sluice.router;

import dev.sluice.delivery.Mediator;
import dev.sluice.delivery.Outcome;
import dev.sluice.queue.Delivery;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A target whose answers a test gives by hand. */
final class ScriptedMediator implements Mediator {
  private final Map<String, CompletableFuture<Outcome>> running = new LinkedHashMap<>();
  private final List<String> calls = new ArrayList<>();

  @Override
  public CompletionStage<Outcome> deliver(Delivery delivery) {
    CompletableFuture<Outcome> answer = new CompletableFuture<>();
    if (running.put(delivery.brokerId(), answer) != null) {
      throw new AssertionError(delivery.brokerId() + " is called while it is being called");
    }
    calls.add(delivery.brokerId());
    return answer;
  }

  /** The ids that were called, in order. */
  List<String> calls() {
    return List.copyOf(calls);
  }

  /** The ids that are being called, longest first. */
  List<String> running() {
    return List.copyOf(running.keySet());
  }

  void answer(String id, Outcome outcome) {
    take(id).complete(outcome);
  }

  void breakDown(String id, Throwable fault) {
    take(id).completeExceptionally(fault);
  }

  private CompletableFuture<Outcome> take(String id) {
    CompletableFuture<Outcome> answer = running.remove(id);
    if (answer == null) {
      throw new AssertionError(id + " is not being called; " + running.keySet() + " are");
    }
    return answer;
  }
}
