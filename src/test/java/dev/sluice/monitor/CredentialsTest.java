package dev.sluice.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CredentialsTest {
  private final Credentials credentials = new Credentials("anna", "s3:crét");

  @Test
  void theRightOnesFit() {
    assertThat(credentials.areIn(basic("anna:s3:crét"))).isTrue();
  }

  @Test
  void theSchemeIsReadInAnyCase() {
    assertThat(credentials.areIn(basic("anna:s3:crét").replace("Basic", "bASIC"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"anna:", "anna:s3:cré", "anna:s3:crétt", ":s3:crét", "Anna:s3:crét", "anna", ""})
  void othersDoNot(String given) {
    assertThat(credentials.areIn(basic(given))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Basic", "Basic ", "Basic %%%", "Bearer YW5uYTpz", "anna:s3:crét"})
  void whatIsNoBasicHeaderDoesNot(String header) {
    assertThat(credentials.areIn(header)).isFalse();
  }

  @Test
  void anEmptyPasswordIsOne() {
    Credentials open = new Credentials("anna", "");

    assertThat(open.areIn(basic("anna:"))).isTrue();
    assertThat(open.areIn(basic("anna"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a:b"})
  void aUserThatNoClientCanSendIsRefused(String user) {
    assertThatThrownBy(() -> new Credentials(user, "secret"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("secret");
  }

  @Test
  void theirTextTellsNothing() {
    assertThat(credentials).hasToString("Credentials[***]");
  }

  private static String basic(String text) {
    return "Basic " + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
