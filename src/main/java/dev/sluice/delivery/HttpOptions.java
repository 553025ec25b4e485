package dev.sluice.delivery;

import java.time.Duration;

/**
 * How targets are called.
 *
 * @param connectTimeout for a connection to be made, TLS included; 1 ms to 1 day
 * @param exchangeTimeout for one try from its start to the end of the answer's body; 1 ms to 1 day
 * @param allowed which hosts may be called; a message for another is undeliverable
 */
public record HttpOptions(
    Duration connectTimeout, Duration exchangeTimeout, AllowedTargets allowed) {
  private static final Duration MAX = Duration.ofDays(1);

  /** 30 s to connect, 15 min in all, any host. */
  public static final HttpOptions DEFAULT =
      new HttpOptions(Duration.ofSeconds(30), Duration.ofMinutes(15), AllowedTargets.ANY);

  /**
   * @throws IllegalArgumentException naming the option that is out of range
   */
  public HttpOptions {
    check("connect timeout", connectTimeout);
    check("exchange timeout", exchangeTimeout);
  }

  private static void check(String name, Duration value) {
    if (value.toMillis() < 1 || value.compareTo(MAX) > 0) {
      throw new IllegalArgumentException(name + " must be 1 ms to 1 day, not " + value);
    }
  }
}
