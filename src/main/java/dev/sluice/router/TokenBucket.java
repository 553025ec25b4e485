package dev.sluice.router;

import java.time.Duration;

/**
 * The rate limit of a pool: as many tokens a minute as its rate, saved up to a minute's worth. It
 * starts full and fills continuously, to the nanosecond: it counts in parts of which one token has
 * as many as a minute has nanoseconds, so that nothing is ever rounded away.
 *
 * <p>Instants are nanoseconds with any origin. Owned by one thread.
 */
final class TokenBucket {
  /** A rate beyond this is more than any process reaches, and taken as this: no sum overflows. */
  static final int HIGHEST_RATE = 100_000_000;

  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final long TOKEN = MINUTE;

  private long rate;
  private long parts;
  private long filledAt;

  /**
   * Makes a full bucket.
   *
   * @param perMinute from 1
   */
  TokenBucket(int perMinute, long now) {
    rate = checked(perMinute);
    parts = capacity();
    filledAt = now;
  }

  /** Takes a token if there is one. */
  boolean take(long now) {
    fill(now);
    if (parts < TOKEN) {
      return false;
    }
    parts -= TOKEN;
    return true;
  }

  /**
   * In how long there is a token if none is taken until then, in nanoseconds; 0 if there is one.
   */
  long nanosUntilToken(long now) {
    fill(now);
    long missing = TOKEN - parts;
    return missing <= 0 ? 0 : (missing + rate - 1) / rate;
  }

  /**
   * Changes the rate from now on. The tokens that were saved stay, up to a minute's worth of the
   * new rate: a change of the rate grants none, and takes none that the new rate would have saved.
   *
   * @param perMinute from 1
   */
  void changeRate(int perMinute, long now) {
    fill(now);
    rate = checked(perMinute);
    parts = Math.min(parts, capacity());
  }

  private void fill(long now) {
    long elapsed = now - filledAt;
    if (elapsed <= 0) {
      return;
    }
    filledAt = now;
    long gained = Math.min(elapsed, MINUTE) * rate;
    parts += Math.min(gained, capacity() - parts);
  }

  private long capacity() {
    return rate * TOKEN;
  }

  private static long checked(int perMinute) {
    if (perMinute < 1) {
      throw new IllegalArgumentException("rate per minute must be from 1, was " + perMinute);
    }
    return Math.min(perMinute, HIGHEST_RATE);
  }
}
