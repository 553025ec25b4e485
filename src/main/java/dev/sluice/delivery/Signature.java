package dev.sluice.delivery;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * How a target knows that a request is ours: HMAC-SHA256 over time and body, as the Go router
 * signs.
 *
 * @param timestamp UTC, {@code yyyy-MM-ddTHH:mm:ss.SSSZ}
 * @param value lowercase hexadecimal
 */
record Signature(String timestamp, String value) {
  private static final String ALGORITHM = "HmacSHA256";
  private static final DateTimeFormatter TIMESTAMP =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** Signs a body as of now. */
  static Signature of(String secret, Instant now, String body) {
    String timestamp = TIMESTAMP.format(now);
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key(secret), ALGORITHM));
      mac.update(timestamp.getBytes(StandardCharsets.US_ASCII));
      return new Signature(
          timestamp, HexFormat.of().formatHex(mac.doFinal(body.getBytes(StandardCharsets.UTF_8))));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no " + ALGORITHM + " in this Java", e);
    }
  }

  /** HMAC fills a key up with zero bytes, so one of them is the empty key, which Mac refuses. */
  private static byte[] key(String secret) {
    return secret.isEmpty() ? new byte[1] : secret.getBytes(StandardCharsets.UTF_8);
  }
}
