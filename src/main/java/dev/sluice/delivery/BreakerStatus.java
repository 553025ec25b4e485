package dev.sluice.delivery;

/**
 * The circuit breaker of one target.
 *
 * @param target its URL without user info and query
 * @param open whether calls are refused now
 * @param succeeded calls that counted as successes
 * @param failed calls that counted as failures
 * @param refused calls that were not made because it was open
 */
public record BreakerStatus(
    String target, boolean open, long succeeded, long failed, long refused) {}
