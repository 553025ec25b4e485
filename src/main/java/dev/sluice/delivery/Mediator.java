package dev.sluice.delivery;

import dev.sluice.queue.Delivery;
import java.util.concurrent.CompletionStage;

/** Calls the target of a message. Implementations are safe for use by many threads. */
@FunctionalInterface
public interface Mediator {

  /**
   * Delivers one message, tries included, and says what came of it. Returns at once; the stage
   * never fails: whatever goes wrong is an {@link Outcome}.
   */
  CompletionStage<Outcome> deliver(Delivery delivery);
}
