package dev.sluice.queue;

import java.util.List;

/**
 * What a backend found when it looked at its tables.
 *
 * @param differences what makes the queue unusable, a line each, naming table and column; empty
 *     when all is well
 * @param quarantineMissing whether the quarantine table is absent, which older deployments are
 * @param extras the optional parts that are there
 */
public record SchemaReport(
    List<String> differences, boolean quarantineMissing, List<Extra> extras) {

  /** An optional, additive part of a schema. */
  public enum Extra {
    /** The indexes that keep claims fast. */
    CLAIM_INDEXES
  }

  public SchemaReport {
    differences = List.copyOf(differences);
    extras = List.copyOf(extras);
  }

  /** Whether the queue can be polled, quarantine aside. */
  public boolean usable() {
    return differences.isEmpty();
  }
}
