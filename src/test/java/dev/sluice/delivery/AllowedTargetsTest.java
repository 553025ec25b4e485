package dev.sluice.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowedTargetsTest {

  private static boolean allows(String pattern, String url) throws UndeliverableException {
    return AllowedTargets.of(List.of(pattern)).allows(TargetUrl.parse(url));
  }

  @Test
  void withoutPatternsEveryHostIsAllowed() throws Exception {
    assertThat(AllowedTargets.of(List.of()).allows(TargetUrl.parse("http://any.example/")))
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "good.example, http://good.example/",
    "good.example, https://good.example:8443/x?y",
    "good.example, http://GOOD.Example/",
    "GOOD.example., http://good.example/",
    "good.example, http://good.example./",
    "good.example, http://user:pass@good.example/",
    "good.example, http://evil@good.example/",
    "good.example, http://ｇｏｏｄ.example/",
    "good.example, http://good。example/",
    "good.example:443, https://good.example/",
    "good.example:80, http://good.example/",
    "good.example:8080, http://good.example:08080/",
    "*.good.example, http://a.good.example/",
    "*.good.example, http://a.b.good.example/",
    "api-*.good.example, http://api-7.good.example/",
    "10.0.0.*, http://10.0.0.7/",
    "bücher.example, http://xn--bcher-kva.example/",
    "xn--bcher-kva.example, http://BÜCHER.example/",
    "a_b, http://a_b/",
    "[::1], http://[0:0::1]/",
    "[::1]:81, http://[::1]:81/",
    "[::FFFF:1.2.3.4], http://[::ffff:102:304]/",
    "[fe80::1], http://[fe80::1%25eth0]/",
    "*, http://any.example/",
    "*, http://[::1]/",
  })
  void aHostThatMatchesIsAllowed(String pattern, String url) throws Exception {
    assertThat(allows(pattern, url)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "good.example, http://evil.example/",
    "good.example, http://good.example@evil.example/",
    "good.example, http://good.example:80@evil.example/",
    "good.example, http://evil.example/good.example",
    "good.example, http://evil.example/?good.example",
    "good.example, http://evil.example#@good.example/",
    "good.example, http://evil.example?@good.example/",
    "good.example, http://good.example.evil.example/",
    "good.example, http://notgood.example/",
    "good.example, http://a.good.example/",
    "good.example, http://goodxexample/",
    "good.example, http://good.example../",
    "good.example:443, http://good.example/",
    "good.example:80, http://good.example:8080/",
    "*.good.example, http://good.example/",
    "*.good.example, http://.good.example/",
    "*.good.example, http://evil.example/.good.example",
    "*.good.example, http://evilgood.example/",
    "api-*.good.example, http://api-x.evil.good.example/",
    "127.0.0.1, http://2130706433/",
    "127.0.0.1, http://[::ffff:127.0.0.1]/",
    "10.0.0.*, http://10.0.0.7.evil.example/",
    "[::1], http://[::2]/",
    "[::1]:81, http://[::1]/",
    "1.2.3.4, http://[::1]/",
  })
  void aHostThatOnlyLooksLikeItIsNot(String pattern, String url) throws Exception {
    assertThat(allows(pattern, url)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "http://good.example",
        "good.example/x",
        "user@good.example",
        "good.example:",
        "good.example:0",
        "good.example:65536",
        "good.example:x",
        "*.",
        ".good.example",
        "good..example",
        "::1",
        "[good.example]",
        "[::1",
        "10.0.0.0/8",
        "good example"
      })
  void whatIsNoPatternIsRefused(String pattern) {
    assertThatThrownBy(() -> AllowedTargets.of(List.of(pattern)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("'" + pattern + "' is no pattern of hosts: give HOST");
  }

  @Test
  void aMessageForAnotherHostIsUndeliverableWithoutACall() {
    Loopback names = new Loopback();
    HttpOptions options =
        new HttpOptions(
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            AllowedTargets.of(List.of("good.example")));
    try (HttpMediator mediator =
        new HttpMediator(
            new ManualTime(Instant.EPOCH),
            options,
            () -> new HttpTransport.Network(Optional.empty(), names))) {

      assertThat(
              mediator
                  .deliver(Deliveries.to("http://good:secret@Evil.example/"))
                  .toCompletableFuture()
                  .join())
          .isEqualTo(new Outcome.Permanent("target host not allowed: Evil.example", false));
      assertThat(names.threads()).isEmpty();
    }
  }
}
