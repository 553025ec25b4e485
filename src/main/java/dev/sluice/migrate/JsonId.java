package dev.sluice.migrate;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The id that a payload gives itself. */
final class JsonId {
  /** An index entry holds no more, whatever else is in it. */
  private static final int LONGEST = 2_000;

  private static final JsonFactory JSON =
      new JsonFactoryBuilder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(10_000)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private JsonId() {}

  /**
   * The string under {@code id} at the top, the last one of several; empty where there is none that
   * a row could have.
   */
  static Optional<String> of(String payload) {
    String id = "";
    try (JsonParser json = JSON.createParser(payload)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return Optional.empty();
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        boolean isId = json.currentName().equals("id");
        JsonToken value = json.nextToken();
        if (isId) {
          id = value == JsonToken.VALUE_STRING ? json.getText() : "";
        }
        json.skipChildren();
      }
    } catch (IOException e) {
      // No JSON, or cut off: what stood before counts, as it does to whoever looks at the row.
    }
    return usable(id) ? Optional.of(id) : Optional.empty();
  }

  /** Whether a row may have the id that stands so between two quotes, without an escape. */
  static boolean usableUnescaped(String id) {
    return id.chars().allMatch(c -> c >= ' ') && usable(id);
  }

  private static boolean usable(String id) {
    return !id.isEmpty()
        && id.indexOf('\0') < 0
        && !id.startsWith(Tokens.HOLD)
        && !id.startsWith(Tokens.ARRIVING)
        && StandardCharsets.UTF_8.newEncoder().canEncode(id)
        && id.getBytes(StandardCharsets.UTF_8).length <= LONGEST;
  }
}
