package dev.sluice.router;

/**
 * What a router has done so far, in messages.
 *
 * @param polled claimed, redeliveries and malformed ones included
 * @param delivered taken by their targets
 * @param deferred given back without a failure: their target asked for them later, a message ahead
 *     of them went back, or the router stopped
 * @param released given back after a failure
 * @param rejected moved to quarantine, or dropped where that is asked for; malformed ones included
 * @param suppressed acked unsent, because their group was flushed
 */
public record RouterProgress(
    long polled, long delivered, long deferred, long released, long rejected, long suppressed) {}
