package dev.sluice.cli;

import java.time.Instant;
import java.util.Locale;

/** Figures as people read them. */
final class Words {
  private Words() {}

  /** {@code 1,234}. */
  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /** {@code 1 message}, {@code 2 messages}. */
  static String count(long count, String noun) {
    return count(count) + " " + noun + (count == 1 ? "" : "s");
  }

  /** {@code 59s}, {@code 12m}, {@code 3h 20m}, {@code 4d 2h}. */
  static String age(long seconds) {
    if (seconds < 60) {
      return seconds + "s";
    }
    long minutes = seconds / 60;
    if (minutes < 60) {
      return minutes + "m";
    }
    long hours = minutes / 60;
    return hours < 24 ? hours + "h " + minutes % 60 + "m" : hours / 24 + "d " + hours % 24 + "h";
  }

  /** {@code 0.42 s}. */
  static String seconds(double seconds) {
    return String.format(Locale.ROOT, seconds < 10 ? "%.2f s" : "%.1f s", seconds);
  }

  /** {@code 1,234/s}. */
  static String rate(double perSecond) {
    return String.format(Locale.ROOT, perSecond < 10 ? "%.1f/s" : "%,.0f/s", perSecond);
  }

  /** ISO 8601 in UTC, or {@code -} where nobody knows. */
  static String time(Instant instant) {
    return instant.equals(Instant.EPOCH) ? "-" : instant.toString();
  }

  /** As much of the text as fits. */
  static String cut(String text, int length) {
    return text.codePointCount(0, text.length()) <= length
        ? text
        : text.substring(0, text.offsetByCodePoints(0, length - 1)) + "…";
  }
}
