package dev.sluice.queue;

/**
 * How many messages of a queue are in which state.
 *
 * @param pending claimable but for the order of their groups
 * @param delayed not claimed, not yet visible
 * @param inFlight claimed, and the claim holds
 * @param lapsed claimed, but the claim has lapsed
 * @param quarantined in the quarantine table; 0 where there is none
 */
public record QueueMetrics(
    long pending, long delayed, long inFlight, long lapsed, long quarantined) {

  /** All messages that wait in the queue, quarantined ones aside. */
  public long total() {
    return pending + delayed + inFlight + lapsed;
  }
}
