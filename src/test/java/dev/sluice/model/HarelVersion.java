package dev.sluice.model;

/** The forms in which harel wrote the same tables: the seed's, and the one that strands nothing. */
public enum HarelVersion {
  /** Up to 0.6, the seed. */
  SEED(
      "CREATE INDEX {groups}_claimable ON {groups} (lock_expiry)",
      "ON CONFLICT (group_id) DO NOTHING",
      "IF EXISTS (SELECT 1 FROM {groups} WHERE group_id = p_group AND locked_by = p_token) THEN"),

  /** As of 0.9: a publish and an ack of one group wait for each other. */
  V0_9(
      "CREATE INDEX {groups}_claim_order ON {groups} ((COALESCE(lock_expiry, 0)), group_id)",
      "ON CONFLICT (group_id) DO UPDATE SET priority = {groups}.priority",
      """
      PERFORM 1 FROM {groups} WHERE group_id = p_group AND locked_by = p_token FOR UPDATE;
        IF FOUND THEN\
      """);

  private final String groupsIndex;
  private final String onConflict;
  private final String fence;

  HarelVersion(String groupsIndex, String onConflict, String fence) {
    this.groupsIndex = groupsIndex;
    this.onConflict = onConflict;
    this.fence = fence;
  }

  String groupsIndex() {
    return groupsIndex;
  }

  /** How a publish ends that meets the row of its group. */
  String onConflict() {
    return onConflict;
  }

  /** How an ack begins, up to its THEN. */
  String fence() {
    return fence;
  }
}
