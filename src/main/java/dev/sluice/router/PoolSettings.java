package dev.sluice.router;

import java.util.OptionalInt;

/**
 * What a pool is allowed to do: how many deliveries at the same time, and how many in a minute.
 *
 * @param code the name by which messages ask for it
 * @param concurrency how many messages are delivered at the same time, 1 to 10,000
 * @param perMinute how many deliveries may start in a minute, from 1; empty for no limit
 */
public record PoolSettings(String code, int concurrency, OptionalInt perMinute) {

  /** The pool of messages that name none, or one that is not there. */
  public static final String DEFAULT_CODE = "DEFAULT-POOL";

  /** As the Go router has it where nobody says otherwise. */
  public static final PoolSettings DEFAULT = PoolSettings.of(DEFAULT_CODE, 20);

  private static final int SECONDS = 60;
  private static final int MOST = 10_000;

  /**
   * Takes a concurrency of 0 as "enough for the rate": a sixtieth of it, at least 1.
   *
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public PoolSettings {
    if (code.isEmpty()) {
      throw new IllegalArgumentException("pool code: must not be empty");
    }
    if (perMinute.isPresent() && perMinute.getAsInt() < 1) {
      throw new IllegalArgumentException(
          "pool " + code + ": rate per minute must be from 1, was " + perMinute.getAsInt());
    }
    if (concurrency == 0) {
      concurrency = Math.min(MOST, Math.max(perMinute.orElse(0) / SECONDS, 1));
    }
    if (concurrency < 1 || concurrency > MOST) {
      throw new IllegalArgumentException(
          "pool " + code + ": concurrency must be from 0 to " + MOST + ", was " + concurrency);
    }
  }

  /** A pool without a limit per minute. */
  public static PoolSettings of(String code, int concurrency) {
    return new PoolSettings(code, concurrency, OptionalInt.empty());
  }

  /** The same pool with this many deliveries a minute at most. */
  public PoolSettings perMinute(int most) {
    return new PoolSettings(code, concurrency, OptionalInt.of(most));
  }

  /** How many messages wait in it at most: 40 per delivery at a time, at least 100. */
  int capacity() {
    return Math.max(40 * concurrency, 100);
  }
}
