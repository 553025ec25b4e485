package dev.sluice.router;

/** Values for key=value lines: no line breaks from ids, no passwords from URLs. */
public final class LogText {
  /** As long as an id or a group may be before the rest of it tells nobody more. */
  private static final int LONGEST = 1_000;

  private LogText() {}

  /** The text, quoted and escaped where it holds anything that could end a value or a line. */
  public static String value(String text) {
    return text.length() > LONGEST
        ? quotedIfNeeded(text.substring(0, LONGEST)) + "..."
        : quotedIfNeeded(text);
  }

  private static String quotedIfNeeded(String text) {
    if (!text.isEmpty() && text.chars().allMatch(LogText::isPlain)) {
      return text;
    }
    StringBuilder quoted = new StringBuilder(text.length() + 8).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  /**
   * A target without user info, query and fragment. Works on the text, since targets need not be
   * URIs in Java's eyes.
   */
  static String target(String url) {
    String bare = url.substring(0, firstOf(url, "?#", 0));
    int scheme = bare.indexOf("://");
    int authority = scheme < 0 ? 0 : scheme + 3;
    int userInfo = bare.lastIndexOf('@', firstOf(bare, "/\\", authority) - 1);
    if (userInfo < authority) {
      return value(bare);
    }
    return value(bare.substring(0, authority) + bare.substring(userInfo + 1));
  }

  private static boolean isPlain(int c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
  }

  private static int firstOf(String text, String chars, int from) {
    for (int i = from; i < text.length(); i++) {
      if (chars.indexOf(text.charAt(i)) >= 0) {
        return i;
      }
    }
    return text.length();
  }
}
