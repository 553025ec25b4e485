package dev.sluice.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A log message taken apart: the code writes {@code something happened queue=orders count=3}.
 *
 * @param text what stands outside of the pairs
 * @param fields the pairs, in their order, values without quotes
 */
record LogLine(String text, Map<String, String> fields) {
  private static final Pattern PAIR =
      Pattern.compile(
          "(?<![^\\s])(\\p{Alpha}\\w*)=(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^\\s\"]\\S*|))(?!\\S)");

  static LogLine parse(String message) {
    Map<String, String> fields = new LinkedHashMap<>();
    StringBuilder text = new StringBuilder();
    Matcher pair = PAIR.matcher(message);
    while (pair.find()) {
      pair.appendReplacement(text, "");
      String quoted = pair.group(2);
      fields.put(pair.group(1), quoted == null ? pair.group(3) : unescape(quoted));
    }
    pair.appendTail(text);
    return new LogLine(text.toString().strip().replaceAll(" {2,}", " "), fields);
  }

  /** The value as one word of a key=value line: quoted where it could end early or look empty. */
  static String quoted(String value) {
    if (!value.isEmpty() && value.chars().allMatch(LogLine::isPlain)) {
      return value;
    }
    return '"' + Printable.text(value.replace("\\", "\\\\").replace("\"", "\\\"")) + '"';
  }

  private static boolean isPlain(int c) {
    return c > ' ' && c != '"' && c != '=' && c != '\\' && c < 0x7f;
  }

  private static String unescape(String value) {
    return value.replaceAll("\\\\([\"\\\\])", "$1");
  }
}
