package dev.sluice.bench;

/** What the groups of the harel tables are like; expressions over {@code i} and {@code n}. */
public enum HarelShape {
  /** Never claimed. */
  FRESH("fresh", "NULL", "NULL"),
  /** All served not long ago. */
  SERVED("served", "NULL", "1700000000 + i % 1000"),
  /** 99 of 100 are parked for long. */
  PARKED(
      "parked",
      "CASE WHEN i % 100 > 0 THEN 'w:1' END",
      "CASE WHEN i % 100 > 0 THEN 4000000000 + i END"),
  /** 99 of 100 are leased. */
  LEASED(
      "leased",
      "CASE WHEN i % 100 > 0 THEN 'w:1' END",
      "CASE WHEN i % 100 > 0 THEN 4000000000 END");

  private final String label;
  private final String lockedBy;
  private final String lockExpiry;

  HarelShape(String label, String lockedBy, String lockExpiry) {
    this.label = label;
    this.lockedBy = lockedBy;
    this.lockExpiry = lockExpiry;
  }

  /** As it is named in reports. */
  public String label() {
    return label;
  }

  String columns() {
    return lockedBy + ", " + lockExpiry;
  }

  @Override
  public String toString() {
    return label;
  }
}
