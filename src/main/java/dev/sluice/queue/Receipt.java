package dev.sluice.queue;

/**
 * The proof that a claim holds a message; opaque to everyone but the backend that wrote it.
 *
 * @param value never empty, without NUL; names the message, so that its row is found by primary key
 */
public record Receipt(String value) {
  public Receipt {
    if (value.isEmpty()) {
      throw new IllegalArgumentException("receipt: must not be empty");
    }
    // No row of any table can hold one, and a batch must not fail for the sake of such a receipt.
    if (value.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("receipt: must not hold a NUL character");
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
