package dev.sluice.compat;

import dev.sluice.queue.Message;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Messages made of the characters that JSON writers differ on. */
final class RandomMessages {
  private static final int[] TRAPS =
      "\"\\/<>&'`\b\f\n\r\t\u0000\u000b\u001f\u007f\u0080\u0085\u00a0\u017f\u2027\u2028\u2029\u202a"
          .concat("\u212a\ud7ff\ue000\ufdd0\ufeff\ufffd\ufffe\uffff\ud83d\ude00\udbff\udfff")
          .codePoints()
          .toArray();

  private final Random random;

  RandomMessages(Random random) {
    this.random = random;
  }

  Message next() {
    return new Message(
        text(),
        text(),
        textOrNull(),
        textOrNull(),
        random.nextBoolean() ? "HTTP" : text(),
        text(),
        textOrNull(),
        random.nextBoolean(),
        random.nextBoolean() ? "BLOCK_ON_ERROR" : text());
  }

  private @Nullable String textOrNull() {
    return random.nextInt(3) == 0 ? null : text();
  }

  private String text() {
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(12); left > 0; left--) {
      text.appendCodePoint(codePoint());
    }
    return text.toString();
  }

  private int codePoint() {
    return switch (random.nextInt(4)) {
      case 0 -> TRAPS[random.nextInt(TRAPS.length)];
      case 1 -> random.nextInt(0x800);
      case 2 -> valid(random.nextInt(Character.MAX_CODE_POINT + 1));
      default -> ' ' + random.nextInt(95);
    };
  }

  private static int valid(int codePoint) {
    boolean surrogate = Character.getType(codePoint) == Character.SURROGATE;
    return surrogate ? 'x' : codePoint;
  }
}
