package dev.sluice.migrate;

import java.util.List;

/**
 * How a migration went.
 *
 * @param groups groups of which something was moved
 * @param messages messages moved; of {@code --verify}, messages compared; of {@code --dry-run},
 *     those that would move
 * @param inFlight messages left since their groups are in flight
 * @param skippedGroups groups refused
 * @param reordered messages given a later second since their ids do not sort as they were published
 * @param delaysLost delays that the other side has no place for
 * @param idMismatches messages whose column and JSON ids differ
 * @param failedMoved quarantined messages moved
 * @param remaining messages at the source
 * @param phase what the queue is in now: planned, held, moved, finished, aborted, verified, broken
 * @param notes lines for people: what was refused and why, what was lost on the way
 */
public record MigrationReport(
    long groups,
    long messages,
    long inFlight,
    long skippedGroups,
    long reordered,
    long delaysLost,
    long idMismatches,
    long failedMoved,
    double seconds,
    long remaining,
    String phase,
    List<String> notes) {

  public MigrationReport {
    notes = List.copyOf(notes);
  }

  /** Messages moved per second. */
  public double perSecond() {
    return seconds <= 0 ? 0 : messages / seconds;
  }
}
