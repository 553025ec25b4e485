package dev.sluice.delivery;

import java.net.IDN;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Where a message goes, read as Go 1.26 reads and sends a URL ({@code net/url.Parse}, {@code
 * net/http.NewRequest}): what Go sends as it is written stays so, dot segments, escapes and queries
 * among it. Immutable; its text form leaves out user info and query.
 */
public final class TargetUrl {
  private final boolean secure;
  private final String host;
  private final String zone;
  private final int port;
  private final String path;
  private final String query;
  private final Optional<String> userInfo;

  private TargetUrl(Parser parsed) throws UndeliverableException {
    secure = parsed.scheme.equals("https");
    host = parsed.host;
    zone = parsed.zone;
    port = parsed.port;
    path = parsed.escapedPath();
    query = UrlText.toText(parsed.query);
    userInfo = parsed.userInfo;
  }

  /**
   * Reads a URL.
   *
   * @throws UndeliverableException if Go would not call it: unparsable, not http or https, or
   *     without a host; and if its port is beyond 65535
   */
  public static TargetUrl parse(String url) throws UndeliverableException {
    return new TargetUrl(new Parser(url));
  }

  /** Whether it is an https URL. */
  boolean secure() {
    return secure;
  }

  /** {@code http} or {@code https}. */
  public String scheme() {
    return secure ? "https" : "http";
  }

  /** The host's name in ASCII, or its address without brackets and zone. */
  public String host() {
    return host;
  }

  /** The host as it is resolved: {@link #host()}, with the zone of an IPv6 address. */
  String connectHost() {
    return zone.isEmpty() ? host : host + "%" + zone;
  }

  /** The port as written, or -1. */
  public int port() {
    return port;
  }

  /** The port to connect to. */
  public int connectPort() {
    return port >= 0 ? port : secure ? 443 : 80;
  }

  /** What stands in the request line: path and query. */
  public String requestTarget() {
    return path + query;
  }

  /** The value of an Authorization header made of the user info. */
  public Optional<String> basicAuthorization() {
    return userInfo.map(
        bytes ->
            "Basic "
                + Base64.getEncoder().encodeToString(bytes.getBytes(StandardCharsets.ISO_8859_1)));
  }

  /** The URL without user info and query, for logs and for people. */
  public String safe() {
    String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return scheme() + "://" + name + (port >= 0 ? ":" + port : "") + path;
  }

  @Override
  public String toString() {
    return safe();
  }

  /** The steps of {@code net/url.Parse}, on bytes. */
  private static final class Parser {
    private static final int MAX_PORT = 65535;

    final String scheme;
    private String host = "";
    private String zone = "";
    private int port = -1;
    private Optional<String> userInfo = Optional.empty();
    private final String rawPath;
    final String query;

    Parser(String url) throws UndeliverableException {
      String bytes = UrlText.toBytes(url);
      int fragment = bytes.indexOf('#');
      if (fragment >= 0) {
        UrlText.unescape(bytes.substring(fragment + 1));
        bytes = bytes.substring(0, fragment);
      }
      require(none(bytes, c -> UrlText.isControl((char) c)), "control character in the target URL");
      int colon = bytes.indexOf(':');
      scheme = colon < 0 ? "" : bytes.substring(0, colon).toLowerCase(Locale.ROOT);
      require(
          scheme.equals("http") || scheme.equals("https"), "the target is no http or https URL");
      String rest = bytes.substring(colon + 1);
      int question = rest.indexOf('?');
      query = question < 0 ? "" : rest.substring(question);
      rest = question < 0 ? rest : rest.substring(0, question);
      require(rest.startsWith("//"), "no host in the target URL");
      int slash = rest.indexOf('/', 2);
      rawPath = slash < 0 ? "" : rest.substring(slash);
      readAuthority(slash < 0 ? rest.substring(2) : rest.substring(2, slash));
    }

    private void readAuthority(String authority) throws UndeliverableException {
      int at = authority.lastIndexOf('@');
      readHostAndPort(authority.substring(at + 1));
      if (at >= 0) {
        readUserInfo(authority.substring(0, at));
      }
    }

    private void readUserInfo(String raw) throws UndeliverableException {
      require(none(raw, c -> !UrlText.isUserInfo((char) c)), "bad user info in the target URL");
      int colon = raw.indexOf(':');
      String user = UrlText.unescape(colon < 0 ? raw : raw.substring(0, colon));
      String password = colon < 0 ? "" : UrlText.unescape(raw.substring(colon + 1));
      userInfo = Optional.of(user + ":" + password);
    }

    private void readHostAndPort(String raw) throws UndeliverableException {
      int bracket = raw.lastIndexOf('[');
      require(bracket <= 0, "bad IPv6 address in the target URL");
      int end = bracket == 0 ? raw.lastIndexOf(']') + 1 : raw.indexOf(':');
      end = end < 0 ? raw.length() : end;
      readPort(raw.substring(end));
      if (bracket == 0) {
        require(end > 0, "bad IPv6 address in the target URL");
        readAddress(raw.substring(1, end - 1));
      } else {
        readName(raw.substring(0, end));
      }
    }

    private void readPort(String raw) throws UndeliverableException {
      require(raw.isEmpty() || raw.charAt(0) == ':', "bad port in the target URL");
      if (raw.length() <= 1) {
        return;
      }
      String digits = raw.substring(1);
      require(none(digits, c -> c < '0' || c > '9'), "bad port in the target URL");
      String significant = digits.replaceFirst("^0+(?=.)", "");
      require(
          significant.length() <= 5 && Integer.parseInt(significant) <= MAX_PORT,
          "bad port in the target URL");
      port = Integer.parseInt(significant);
    }

    private void readAddress(String raw) throws UndeliverableException {
      int percent = raw.indexOf("%25");
      host = UrlText.unescapeHost(percent < 0 ? raw : raw.substring(0, percent));
      if (percent >= 0) {
        zone = UrlText.unescapeZone(raw.substring(percent + 3));
        require(!zone.isEmpty(), "bad IPv6 zone in the target URL");
      }
      require(Ipv6.isAddress(host), "bad IPv6 address in the target URL");
    }

    private void readName(String raw) throws UndeliverableException {
      String name = UrlText.toText(UrlText.unescapeHost(raw));
      require(!name.isEmpty(), "no host in the target URL");
      host = toAscii(name);
      require(
          none(host, c -> !UrlText.isHostHeader((char) c)),
          "bad character in the host of the target URL");
    }

    private static String toAscii(String name) throws UndeliverableException {
      if (none(name, c -> c >= 0x80)) {
        return name;
      }
      try {
        return IDN.toASCII(name, IDN.ALLOW_UNASSIGNED);
      } catch (IllegalArgumentException e) {
        throw new UndeliverableException("bad international host name in the target URL");
      }
    }

    /** As {@code URL.EscapedPath}: as written where that is a valid path, else escaped anew. */
    String escapedPath() throws UndeliverableException {
      String plain = UrlText.unescape(rawPath);
      if (rawPath.isEmpty()) {
        return "/";
      }
      return none(rawPath, c -> !UrlText.isEscapedPath((char) c))
          ? rawPath
          : UrlText.escapePath(plain);
    }

    private static boolean none(String text, IntPredicate test) {
      return text.chars().noneMatch(test);
    }

    private static void require(boolean condition, String reason) throws UndeliverableException {
      if (!condition) {
        throw new UndeliverableException(reason);
      }
    }
  }
}
