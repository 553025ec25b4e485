package dev.sluice.queue.legacy;

import dev.sluice.model.LegacyRow;
import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.QueueRow;
import java.time.Duration;
import java.util.List;

/**
 * One step of a random life of the table.
 *
 * <p>{@code session} says which of the open queues does it; {@code picks} choose from the receipts
 * seen so far, 0 being the newest, wherever they came from.
 */
sealed interface Operation {

  /** Claims. */
  record Poll(int session, int max) implements Operation {}

  /** Looks at what a poll would claim. */
  record Peek(int session, int limit) implements Operation {}

  /** Deletes what these claims hold. */
  record Ack(int session, List<Integer> picks) implements Operation {}

  /** Hands back after a failure. */
  record Nack(int session, List<Integer> picks, Duration delay) implements Operation {}

  /** Hands back without a failure. */
  record Defer(int session, List<Integer> picks, Duration delay) implements Operation {}

  /** Moves to quarantine. */
  record Reject(int session, List<Integer> picks, String reason) implements Operation {}

  /** Keeps claims alive. */
  record Extend(int session, List<Integer> picks, Duration duration) implements Operation {}

  /** Publishes, to the queues that the rows name. */
  record Publish(int session, List<QueueRow> rows) implements Operation {}

  /** Tries to publish a batch of which one message cannot be stored. */
  record PublishUnstorable(int session, QueueRow good, QueueRow bad) implements Operation {}

  /** Another program writes a row, as new or old as it likes. */
  record Foreign(LegacyRow row) implements Operation {}

  /** Puts back from quarantine. */
  record Requeue(int session, FailedFilter filter) implements Operation {}

  /** Deletes from quarantine. */
  record Discard(int session, FailedFilter filter) implements Operation {}

  /** Time passes. */
  record Tick(int seconds) implements Operation {}
}
