package dev.sluice.queue;

/** A receipt holds nothing: it is unknown, or its message was claimed anew or is gone. */
public class StaleReceiptException extends QueueException {
  private static final long serialVersionUID = 1L;

  public StaleReceiptException(String operation, String queue, Receipt receipt) {
    super(
        operation
            + " on queue '"
            + queue
            + "': receipt "
            + receipt
            + " is unknown or outdated; nothing was changed");
  }
}
