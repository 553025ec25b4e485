package dev.sluice.migrate;

import dev.sluice.model.LegacyRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Rows as years of producers leave them: ties, ids of every kind, payloads that nobody can read.
 */
final class RandomRows {
  private static final int SPAN_SECONDS = 3_000;

  private final Random random;
  private final long now;
  private final Map<String, String> idsAsWritten = new HashMap<>();
  private final List<LegacyRow> rows = new ArrayList<>();

  /**
   * @param now epoch seconds; all rows are older
   */
  RandomRows(long seed, int groups, int messages, long now) {
    this.random = new Random(seed);
    this.now = now;
    for (int n = 0; n < messages; n++) {
      add(n, random.nextInt(12) == 0 ? null : group(random.nextInt(groups)));
    }
  }

  List<LegacyRow> rows() {
    return rows;
  }

  /** The ids by payload, of the rows whose payload says the same id. */
  Map<String, String> idsAsWritten() {
    return idsAsWritten;
  }

  private static String group(int number) {
    return switch (number % 5) {
      case 0 -> "g" + number;
      case 1 -> "Group " + number;
      case 2 -> "_größe-" + number;
      case 3 -> "g/" + number + "'\"\\";
      default -> "ключ" + number;
    };
  }

  private void add(int number, @Nullable String group) {
    String id = id(number);
    long createdAt = now - SPAN_SECONDS - 1 + random.nextInt(SPAN_SECONDS);
    Integer receives = random.nextInt(10) == 0 ? null : Integer.valueOf(random.nextInt(4));
    rows.add(
        new LegacyRow(
            Sides.QUEUE, id, group, null, createdAt, payload(id, number), createdAt, receives));
  }

  // Ascending, descending and in no order, in both cases: no two collations sort them alike.
  private String id(int number) {
    return switch (random.nextInt(4)) {
      case 0 -> "m-%08d".formatted(number);
      case 1 -> "M-%08d".formatted(99_999_999 - number);
      case 2 -> "%08x-%d".formatted(random.nextInt(), number);
      default -> "é_" + number;
    };
  }

  private String payload(String id, int number) {
    String rest = "\"mediationTarget\":\"https://" + Snapshot.MARK + "/" + number + "\"}";
    return switch (random.nextInt(40)) {
      case 0 -> "{\"id\":\"other-" + number + "\"," + rest;
      case 1 -> "{" + rest;
      case 2 -> "not JSON " + Snapshot.MARK + " " + number;
      case 3 -> "{\"id\":" + number + "," + rest;
      case 4 -> "{ \"ID\" : \"x\" , \"n\":1e2,\"text\":\"\\u003c\\ud83d\\ude00 \u2028\", " + rest;
      case 5 -> "[\"" + Snapshot.MARK + "\", " + number + "]";
      default -> written(id, "{\"id\":\"" + id + "\",\"mediationType\":\"HTTP\"," + rest);
    };
  }

  private String written(String id, String payload) {
    idsAsWritten.put(payload, id);
    return payload;
  }
}
