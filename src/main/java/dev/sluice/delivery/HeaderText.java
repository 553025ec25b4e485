package dev.sluice.delivery;

import java.nio.charset.StandardCharsets;

/** What may stand in a header. */
final class HeaderText {
  private HeaderText() {}

  /** Whether Go sends this text as the value of a header: no control character but the tab. */
  static boolean isValue(String text) {
    return text.chars().noneMatch(c -> c != '\t' && UrlText.isControl((char) c));
  }

  /** The value as Go writes it: without blanks at its end, which mean nothing in HTTP. */
  static String trimEnd(String value) {
    int end = value.length();
    while (end > 0 && (value.charAt(end - 1) == ' ' || value.charAt(end - 1) == '\t')) {
      end--;
    }
    return value.substring(0, end);
  }

  /**
   * The text with its percent signs, spaces and all that is not visible ASCII percent-encoded as
   * UTF-8: any text fits into a header, and common names stay as they are.
   */
  static String percentEncode(String text) {
    StringBuilder encoded = new StringBuilder(text.length());
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b > ' ' && b < 0x7f && b != '%') {
        encoded.append((char) b);
      } else {
        UrlText.appendEscape(encoded, b);
      }
    }
    return encoded.toString();
  }
}
