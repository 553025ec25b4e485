package dev.sluice.monitor;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where the HTTP endpoint listens.
 *
 * @param host a name or an address, an IPv6 address without brackets
 * @param port 0 to 65535; 0 for any that is free
 */
public record HttpAddress(String host, int port) {
  private static final String LOOPBACK = "127.0.0.1";
  private static final int MAX_PORT = 65_535;
  private static final Pattern FORM =
      Pattern.compile("(?:\\[([0-9A-Fa-f:.]+(?:%[\\w.]+)?)]|([^\\s:/\\[\\]@]*)):(\\d{1,5})");

  /** Where {@code run} listens when nothing else is said: 127.0.0.1:8080. */
  public static final HttpAddress DEFAULT = new HttpAddress(LOOPBACK, 8080);

  /**
   * @throws IllegalArgumentException if the host is empty or the port out of range
   */
  public HttpAddress {
    if (host.isEmpty()) {
      throw new IllegalArgumentException("host: must not be empty");
    }
    if (port < 0 || port > MAX_PORT) {
      throw new IllegalArgumentException("port: must be from 0 to " + MAX_PORT + ", was " + port);
    }
  }

  /**
   * Reads {@code HOST:PORT}, {@code [IPV6]:PORT}, {@code :PORT} for loopback only, or {@code off}.
   *
   * @return empty for {@code off}
   * @throws IllegalArgumentException if it is none of these; its message is one line for a person
   */
  public static Optional<HttpAddress> parse(String text) {
    String bare = text.strip();
    if (bare.toLowerCase(Locale.ROOT).equals("off")) {
      return Optional.empty();
    }
    Matcher form = FORM.matcher(bare);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "'"
              + bare
              + "' is no HTTP address: give HOST:PORT, as in 127.0.0.1:8080 or [::1]:8080, or off");
    }
    String host = form.group(1) != null ? form.group(1) : form.group(2);
    int port = Integer.parseInt(form.group(3));
    if (port > MAX_PORT) {
      throw new IllegalArgumentException(
          "'" + bare + "' is no HTTP address: ports end at " + MAX_PORT);
    }
    return Optional.of(new HttpAddress(host.isEmpty() ? LOOPBACK : host, port));
  }

  /** As it is written. */
  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
