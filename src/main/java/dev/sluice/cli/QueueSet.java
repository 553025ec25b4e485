package dev.sluice.cli;

import dev.sluice.queue.Queue;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.RoutedQueue;
import dev.sluice.router.Router;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The queues and pools of a router that runs. Implementations are safe for use by many threads. */
interface QueueSet {

  /** Begins to serve a queue. */
  void add(RoutedQueue queue);

  /**
   * Ends to serve a queue: gives back what waits, and finishes what is being delivered.
   *
   * @return completes when nothing of it is held any more
   */
  CompletionStage<Void> remove(Queue queue);

  /** Replaces the pools; those that are gone are emptied. */
  void setPools(List<PoolSettings> pools);

  /** Those of this router, shown at its endpoint. */
  static QueueSet of(Router router, RouterEndpoint endpoint) {
    return new QueueSet() {
      @Override
      public void add(RoutedQueue queue) {
        router.add(queue);
        endpoint.addQueue(queue.queue());
      }

      @Override
      public CompletionStage<Void> remove(Queue queue) {
        endpoint.removeQueue(queue);
        return router.remove(queue);
      }

      @Override
      public void setPools(List<PoolSettings> pools) {
        router.setPools(pools);
      }
    };
  }
}
