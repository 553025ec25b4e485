package dev.sluice.queue.harel;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One step of a random life of the tables.
 *
 * <p>{@code process} says which of the open transports does it; {@code picks} choose from the
 * receipts seen so far, 0 being the newest, whoever got them. Durations are seconds.
 */
sealed interface HarelStep {

  /** Publishes one event. */
  record Publish(int process, NewEvent event) implements HarelStep {}

  /** Publishes several at once. */
  record PublishBatch(int process, List<NewEvent> events) implements HarelStep {}

  /** An event to be numbered when it is published. */
  record NewEvent(String group, int priority) {}

  /** Claims. */
  record Claim(int process, String worker, double visibility, int minPriority, int max)
      implements HarelStep {}

  /** Deletes what these claims hold. */
  record Ack(int process, List<Integer> picks) implements HarelStep {}

  /** Hands back, or parks. */
  record Nack(int process, List<Integer> picks, double delay) implements HarelStep {}

  /** Moves to quarantine. */
  record Reject(int process, List<Integer> picks, String error) implements HarelStep {}

  /** Keeps claims alive. */
  record Extend(int process, List<Integer> picks, double visibility) implements HarelStep {}

  /**
   * Acks or rejects with a token that may hold and the seq of another group's message, perhaps
   * together with what the claim does hold.
   */
  record SettleOther(int process, int pick, int message, boolean reject, boolean withOwn)
      implements HarelStep {}

  /** Puts back from quarantine; {@code picks} choose from what is there. */
  record Requeue(int process, List<Integer> picks) implements HarelStep {}

  /**
   * Another program writes a group's row, over the one that is there, and messages of it.
   *
   * @param lapsesIn from now; null if never locked, which only a row of nobody may be
   */
  record Foreign(
      String group,
      @Nullable String lockedBy,
      @Nullable Double lapsesIn,
      int priority,
      int messages)
      implements HarelStep {}

  /** Time passes. */
  record Tick(double seconds) implements HarelStep {}
}
