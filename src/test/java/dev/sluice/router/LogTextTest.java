package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogTextTest {

  @ParameterizedTest
  @CsvSource({
    "https://t.example/a/b, https://t.example/a/b",
    "https://user:pass@t.example/a?key=1#top, https://t.example/a",
    "https://user:p@ss@t_x.example:8443, https://t_x.example:8443",
    "https://t.example/a@b, https://t.example/a@b",
    "https://t.example?next=http://u:p@x, https://t.example",
    "user:pass@t.example/a, t.example/a",
    "not a url, '\"not a url\"'"
  })
  void aTargetIsLoggedWithoutUserInfoAndQuery(String target, String logged) {
    assertThat(LogText.target(target)).isEqualTo(logged);
  }

  @Test
  void anIdCannotForgeALine() {
    assertThat(LogText.value("a\nevent=rejected")).isEqualTo("\"a\\u000aevent=rejected\"");
    assertThat(LogText.value("say \"hi\"")).isEqualTo("\"say \\\"hi\\\"\"");
    assertThat(LogText.value("")).isEqualTo("\"\"");
    assertThat(LogText.value("plain-1")).isEqualTo("plain-1");
  }

  @Test
  void aLongNameIsCut() {
    assertThat(LogText.value("g".repeat(5_000_000))).isEqualTo("g".repeat(1_000) + "...");
  }
}
