package dev.sluice.migrate;

import dev.sluice.model.SeedQueue;
import dev.sluice.queue.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Claims with the Go router's statement, a few messages at a time, and handles them for a while.
 *
 * <p>Go lets a row be claimed while an earlier one of its group is in flight. So what is in order
 * is the claims: they are told to the traffic as they happen, one poll after the other, and the
 * acks go as they come. What is shown of both sides together: nothing of a group is delivered at
 * the new side while Go handles a message of it.
 */
final class GoConsumer implements AutoCloseable {
  private static final int WORKERS = 2;
  private static final int AT_ONCE = 10;

  private final SeedQueue queue;
  private final Traffic traffic;
  private final int millis;
  private final List<Thread> workers = new ArrayList<>();
  private volatile boolean stopped;

  /**
   * @param millis for which each batch is handled
   */
  GoConsumer(SeedQueue queue, Traffic traffic, int millis) {
    this.queue = queue;
    this.traffic = traffic;
    this.millis = millis;
    for (int i = 0; i < WORKERS; i++) {
      Thread worker = new Thread(this::consume, "go-consumer");
      workers.add(worker);
      worker.start();
    }
  }

  // How long handling takes is a part of what is simulated, not a wait for something to happen.
  private void consume() {
    while (!stopped) {
      List<Delivery> claimed = claim();
      LockSupport.parkNanos(millis * 1_000_000L);
      claimed.forEach(delivery -> traffic.handledElsewhere(delivery.message().id()));
      queue.ackBatch(claimed.stream().map(Delivery::receipt).toList());
    }
  }

  private synchronized List<Delivery> claim() {
    List<Delivery> claimed = queue.poll(AT_ONCE).deliveries();
    claimed.forEach(delivery -> traffic.claimedElsewhere(delivery.message().id()));
    return claimed;
  }

  @Override
  public void close() {
    stopped = true;
    for (Thread worker : workers) {
      try {
        worker.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
