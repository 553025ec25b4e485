package dev.sluice.queue;

/**
 * What one {@link Queue} instance did since it was made.
 *
 * @param polled messages claimed and returned
 * @param acked messages deleted
 * @param nacked messages given back after a failure
 * @param deferred messages given back without one
 * @param rejected messages moved to quarantine, malformed ones included
 */
public record Counters(long polled, long acked, long nacked, long deferred, long rejected) {}
