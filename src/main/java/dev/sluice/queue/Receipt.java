package dev.sluice.queue;

/**
 * The proof that a claim holds a message; opaque to everyone but the backend that wrote it.
 *
 * @param value never empty; names the message, so that its row is found by primary key
 */
public record Receipt(String value) {
  public Receipt {
    if (value.isEmpty()) {
      throw new IllegalArgumentException("receipt: must not be empty");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
