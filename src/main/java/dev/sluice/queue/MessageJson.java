package dev.sluice.queue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of a {@link Message}, byte for byte as Go's {@code encoding/json} (1.22 and later)
 * writes it, and read as leniently as Go reads it. Stateless and safe for use by many threads.
 *
 * <p>A Java string can hold a lone surrogate, which UTF-8 cannot. It is treated as Go treats a byte
 * that is no UTF-8: written as the escape {@code \ufffd}, read as U+FFFD.
 *
 * <p>One payload that Go takes is refused on purpose: {@code null}, which Go reads as a message
 * with every field unset.
 */
public final class MessageJson {
  // Go's encoding/json refuses what is nested deeper, and limits nothing else.
  private static final int MAX_DEPTH = 10_000;

  // Names are not shared between payloads: producers choose them, and could fill or attack a table.
  private static final JsonFactory JSON =
      new JsonFactoryBuilder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .characterEscapes(new GoEscapes())
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .build())
          .build();

  private MessageJson() {}

  /** The message as Go would write it. */
  public static String write(Message message) {
    return object(
        json -> {
          json.writeStringField("id", message.id());
          writeUnlessEmpty(json, "poolCode", message.poolCode());
          writeUnlessNull(json, "authToken", message.authTokenOrNull());
          writeUnlessNull(json, "signingSecret", message.signingSecretOrNull());
          json.writeStringField("mediationType", message.mediationType());
          json.writeStringField("mediationTarget", message.mediationTarget());
          writeUnlessNull(json, "messageGroupId", message.messageGroupIdOrNull());
          if (message.highPriority()) {
            json.writeBooleanField("highPriority", true);
          }
          writeUnlessEmpty(json, "dispatchMode", message.dispatchMode());
        });
  }

  /** What a target is sent for the message of this id: {@code {"messageId":"<id>"}}. */
  public static String body(String id) {
    return object(json -> json.writeStringField("messageId", id));
  }

  /**
   * The message that this payload holds. Strings that it leaves out are empty, pointers null.
   *
   * @throws MalformedMessageException if Go would refuse it, or if it is no JSON object
   */
  public static Message read(String payload) throws MalformedMessageException {
    return MessageReader.read(JSON, payload);
  }

  private interface Fields {
    void writeTo(JsonGenerator json) throws IOException;
  }

  private static String object(Fields fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      fields.writeTo(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a StringWriter never fails
    }
    return LoneSurrogates.replace(text.toString(), "\\ufffd");
  }

  private static void writeUnlessEmpty(JsonGenerator json, String field, String value)
      throws IOException {
    if (!value.isEmpty()) {
      json.writeStringField(field, value);
    }
  }

  private static void writeUnlessNull(JsonGenerator json, String field, @Nullable String value)
      throws IOException {
    if (value != null) {
      json.writeStringField(field, value);
    }
  }
}
