package dev.sluice.queue;

import java.util.OptionalLong;

/**
 * How many messages of a queue are in which state.
 *
 * @param pending claimable but for the order of their groups
 * @param delayed not claimed, not yet visible; empty where the backend cannot tell them from those
 *     in flight
 * @param inFlight claimed, and the claim holds
 * @param lapsed claimed, but the claim has lapsed
 * @param quarantined in the quarantine table; empty where there is none
 */
public record QueueMetrics(
    long pending, OptionalLong delayed, long inFlight, long lapsed, OptionalLong quarantined) {

  /** Where everything is known. */
  public QueueMetrics(long pending, long delayed, long inFlight, long lapsed, long quarantined) {
    this(pending, OptionalLong.of(delayed), inFlight, lapsed, OptionalLong.of(quarantined));
  }

  /** All messages that wait in the queue, quarantined ones aside. */
  public long total() {
    return pending + delayed.orElse(0) + inFlight + lapsed;
  }
}
