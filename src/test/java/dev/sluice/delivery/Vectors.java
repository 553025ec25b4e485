package dev.sluice.delivery;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The cases that the Go router and we agree on. */
final class Vectors {
  private Vectors() {}

  static Stream<JsonNode> read(String file) {
    try {
      JsonNode cases = new ObjectMapper().readTree(Path.of("fixtures", "vectors", file).toFile());
      return StreamSupport.stream(cases.spliterator(), false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
