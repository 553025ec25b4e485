package dev.sluice.queue;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Halves of a surrogate pair without their other half, which Go replaces by U+FFFD. */
final class LoneSurrogates {
  // Every escape is matched, so that in \\ud800 the second backslash begins none.
  private static final Pattern ESCAPE =
      Pattern.compile(
          """
          \\\\(?:\
          u[dD][89abAB]\\p{XDigit}{2}\\\\u[dD][c-fC-F]\\p{XDigit}{2}\
          |(u[dD][89a-fA-F]\\p{XDigit}{2})\
          |.)""",
          Pattern.DOTALL);
  private static final int LONE = 1;

  private LoneSurrogates() {}

  /** The text with this in place of each lone surrogate. */
  static String replace(String text, String replacement) {
    int first = indexOfLone(text, 0);
    if (first < 0) {
      return text;
    }
    StringBuilder clean = new StringBuilder(text.length() + replacement.length());
    int copied = 0;
    for (int lone = first; lone >= 0; lone = indexOfLone(text, copied)) {
      clean.append(text, copied, lone).append(replacement);
      copied = lone + 1;
    }
    return clean.append(text, copied, text.length()).toString();
  }

  /** The JSON with <code>&#92;ufffd</code> in place of each escape of a lone surrogate. */
  static String replaceEscapes(String json) {
    if (!json.contains("\\ud") && !json.contains("\\uD")) {
      return json;
    }
    return ESCAPE
        .matcher(json)
        .replaceAll(
            escape ->
                Matcher.quoteReplacement(escape.group(LONE) == null ? escape.group() : "\\ufffd"));
  }

  private static int indexOfLone(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (!Character.isSurrogate(unit)) {
        continue;
      }
      if (Character.isHighSurrogate(unit)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
        continue;
      }
      return i;
    }
    return -1;
  }
}
