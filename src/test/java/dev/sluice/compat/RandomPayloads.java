package dev.sluice.compat;

import java.util.List;
import java.util.Random;

/** Payloads of all sorts: good ones, odd but acceptable ones, and slightly broken ones. */
final class RandomPayloads {
  private static final List<String> FIELDS =
      List.of(
          "id",
          "poolCode",
          "authToken",
          "signingSecret",
          "mediationType",
          "mediationTarget",
          "messageGroupId",
          "highPriority",
          "dispatchMode");
  private static final List<String> STRINGS =
      List.of(
          "",
          "x",
          "HTTP",
          "\\n",
          "\\\\",
          "\\/",
          "\\\"",
          "\\u0000",
          "\\u00e9",
          "\\uD83D\\uDE00",
          "\\ud800",
          "\\udc00",
          "\\ud800\\ud83d\\ude00",
          "\\\\ud800",
          "\ud83d\ude00",
          "\ud800",
          "\udc00",
          "\u007f",
          "\u0085",
          "\u2028",
          "\ufeff",
          "\ufffd",
          "\uffff",
          "{",
          "}",
          ",");
  private static final List<String> OTHERS =
      List.of(
          "0",
          "-0",
          "1",
          "-1.5e+3",
          "1E400",
          "123456789012345678901234567890",
          "0.10e-0",
          "[]",
          "{}",
          "[1,\"a\",null]",
          "{\"id\":5}",
          "[[[[]]]]",
          "{\"a\":{\"b\":[true]}}",
          "\"x\"",
          "true",
          "null");
  private static final List<String> SPACES = List.of("", "", "", "", "", " ", "\t", "\n", "\r");
  private static final List<String> FRAGMENTS =
      List.of(
          "\"",
          "\\",
          "/",
          "{",
          "}",
          "[",
          "]",
          ":",
          ",",
          " ",
          "\t",
          "\n",
          "\f",
          "\u000b",
          "\u0000",
          "\u0001",
          "\u001e",
          "\u001f",
          "\u007f",
          "\u0085",
          "\u00a0",
          "\u0130",
          "\u0131",
          "\u017f",
          "\u2028",
          "\u212a",
          "\u3000",
          "\ufeff",
          "\uff11",
          "\ud800",
          "\udc00",
          "'",
          "#",
          "/*",
          "*/",
          "//",
          "0",
          "1",
          "9",
          "-",
          "+",
          ".",
          "e",
          "E",
          "_",
          "x",
          "u",
          "\\u",
          "\\ud800",
          "\\u12",
          "\\x",
          "\\'",
          "null",
          "true",
          "false",
          "nul",
          "NaN",
          "Infinity",
          "01",
          "1.",
          ".5",
          "1e",
          "{}",
          "[]",
          ",\"id\":null",
          "\"id\":\"y\",");

  private final Random random;

  RandomPayloads(Random random) {
    this.random = random;
  }

  String next() {
    String payload = space() + (random.nextInt(50) == 0 ? pick(OTHERS) : object()) + space();
    return random.nextBoolean() ? payload : mutated(payload);
  }

  /** The same payload after up to three small changes. */
  String mutated(String payload) {
    String mutated = payload;
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      mutated = mutate(mutated);
    }
    return mutated;
  }

  private String object() {
    StringBuilder object = new StringBuilder("{");
    for (int left = random.nextInt(10); left > 0; left--) {
      object.append(space()).append('"').append(key()).append('"').append(space()).append(':');
      object.append(space()).append(value(object)).append(space()).append(left > 1 ? "," : "");
    }
    return object.append(space()).append('}').toString();
  }

  private String key() {
    String key = pick(FIELDS);
    return switch (random.nextInt(8)) {
      case 0 -> pick(STRINGS);
      case 1 -> changeOne(key, c -> String.valueOf(lookalike(c)));
      case 2 -> changeOne(key, c -> "\\u%04x".formatted((int) c));
      case 3 -> changeOne(key, c -> "\\u%04X".formatted((int) lookalike(c)));
      default -> key;
    };
  }

  /** Mostly of the type that the key just written asks for. */
  private String value(CharSequence before) {
    if (random.nextInt(40) == 0) {
      return pick(OTHERS);
    }
    if (random.nextInt(6) == 0) {
      return "null";
    }
    if (before.toString().matches("(?s).*\"highPriority\"\\s*:\\s*")) {
      return random.nextBoolean() ? "true" : "false";
    }
    return '"' + pick(STRINGS) + pick(STRINGS) + '"';
  }

  private String mutate(String payload) {
    int from = random.nextInt(payload.length() + 1);
    int to = Math.min(payload.length(), from + 1 + random.nextInt(3));
    String before = payload.substring(0, from);
    String after = payload.substring(to);
    return switch (random.nextInt(6)) {
      case 0 -> before + after;
      case 1 -> before + pick(FRAGMENTS) + after;
      case 2, 3 -> before + pick(FRAGMENTS) + payload.substring(from);
      case 4 -> payload.substring(0, to) + payload.substring(from);
      default -> random.nextInt(4) == 0 ? before : payload;
    };
  }

  private interface Change {
    String of(char c);
  }

  private String changeOne(String key, Change change) {
    int at = random.nextInt(key.length());
    return key.substring(0, at) + change.of(key.charAt(at)) + key.substring(at + 1);
  }

  private char lookalike(char c) {
    return switch (c) {
      case 's', 'S' -> pick(List.of('s', 'S', '\u017f'));
      case 'k', 'K' -> pick(List.of('k', 'K', '\u212a'));
      case 'i', 'I' -> pick(List.of('i', 'I', '\u0130', '\u0131'));
      default -> random.nextBoolean() ? Character.toUpperCase(c) : Character.toLowerCase(c);
    };
  }

  private String space() {
    return pick(SPACES);
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }
}
