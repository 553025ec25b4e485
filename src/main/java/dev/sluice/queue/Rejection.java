package dev.sluice.queue;

/**
 * A message that goes to quarantine.
 *
 * @param reason why, for the person who will look at it; cut at 1,000 characters
 */
public record Rejection(Receipt receipt, String reason) {}
