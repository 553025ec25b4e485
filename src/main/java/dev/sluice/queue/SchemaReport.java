package dev.sluice.queue;

import java.util.List;
import java.util.Optional;

/**
 * What a backend found when it looked at its tables.
 *
 * @param differences what makes the queue unusable, a line each, naming table and column; empty
 *     when all is well
 * @param missingQuarantine the name of the quarantine table where it is absent, as in older
 *     deployments
 * @param extras the optional parts that are there
 */
public record SchemaReport(
    List<String> differences, Optional<String> missingQuarantine, List<Extra> extras) {

  /** An optional, additive part of a schema. */
  public enum Extra {
    /** The indexes that keep claims fast. */
    CLAIM_INDEXES,
    /** Claim indexes of an older version: nothing uses them, and every insert pays for them. */
    OLD_CLAIM_INDEXES,
    /** The triggers that keep the statements of Python workers from stranding messages. */
    GUARD,
    /** The trigger that says what was published, for {@link Queue#listen}. */
    NOTIFY
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
