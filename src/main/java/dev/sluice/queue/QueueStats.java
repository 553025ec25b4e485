package dev.sluice.queue;

import java.util.OptionalLong;

/**
 * One queue as an operator wants to see it.
 *
 * @param queue the queue's name
 * @param backend {@code legacy} or {@code harel}
 * @param metrics messages by state
 * @param groups how many groups have messages; a message without a group counts as one
 * @param blockedGroups groups that quarantine holds back ({@code BLOCKED: } rows)
 * @param oldestSeconds age of the oldest message in seconds; empty for an empty queue or where the
 *     backend does not know
 */
public record QueueStats(
    String queue,
    String backend,
    QueueMetrics metrics,
    long groups,
    long blockedGroups,
    OptionalLong oldestSeconds) {}
