package dev.sluice.delivery;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;

/**
 * What the body of a successful answer asks for, read as Go's {@code encoding/json} reads it into
 * {@code ack *bool, flushGroup *bool, delaySeconds *uint32}: names in any case, the last of
 * duplicates wins, null unsets, and whatever does not decode asks for nothing. Unlike Go's, a bad
 * {@code delaySeconds} alone counts as absent.
 *
 * @param deferred whether {@code ack} is false
 * @param flush whether {@code flushGroup} is true
 * @param delaySeconds 0 to 4294967295; 0 when absent
 */
record AnswerBody(boolean deferred, boolean flush, long delaySeconds) {
  private static final AnswerBody NOTHING = new AnswerBody(false, false, 0);
  private static final long MAX_DELAY_SECONDS = 0xffff_ffffL;
  private static final int MAX_DELAY_DIGITS = 10;

  // The body is bounded already; these let pass what Go's reader lets pass.
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(10_000)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  static AnswerBody read(String body) {
    try (JsonParser json = JSON.createParser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return NOTHING;
      }
      return read(json);
    } catch (IOException e) {
      return NOTHING;
    }
  }

  private static AnswerBody read(JsonParser json) throws IOException {
    boolean wellTyped = true;
    boolean deferred = false;
    boolean flush = false;
    long delaySeconds = 0;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      JsonToken value = json.nextToken();
      if (name.equalsIgnoreCase("ack")) {
        wellTyped &= isBooleanOrNull(value);
        deferred = value == JsonToken.VALUE_FALSE;
      } else if (name.equalsIgnoreCase("flushGroup")) {
        wellTyped &= isBooleanOrNull(value);
        flush = value == JsonToken.VALUE_TRUE;
      } else if (name.equalsIgnoreCase("delaySeconds")) {
        delaySeconds = value == JsonToken.VALUE_NUMBER_INT ? seconds(json.getText()) : 0;
      }
      json.skipChildren();
    }
    boolean ended = json.nextToken() == null;
    return ended && wellTyped ? new AnswerBody(deferred, flush, delaySeconds) : NOTHING;
  }

  private static boolean isBooleanOrNull(JsonToken value) {
    return value.isBoolean() || value == JsonToken.VALUE_NULL;
  }

  private static long seconds(String digits) {
    if (digits.startsWith("-") || digits.length() > MAX_DELAY_DIGITS) {
      return 0;
    }
    long seconds = Long.parseLong(digits);
    return seconds <= MAX_DELAY_SECONDS ? seconds : 0;
  }
}
