package dev.sluice.delivery;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** What the Go router does, recorded. */
final class Vectors {
  private Vectors() {}

  static JsonNode read(String file) {
    try {
      return new ObjectMapper().readTree(Path.of("fixtures", "vectors", file).toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
