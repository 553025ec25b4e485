package dev.sluice.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SignatureTest {

  static Stream<JsonNode> vectors() {
    return Vectors.read("signature.json");
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void itIsGos(JsonNode vector) {
    Signature signature =
        Signature.of(
            vector.get("secret").textValue(),
            Instant.parse(vector.get("timestamp").textValue()),
            vector.get("body").textValue());

    assertThat(signature.timestamp()).isEqualTo(vector.get("timestamp").textValue());
    assertThat(signature.value()).isEqualTo(vector.get("signature").textValue());
  }

  @Test
  void theTimestampIsCutToMilliseconds() {
    Signature signature = Signature.of("s", Instant.parse("2026-01-01T00:00:00.123999Z"), "");

    assertThat(signature.timestamp()).isEqualTo("2026-01-01T00:00:00.123Z");
  }
}
