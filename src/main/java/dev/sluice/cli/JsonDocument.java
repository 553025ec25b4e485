package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Writes one JSON object as one line. Not thread-safe. */
final class JsonDocument {
  private static final JsonFactory FACTORY = new JsonFactory();

  private final JsonGenerator json;

  /** Writes the fields of an object, or the elements of an array. */
  @FunctionalInterface
  interface Body {
    void write(JsonDocument json);
  }

  /** Something that Jackson writes. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  private JsonDocument(JsonGenerator json) {
    this.json = json;
  }

  /** Writes an object with these fields, and ends the line. */
  static void print(PrintStream out, Body fields) {
    out.println(text(fields));
  }

  /** An object with these fields. */
  static String text(Body fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = FACTORY.createGenerator(text)) {
      new JsonDocument(generator).object(fields);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  JsonDocument object(Body fields) {
    step(json::writeStartObject);
    fields.write(this);
    step(json::writeEndObject);
    return this;
  }

  JsonDocument array(String name, Body elements) {
    step(() -> json.writeArrayFieldStart(name));
    elements.write(this);
    step(json::writeEndArray);
    return this;
  }

  JsonDocument strings(String name, Iterable<String> values) {
    return array(name, array -> values.forEach(value -> step(() -> json.writeString(value))));
  }

  JsonDocument field(String name, String value) {
    step(() -> json.writeStringField(name, value));
    return this;
  }

  JsonDocument field(String name, Optional<String> value) {
    return value.map(text -> field(name, text)).orElseGet(() -> nothing(name));
  }

  JsonDocument field(String name, long value) {
    step(() -> json.writeNumberField(name, value));
    return this;
  }

  JsonDocument field(String name, double value) {
    step(() -> json.writeNumberField(name, value));
    return this;
  }

  JsonDocument field(String name, boolean value) {
    step(() -> json.writeBooleanField(name, value));
    return this;
  }

  JsonDocument field(String name, OptionalLong value) {
    return value.isPresent() ? field(name, value.getAsLong()) : nothing(name);
  }

  JsonDocument field(String name, OptionalInt value) {
    return value.isPresent() ? field(name, value.getAsInt()) : nothing(name);
  }

  /** ISO 8601 in UTC; null for {@link Instant#EPOCH}, which stands for an unknown time. */
  JsonDocument field(String name, Instant value) {
    return value.equals(Instant.EPOCH) ? nothing(name) : field(name, value.toString());
  }

  private JsonDocument nothing(String name) {
    step(() -> json.writeNullField(name));
    return this;
  }

  private static void step(Step step) {
    try {
      step.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
