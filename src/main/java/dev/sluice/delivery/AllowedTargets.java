package dev.sluice.delivery;

import java.net.IDN;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which hosts may be called. Looks at the host and port that a connection would be made to, so
 * nothing else in a URL can pass for them; does not look at what a name resolves to. Immutable.
 */
public final class AllowedTargets {
  /** Every host. */
  public static final AllowedTargets ANY = new AllowedTargets(List.of());

  private static final Pattern FORM =
      Pattern.compile("(?:\\[([0-9A-Fa-f:.]+)]|([^\\s:/@\\[\\]?#%]+))(?::(\\d{1,5}))?");
  private static final int ANY_PORT = -1;
  private static final int MAX_PORT = 65_535;

  /** One pattern. */
  private interface Rule {
    boolean matches(TargetUrl target);
  }

  private final List<Rule> rules;

  private AllowedTargets(List<Rule> rules) {
    this.rules = rules;
  }

  /**
   * The hosts that match one of these patterns: {@code HOST}, {@code HOST:PORT}, {@code [IPV6]} or
   * {@code [IPV6]:PORT}. A {@code *} stands for any characters of one label, {@code *.} at the
   * beginning for one or more labels, {@code *} alone for every host. Case and a dot at the end do
   * not matter; without a port every port is meant.
   *
   * @param patterns none for {@link #ANY}
   * @throws IllegalArgumentException if one is no such pattern
   */
  public static AllowedTargets of(List<String> patterns) {
    return patterns.isEmpty()
        ? ANY
        : new AllowedTargets(patterns.stream().map(AllowedTargets::rule).toList());
  }

  /** Whether this URL may be called. */
  public boolean allows(TargetUrl target) {
    return rules.isEmpty() || rules.stream().anyMatch(rule -> rule.matches(target));
  }

  /**
   * @throws UndeliverableException if this URL may not be called
   */
  void require(TargetUrl target) throws UndeliverableException {
    if (!allows(target)) {
      throw new UndeliverableException("target host not allowed: " + target.host());
    }
  }

  private static Rule rule(String pattern) {
    Matcher form = FORM.matcher(pattern);
    if (!form.matches()) {
      throw wrong(pattern);
    }
    int port = form.group(3) == null ? ANY_PORT : Integer.parseInt(form.group(3));
    if (port == 0 || port > MAX_PORT) {
      throw wrong(pattern);
    }
    Rule host =
        form.group(1) == null ? name(form.group(2), pattern) : address(form.group(1), pattern);
    return target -> (port == ANY_PORT || port == target.connectPort()) && host.matches(target);
  }

  private static IllegalArgumentException wrong(String pattern) {
    return new IllegalArgumentException(
        "'" + pattern + "' is no pattern of hosts: give HOST, *.DOMAIN, HOST:PORT or [IPV6]:PORT");
  }

  private static Rule name(String text, String pattern) {
    if (text.equals("*")) {
      return target -> true;
    }
    boolean anyLabels = text.startsWith("*.");
    String rest = withoutDot(anyLabels ? text.substring(2) : text);
    if (rest.isEmpty() || rest.startsWith(".") || rest.contains("..")) {
      throw wrong(pattern);
    }
    Pattern form =
        Pattern.compile(
            (anyLabels ? "(?:[^.]+\\.)+" : "")
                + Arrays.stream(ascii(rest, pattern).split("\\*", -1))
                    .map(Pattern::quote)
                    .collect(Collectors.joining("[^.]*")));
    return target -> form.matcher(withoutDot(lower(target.host()))).matches();
  }

  // A name stands in a URL as DNS has it; a pattern may be written as people do.
  private static String ascii(String name, String pattern) {
    try {
      return lower(
          name.chars().allMatch(c -> c < 0x80) ? name : IDN.toASCII(name, IDN.ALLOW_UNASSIGNED));
    } catch (IllegalArgumentException e) {
      throw wrong(pattern);
    }
  }

  private static Rule address(String text, String pattern) {
    if (!Ipv6.isAddress(text)) {
      throw wrong(pattern);
    }
    byte[] address = bytes(text);
    return target -> target.host().contains(":") && Arrays.equals(address, bytes(target.host()));
  }

  // An address has many spellings; none of these asks a name server.
  private static byte[] bytes(String address) {
    try {
      return InetAddress.getByName("[" + address + "]").getAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("no IPv6 address: " + address, e);
    }
  }

  private static String withoutDot(String name) {
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
