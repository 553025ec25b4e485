package dev.sluice.queue.harel;

import dev.sluice.queue.Receipt;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a receipt of this backend says: {@code <seq>:<worker>:<uuid hex>:<group>}.
 *
 * @param seq the message
 * @param token what the group's row holds while the claim lives
 * @param group the message's group
 */
record Claim(long seq, String token, String group) {
  // A worker's name holds no colon; a group may hold anything.
  private static final Pattern RECEIPT =
      Pattern.compile("(\\d{1,19}):([^:]*:[0-9a-f]{32}):(.*)", Pattern.DOTALL);

  /** Of a group, by a token. */
  record Lease(String group, String token) {}

  Lease lease() {
    return new Lease(group, token);
  }

  Receipt receipt() {
    return new Receipt(seq + ":" + token + ":" + group);
  }

  /** Empty for a receipt that is none of ours. */
  static Optional<Claim> of(Receipt receipt) {
    Matcher matcher = RECEIPT.matcher(receipt.value());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Claim(Long.parseLong(matcher.group(1)), matcher.group(2), matcher.group(3)));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
