package dev.sluice.delivery;

import java.nio.charset.StandardCharsets;

/**
 * Percent-coding by the rules of Go's {@code net/url}. Texts are strings of bytes: each char is one
 * byte of the UTF-8 form, because Go escapes and compares bytes.
 */
final class UrlText {
  private static final String HEX = "0123456789ABCDEF";
  private static final String UNRESERVED = "-_.~";

  private UrlText() {}

  static String toBytes(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  static String toText(String bytes) {
    return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  /** Whether Go leaves a byte of a path as it is when it escapes one. */
  static boolean isPath(char c) {
    return isAlphanumeric(c) || UNRESERVED.indexOf(c) >= 0 || "$&+,/:;=@".indexOf(c) >= 0;
  }

  /** Whether an already escaped path may hold the byte; a wider set than {@link #isPath}. */
  static boolean isEscapedPath(char c) {
    return isPath(c) || "!'()*[]%".indexOf(c) >= 0;
  }

  /** Whether a byte may stand in a host that was read from a URL. */
  static boolean isHost(char c) {
    return isAlphanumeric(c) || c >= 0x80 || "-_.~!$&'()*+,;=:[]<>\"".indexOf(c) >= 0;
  }

  /** Whether Go sends a Host header with this byte. */
  static boolean isHostHeader(char c) {
    return isAlphanumeric(c) || "-_.~!$&'()*+,;=:[]%".indexOf(c) >= 0;
  }

  static boolean isUserInfo(char c) {
    return isAlphanumeric(c) || "-._:~!$&'()*+,;=%@".indexOf(c) >= 0;
  }

  static boolean isControl(char c) {
    return c < ' ' || c == 0x7f;
  }

  static String escapePath(String bytes) {
    StringBuilder escaped = new StringBuilder(bytes.length() + 16);
    for (int i = 0; i < bytes.length(); i++) {
      char c = bytes.charAt(i);
      if (isPath(c)) {
        escaped.append(c);
      } else {
        appendEscape(escaped, c);
      }
    }
    return escaped.toString();
  }

  static void appendEscape(StringBuilder to, int b) {
    to.append('%').append(HEX.charAt((b >> 4) & 15)).append(HEX.charAt(b & 15));
  }

  /**
   * Decodes every escape.
   *
   * @throws UndeliverableException on a percent sign that two hexadecimal digits do not follow
   */
  static String unescape(String bytes) throws UndeliverableException {
    if (bytes.indexOf('%') < 0) {
      return bytes;
    }
    StringBuilder decoded = new StringBuilder(bytes.length());
    for (int i = 0; i < bytes.length(); i++) {
      char c = bytes.charAt(i);
      if (c == '%') {
        decoded.append((char) decodeEscape(bytes, i));
        i += 2;
      } else {
        decoded.append(c);
      }
    }
    return decoded.toString();
  }

  /** Decodes a host, in which only bytes beyond ASCII and the percent sign may be escaped. */
  static String unescapeHost(String bytes) throws UndeliverableException {
    for (int i = 0; i < bytes.length(); i++) {
      char c = bytes.charAt(i);
      if (c == '%') {
        int b = decodeEscape(bytes, i);
        if (b < 0x80 && b != '%') {
          throw new UndeliverableException("bad escape in the host of the target URL");
        }
        i += 2;
      } else if (!isHost(c)) {
        throw new UndeliverableException("bad character in the host of the target URL");
      }
    }
    return unescape(bytes);
  }

  /** Decodes an IPv6 zone, in which escapes may stand for what a host may hold, and for a space. */
  static String unescapeZone(String bytes) throws UndeliverableException {
    for (int i = 0; i < bytes.length(); i++) {
      boolean escaped = bytes.charAt(i) == '%';
      char c = escaped ? (char) decodeEscape(bytes, i) : bytes.charAt(i);
      boolean allowed = escaped ? c == '%' || c == ' ' || (c < 0x80 && isHost(c)) : isHost(c);
      if (!allowed) {
        throw new UndeliverableException("bad IPv6 zone in the target URL");
      }
      i += escaped ? 2 : 0;
    }
    return unescape(bytes);
  }

  private static int decodeEscape(String bytes, int at) throws UndeliverableException {
    int high = at + 2 < bytes.length() ? hex(bytes.charAt(at + 1)) : -1;
    int low = at + 2 < bytes.length() ? hex(bytes.charAt(at + 2)) : -1;
    if (high < 0 || low < 0) {
      throw new UndeliverableException("bad percent escape in the target URL");
    }
    return (high << 4) | low;
  }

  private static int hex(char c) {
    return c < 0x80 ? Character.digit(c, 16) : -1;
  }

  private static boolean isAlphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
}
