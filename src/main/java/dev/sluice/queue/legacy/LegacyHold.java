package dev.sluice.queue.legacy;

/**
 * What a migration leaves in the table to hold a group back: a delayed row at its head, which is no
 * message.
 */
public final class LegacyHold {
  /** What the id of such a row begins with; the name that a migration signs with everywhere. */
  public static final String PREFIX = "sluice-migration:";

  /**
   * When it becomes visible unless it is taken away, in epoch seconds: the end of the year 9999.
   * Behind every delay, so that a range of an index can leave the holds out.
   */
  public static final long UNTIL = 253_402_300_799L;

  private LegacyHold() {}
}
