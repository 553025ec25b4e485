package dev.sluice.monitor;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;

/** The user and password that the endpoint asks for. Immutable; its text form tells neither. */
public final class Credentials {
  private static final String SCHEME = "Basic ";

  private final byte[] user;
  private final byte[] password;

  /**
   * @throws IllegalArgumentException if the user is empty or holds a colon, which no client can
   *     send
   */
  public Credentials(String user, String password) {
    if (user.isEmpty() || user.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "the user of the HTTP endpoint must be a name without colons");
    }
    this.user = user.getBytes(StandardCharsets.UTF_8);
    this.password = password.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Whether a request comes with them.
   *
   * @param authorization the header as it came; empty for none
   */
  boolean areIn(String authorization) {
    String given = decoded(authorization);
    int colon = given.indexOf(':');
    // Both are compared whatever the first says: the time tells nobody which of them was wrong.
    boolean userFits = fits(user, given.substring(0, Math.max(colon, 0)));
    boolean passwordFits = fits(password, given.substring(colon + 1));
    return colon >= 0 && userFits && passwordFits;
  }

  private static String decoded(String authorization) {
    if (!authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return "";
    }
    try {
      byte[] bytes = Base64.getDecoder().decode(authorization.substring(SCHEME.length()).strip());
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  private static boolean fits(byte[] expected, String given) {
    return MessageDigest.isEqual(expected, given.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String toString() {
    return "Credentials[***]";
  }
}
