package dev.sluice.model;

import org.jspecify.annotations.Nullable;

/**
 * A row of the quarantine.
 *
 * @param failedAt in whole epoch seconds
 */
public record HarelFailed(
    long seq,
    String group,
    String event,
    String error,
    @Nullable Integer priority,
    long failedAt) {}
