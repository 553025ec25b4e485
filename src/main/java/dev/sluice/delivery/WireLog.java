package dev.sluice.delivery;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;

/**
 * Keeps the HTTP client from logging at debug level: it would write tokens, queries and payloads,
 * which no level may show.
 */
public final class WireLog {
  private WireLog() {}

  /** Does so for this process, whatever its level; needs no undoing. */
  public static void silence() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logback) {
      logback.getLogger("org.apache.hc").setLevel(Level.WARN);
    }
  }
}
