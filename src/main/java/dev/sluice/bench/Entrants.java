package dev.sluice.bench;

/** Who takes part, as reports call them. */
public final class Entrants {
  /** The statements of the Go services, or harel's functions, on their own indexes. */
  public static final String SEED = "seed";

  /** The same on a table that has our indexes too. */
  public static final String SEED_INDEXED = "seed with our indexes";

  /** Ours on a table as Go made it. */
  public static final String OURS_PLAIN = "sluice without indexes";

  /** Ours with the claim indexes. */
  public static final String OURS = "sluice";

  /** Ours with the wake-up trigger too. */
  public static final String OURS_NOTIFIED = "sluice with notify";

  /** The limit that the machine sets: the same rows by primary key, COPY, or HTTP alone. */
  public static final String BARE = "bare";

  private Entrants() {}
}
