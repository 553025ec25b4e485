package dev.sluice.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SignatureTest {

  static Iterable<JsonNode> vectors() {
    return Vectors.read("signature.json");
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void signsAsTheGoRouterDoes(JsonNode vector) {
    Signature signature =
        Signature.of(
            vector.get("secret").asText(),
            Instant.parse(vector.get("timestamp").asText()),
            vector.get("body").asText().getBytes(StandardCharsets.UTF_8));

    assertThat(signature)
        .isEqualTo(
            new Signature(vector.get("timestamp").asText(), vector.get("signature").asText()));
  }
}
