package dev.sluice.cli;

import java.util.regex.Pattern;

/** Makes text fit for a terminal and a log: one line, no control characters, no passwords. */
final class Printable {
  private static final Pattern URI_PASSWORD = Pattern.compile("(://[^:/@\\s]*):[^\\s'\"]*@");
  private static final Pattern PARAMETER =
      Pattern.compile("((?:password|passwd|pwd)\\s*=\\s*)[^&\\s'\"]*", Pattern.CASE_INSENSITIVE);

  private Printable() {}

  /** The text with each control character as an escape, so that data cannot drive a terminal. */
  static String text(String text) {
    if (text.codePoints().noneMatch(Printable::isUnprintable)) {
      return text;
    }
    StringBuilder safe = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              if (isUnprintable(c)) {
                safe.append("\\u%04x".formatted(c));
              } else {
                safe.appendCodePoint(c);
              }
            });
    return safe.toString();
  }

  /** The text as one line, without the passwords of the URIs in it. */
  static String line(String text) {
    return text(withoutPasswords(text.strip().replaceAll("\\s*\\R\\s*", " ")));
  }

  /** The text without the passwords of the URIs in it. */
  static String withoutPasswords(String text) {
    String masked = URI_PASSWORD.matcher(text).replaceAll("$1:***@");
    return PARAMETER.matcher(masked).replaceAll("$1***");
  }

  // FORMAT: characters that reverse or hide what stands beside them.
  private static boolean isUnprintable(int c) {
    return Character.isISOControl(c)
        || Character.getType(c) == Character.FORMAT
        || Character.getType(c) == Character.LINE_SEPARATOR
        || Character.getType(c) == Character.PARAGRAPH_SEPARATOR;
  }
}
