package dev.sluice.queue.jdbc;

import dev.sluice.queue.QueueException;
import dev.sluice.queue.Receipt;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Acks over a connection that may be lost between the commit and its answer. */
public final class Acks {
  private Acks() {}

  /**
   * Deletes messages; once more where the connection is lost. The first try may have been committed
   * by then: what is gone is acked.
   *
   * @param delete deletes what its claims hold, and yields the receipts that held nothing
   * @param stillThere yields those of the receipts whose messages are in the queue
   * @return the receipts that held nothing
   */
  public static Set<Receipt> delete(
      Supplier<Set<Receipt>> delete, UnaryOperator<Set<Receipt>> stillThere) {
    try {
      return delete.get();
    } catch (QueueException e) {
      if (!e.isConnectionFailure()) {
        throw e;
      }
      Set<Receipt> missing = delete.get();
      return missing.isEmpty() ? missing : stillThere.apply(missing);
    }
  }
}
