package dev.sluice.queue;

/** The queue was closed by its owner; it cannot be used again. */
public class QueueClosedException extends QueueException {
  private static final long serialVersionUID = 1L;

  public QueueClosedException(String operation, String queue) {
    super(operation + " on queue '" + queue + "': the queue is closed");
  }
}
