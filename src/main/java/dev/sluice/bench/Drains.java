package dev.sluice.bench;

import dev.sluice.bench.Contest.Run;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.Queue;
import dev.sluice.queue.Receipt;
import java.sql.SQLException;
import java.util.List;

/** How much of a table a drain takes, and how it does with ours. */
final class Drains {
  /** Messages, or groups, at a time. */
  static final int BATCH = 100;

  private static final int MOST = 5_000;
  private static final int SHARE = 20;
  private static final int FILLED_AGAIN = 20_000;

  private Drains() {}

  /** Makes a table anew. */
  @FunctionalInterface
  interface Fill {
    void fill() throws SQLException;
  }

  /** How many one run takes of so many rows. */
  static int count(long rows) {
    return (int) Math.max(BATCH, Math.min(MOST, rows / SHARE / BATCH * BATCH));
  }

  /** A small table is filled before each run: together they take more than it has. */
  static Run of(long rows, Fill fill, Run drain) {
    return () -> {
      if (rows < FILLED_AGAIN) {
        fill.fill();
      }
      return drain.seconds();
    };
  }

  /** Polls a batch. */
  static List<Receipt> poll(Queue queue) {
    return queue.poll(BATCH).deliveries().stream().map(Delivery::receipt).toList();
  }

  /** Polls and acknowledges in batches. */
  static double byOurs(Contest contest, Queue queue, int count) throws SQLException {
    return contest.each(
        count,
        () -> {
          List<Receipt> receipts = poll(queue);
          queue.ackBatch(receipts);
          return receipts.size();
        });
  }
}
