package dev.sluice.load;

/** How large a run is. */
final class Size {
  /** Whether this is a run of many minutes. */
  static final boolean FULL = Boolean.getBoolean("sluice.load.full");

  private Size() {}

  static int of(int ordinary, int full) {
    return FULL ? full : ordinary;
  }
}
