package dev.sluice.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpAddressTest {

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:8080, 127.0.0.1, 8080",
    "0.0.0.0:8080, 0.0.0.0, 8080",
    "[::1]:9, ::1, 9",
    "[fe80::1%eth0]:9, fe80::1%eth0, 9",
    "router.example:0, router.example, 0",
    "my_host:65535, my_host, 65535",
    "' 127.0.0.1:80 ', 127.0.0.1, 80"
  })
  void anAddressIsHostAndPort(String text, String host, int port) {
    assertThat(HttpAddress.parse(text)).contains(new HttpAddress(host, port));
  }

  @Test
  void aPortAloneIsOnLoopback() {
    assertThat(HttpAddress.parse(":8080")).contains(new HttpAddress("127.0.0.1", 8080));
  }

  @ParameterizedTest
  @ValueSource(strings = {"off", "OFF", " off "})
  void offIsNoAddress(String text) {
    assertThat(HttpAddress.parse(text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "8080",
        "localhost",
        "::1:9",
        "[::1]",
        "[::1:9",
        "host:port",
        "host:-1",
        "host:123456",
        "http://host:80",
        "user@host:80",
        "a b:80",
        "host:80/path"
      })
  void anythingElseIsRefusedInOneLine(String text) {
    assertThatThrownBy(() -> HttpAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "' is no HTTP address")
        .hasMessageNotContaining("\n");
  }

  @Test
  void aPortBeyondTheLastIsRefused() {
    assertThatThrownBy(() -> HttpAddress.parse("localhost:65536"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("'localhost:65536' is no HTTP address: ports end at 65535");
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:8080", "[::1]:9"})
  void itIsShownAsItIsWritten(String text) {
    assertThat(HttpAddress.parse(text)).hasValueSatisfying(a -> assertThat(a).hasToString(text));
  }
}
