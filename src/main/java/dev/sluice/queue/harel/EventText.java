package dev.sluice.queue.harel;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.sluice.queue.MalformedMessageException;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import java.io.IOException;
import java.util.Optional;

/**
 * The two forms in which an event carries a {@link Message}: the message itself, or a harel event
 * {@code {"id":...,"kind":...,"data":{message}}}, which Python workers read too.
 */
final class EventText {
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

  private static final String TARGET = "mediationTarget";

  private EventText() {}

  /** The message as an event of this kind; without one, the message's own JSON. */
  static String write(Message message, Optional<String> kind) {
    String json = MessageJson.write(message);
    return kind.map(k -> wrap(message.id(), k, json)).orElse(json);
  }

  private static String wrap(String id, String kind, String json) {
    return "{\"id\":" + quoted(id) + ",\"kind\":" + quoted(kind) + ",\"data\":" + json + "}";
  }

  // The value of {"messageId":"..."}: escaped as the message itself is.
  private static String quoted(String text) {
    String body = MessageJson.body(text);
    return body.substring(body.indexOf(':') + 1, body.length() - 1);
  }

  /** The message that an event carries; empty for one that carries none. */
  static Optional<Message> read(String event) {
    try {
      Shape shape = Shape.of(event);
      if (shape.isEvent) {
        return shape.data.isEmpty() || !Shape.of(shape.data).hasTarget
            ? Optional.empty()
            : Optional.of(MessageJson.read(shape.data));
      }
      return shape.hasTarget ? Optional.of(MessageJson.read(event)) : Optional.empty();
    } catch (MalformedMessageException | IOException e) {
      return Optional.empty();
    }
  }

  /** What stands at the top of a JSON object. */
  private static final class Shape {
    private boolean isEvent;
    private boolean hasTarget;
    private String data = "";

    static Shape of(String text) throws IOException {
      Shape shape = new Shape();
      try (JsonParser json = JSON.createParser(text)) {
        if (json.nextToken() != JsonToken.START_OBJECT) {
          return shape;
        }
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          shape.read(json.currentName(), json, text);
        }
      }
      return shape;
    }

    private void read(String name, JsonParser json, String text) throws IOException {
      JsonToken token = json.nextToken();
      long begin = json.currentTokenLocation().getCharOffset();
      if (name.equals("kind")) {
        isEvent = token == JsonToken.VALUE_STRING;
      } else if (name.equalsIgnoreCase(TARGET)) {
        hasTarget = true;
      }
      json.skipChildren();
      if (name.equals("data") && token == JsonToken.START_OBJECT) {
        long end = json.currentTokenLocation().getCharOffset() + 1;
        data = text.substring(Math.toIntExact(begin), Math.toIntExact(end));
      }
    }
  }
}
