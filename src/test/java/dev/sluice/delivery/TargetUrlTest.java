package dev.sluice.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The expected values are what Go 1.26's {@code http.NewRequest} makes of the same URLs. */
class TargetUrlTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '\0',
      value = {
        "http://t.example/hook /hook",
        "http://t.example /",
        "http://t.example?x=1 /?x=1",
        "http://t.example/? /?",
        "http://t.example/p#frag /p",
        "http://t.example/a/../b/./c//d /a/../b/./c//d",
        "http://t.example//x//y //x//y",
        "http://t.example/%2f%41~ /%2f%41~",
        "http://t.example/%C3%BC /%C3%BC",
        "http://t.example/ü /%C3%BC",
        "http://t.example/a[b]'()!*;,@: /a[b]'()!*;,@:",
        "http://t.example/a\"b<c>|^`{}\\ /a%22b%3Cc%3E%7C%5E%60%7B%7D%5C",
        "http://t.example/* /*",
        "http://t.example/x?a?b#c?d /x?a?b",
        "http://t.example/p?c=%zz&d=ü#f /p?c=%zz&d=ü",
        "http://1.2.3.4:9/a;b=c? /a;b=c?",
      })
  void theRequestTargetIsWhatGoSends(String url, String requestTarget) throws Exception {
    assertThat(TargetUrl.parse(url).requestTarget()).isEqualTo(requestTarget);
  }

  @Test
  void aPathThatGoMustEscapeIsDecodedFirst() throws Exception {
    assertThat(TargetUrl.parse("http://t.example/a b%2Fc").requestTarget()).isEqualTo("/a%20b/c");
    assertThat(TargetUrl.parse("http://t.example/a[b] c").requestTarget())
        .isEqualTo("/a%5Bb%5D%20c");
  }

  @Test
  void spacesInAQueryStay() throws Exception {
    assertThat(TargetUrl.parse("http://t.example/p?q=a b").requestTarget()).isEqualTo("/p?q=a b");
  }

  @ParameterizedTest
  @CsvSource({
    "http://t.example/, t.example, -1, 80",
    "HTTP://T.example/, T.example, -1, 80",
    "hTTpS://t.example, t.example, -1, 443",
    "https://t.example:8443/, t.example, 8443, 8443",
    "http://t.example:/x, t.example, -1, 80",
    "http://t.example:0080/x, t.example, 80, 80",
    "http://a_b.example/x, a_b.example, -1, 80",
    "http://[::1]:81/x, ::1, 81, 81",
    "http://[::ffff:1.2.3.4]/, ::ffff:1.2.3.4, -1, 80",
    "http://[1:2:3:4:5:6:7::]/, 1:2:3:4:5:6:7::, -1, 80",
    "http://bücher.example/x, xn--bcher-kva.example, -1, 80",
    "http://%C3%BC.example/, xn--tda.example, -1, 80",
  })
  void theHostAndPortAreRead(String url, String host, int port, int connectPort) throws Exception {
    TargetUrl target = TargetUrl.parse(url);

    assertThat(target.host()).isEqualTo(host);
    assertThat(target.port()).isEqualTo(port);
    assertThat(target.connectPort()).isEqualTo(connectPort);
  }

  @Test
  void theZoneOfAnAddressIsForConnectingOnly() throws Exception {
    TargetUrl target = TargetUrl.parse("http://[fe80::1%25a%20b]/");

    assertThat(target.host()).isEqualTo("fe80::1");
    assertThat(target.connectHost()).isEqualTo("fe80::1%a b");
  }

  @ParameterizedTest
  @CsvSource({
    "http://user:pa%20ss@t.example/x, user:pa ss",
    "http://user@t.example/, user:",
    "http://us@er:p:q@t.example/, us@er:p:q",
    "http://@t.example/, :",
  })
  void userInfoBecomesBasic(String url, String credentials) throws Exception {
    String encoded =
        Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));

    assertThat(TargetUrl.parse(url).basicAuthorization()).contains("Basic " + encoded);
  }

  @Test
  void noUserInfoIsNoBasic() throws Exception {
    assertThat(TargetUrl.parse("http://t.example/").basicAuthorization()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/x",
        "t.example/x",
        "//t.example/x",
        "http:",
        "http:/x",
        "http:///x",
        "http:t.example",
        "http://user@/x",
        "http://:80/x",
        "ftp://t.example/",
        " http://t.example/",
        "http://t.example/%",
        "http://t.example/%zz",
        "http://t.example/p#%zz",
        "http://t.example:8a/",
        "http://t.example:99999/",
        "http://a:b:c/",
        "http://[::1/",
        "http://[::1]x/",
        "http://[1.2.3.4]/",
        "http://[::g]/",
        "http://[1:2:3:4:5:6:7:8::]/",
        "http://[fe80::1%25]/",
        "http://[fe80::1%25a%2fb]/",
        "http://x[::1]/",
        "http://t example/",
        "http://%41.example/",
        "http://a<b/",
        "http://us er@t.example/",
        "http://t.example\n/",
        "http://t.example/\u007f",
        "http://t.example/\r\nX-Injected: 1",
      })
  void whatGoWouldNotCallIsRefused(String url) {
    assertThatThrownBy(() -> TargetUrl.parse(url)).isInstanceOf(UndeliverableException.class);
  }

  @Test
  void aRefusalDoesNotRepeatTheUrl() {
    assertThatThrownBy(() -> TargetUrl.parse("http://user:secret@t.example/%zz?token=secret"))
        .hasMessageNotContaining("secret");
  }

  @Test
  void theSafeFormLeavesOutUserInfoAndQuery() throws Exception {
    TargetUrl target = TargetUrl.parse("https://user:secret@[::1]:8443/a b?token=secret#x");

    assertThat(target.safe()).isEqualTo("https://[::1]:8443/a%20b");
    assertThat(target).hasToString("https://[::1]:8443/a%20b");
  }
}
