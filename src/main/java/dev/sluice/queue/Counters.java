package dev.sluice.queue;

/**
 * What one {@link Queue} instance did since it was made.
 *
 * @param polled messages claimed and returned
 * @param acked messages deleted
 * @param nacked messages given back after a failure
 * @param deferred messages given back without one
 * @param rejected messages moved to quarantine, malformed ones included
 * @param leftOut events that carry no message, given back for others to take
 * @param restored groups whose messages nobody could claim until their rows were put back
 */
public record Counters(
    long polled,
    long acked,
    long nacked,
    long deferred,
    long rejected,
    long leftOut,
    long restored) {

  /** Of a backend that leaves nothing out and has nothing to restore. */
  public Counters(long polled, long acked, long nacked, long deferred, long rejected) {
    this(polled, acked, nacked, deferred, rejected, 0, 0);
  }
}
