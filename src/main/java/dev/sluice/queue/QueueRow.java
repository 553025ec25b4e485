package dev.sluice.queue;

/**
 * A message and the queue that it is published to.
 *
 * @param queue not empty
 */
public record QueueRow(String queue, Message message) {
  public QueueRow {
    if (queue.isEmpty()) {
      throw new IllegalArgumentException("queue: must not be empty");
    }
  }
}
