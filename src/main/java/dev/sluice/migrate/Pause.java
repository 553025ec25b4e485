package dev.sluice.migrate;

import dev.sluice.queue.QueueException;

/** Waiting for others. */
final class Pause {
  private Pause() {}

  static void millis(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new QueueException("interrupted while waiting; run this again to go on");
    }
  }
}
