package dev.sluice.queue.harel;

import dev.sluice.queue.Receipt;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a receipt of this backend says: {@code <seq>:<length of group>:<group><token>}, since a
 * group and a worker's name may hold anything.
 *
 * @param seq the message
 * @param token what the group's row holds while the claim lives
 * @param group the message's group
 */
record Claim(long seq, String token, String group) {
  private static final Pattern RECEIPT =
      Pattern.compile("(-?\\d{1,19}):(\\d{1,9}):(.*)", Pattern.DOTALL);

  /** Of a group, by a token. */
  record Lease(String group, String token) {}

  Lease lease() {
    return new Lease(group, token);
  }

  Receipt receipt() {
    return new Receipt(seq + ":" + group.length() + ":" + group + token);
  }

  /** Empty for a receipt that is none of ours. */
  static Optional<Claim> of(Receipt receipt) {
    Matcher matcher = RECEIPT.matcher(receipt.value());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    String rest = matcher.group(3);
    int length = Integer.parseInt(matcher.group(2));
    if (length >= rest.length()) {
      return Optional.empty();
    }
    try {
      long seq = Long.parseLong(matcher.group(1));
      return Optional.of(new Claim(seq, rest.substring(length), rest.substring(0, length)));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
