package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonIdTest {
  @Test
  void theIdAtTheTopCounts() {
    assertThat(JsonId.of("{\"data\":{\"id\":\"inner\"},\"id\":\"outer\"}")).contains("outer");
  }

  @Test
  void theLastOfSeveralCounts() {
    assertThat(JsonId.of("{\"id\":\"one\",\"id\":\"two\"}")).contains("two");
  }

  @Test
  void aNumberIsNoId() {
    assertThat(JsonId.of("{\"id\":5}")).isEmpty();
  }

  @Test
  void textThatIsNoJsonHasNoId() {
    assertThat(JsonId.of("plain")).isEmpty();
  }

  @Test
  void anIdThatNoColumnTakesIsNone() {
    assertThat(JsonId.of("{\"id\":\"a\\u0000b\"}")).isEmpty();
  }

  @Test
  void anIdThatNoIndexTakesIsNone() {
    assertThat(JsonId.of("{\"id\":\"" + "x".repeat(2_001) + "\"}")).isEmpty();
  }

  @Test
  void anIdLikeOursIsNone() {
    assertThat(JsonId.of("{\"id\":\"sluice-migration:1\"}")).isEmpty();
  }
}
