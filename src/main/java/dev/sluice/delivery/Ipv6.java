package dev.sluice.delivery;

import java.util.regex.Pattern;

/** The text form of IPv6 addresses (RFC 4291), as strict as Go's {@code net/netip}. */
final class Ipv6 {
  private static final Pattern GROUP = Pattern.compile("[0-9A-Fa-f]{1,4}");
  private static final Pattern IPV4 =
      Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?!$)|$)){4}");
  private static final int GROUPS = 8;

  private Ipv6() {}

  static boolean isAddress(String text) {
    int gap = text.indexOf("::");
    if (gap < 0) {
      return groups(text, true) == GROUPS;
    }
    int before = groups(text.substring(0, gap), false);
    int after = groups(text.substring(gap + 2), true);
    return before >= 0 && after >= 0 && before + after < GROUPS;
  }

  /** How many 16-bit groups the text stands for, or a number below 0 where it is none. */
  private static int groups(String text, boolean atEnd) {
    if (text.isEmpty()) {
      return 0;
    }
    String[] parts = text.split(":", -1);
    int count = 0;
    for (int i = 0; i < parts.length; i++) {
      if (GROUP.matcher(parts[i]).matches()) {
        count++;
      } else if (atEnd && i == parts.length - 1 && IPV4.matcher(parts[i]).matches()) {
        count += 2;
      } else {
        return Integer.MIN_VALUE;
      }
    }
    return count;
  }
}
