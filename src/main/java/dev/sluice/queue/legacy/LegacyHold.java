package dev.sluice.queue.legacy;

/**
 * How a migration and polls of the table keep out of each other's way: what it leaves there to hold
 * a group back, a delayed row at its head, which is no message; and the lock that it holds.
 */
public final class LegacyHold {
  /** What the id of such a row begins with; the name that a migration signs with everywhere. */
  public static final String PREFIX = "sluice-migration:";

  /**
   * When it becomes visible unless it is taken away, in epoch seconds: the end of the year 9999.
   * Behind every delay, so that a range of an index can leave the holds out.
   */
  public static final long UNTIL = 253_402_300_799L;

  /** The first key of the advisory lock of a migration; the second is a hash of the queue. */
  public static final int LOCK_SPACE = 7_723_030;

  /**
   * For how many milliseconds polls without our indexes remember what they saw; not while that lock
   * is taken. Whoever has taken it waits as long before it puts rows before others.
   */
  public static final long REMEMBERED_MILLIS = 200;

  private LegacyHold() {}
}
