package dev.sluice.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Expected values are what Go 1.26 writes or says for the same URL. */
class TargetUrlTest {

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      quoteCharacter = '\u0001',
      value = {
        "http://t -> /",
        "http://h/a/../b/./c//d -> /a/../b/./c//d",
        "http://h// -> //",
        "http://h/* -> /*",
        "http://h/a%2Fb%7e -> /a%2Fb%7e",
        "http://h/%e9 -> /%e9",
        "http://h/a b -> /a%20b",
        "http://h/é -> /%C3%A9",
        "http://h/a%20b é -> /a%20b%20%C3%A9",
        "http://h/a%2Fb c -> /a/b%20c",
        "http://h/[x]!'()* -> /[x]!'()*",
        "http://h/a;b=c,d:e@f&g=$h+i -> /a;b=c,d:e@f&g=$h+i",
        "http://h/a|b -> /a%7Cb",
        "http://h/\"<>^`{}\\ -> /%22%3C%3E%5E%60%7B%7D%5C",
        "http://h?x=1 -> /?x=1",
        "http://h/p? -> /p?",
        "http://h/p?q=a b&é -> /p?q=a b&é",
        "http://h/?%zz -> /?%zz",
        "http://h/p#frag -> /p",
        "http://h/x?a#b?c -> /x?a"
      })
  void theRequestTargetIsWhatGoSends(String url, String target) throws UndeliverableException {
    assertThat(TargetUrl.parse(url).requestTarget()).isEqualTo(target);
  }

  @ParameterizedTest
  @CsvSource({
    "http://t, t, 80",
    "HTTPS://T.Example/Hook, T.Example, 443",
    "http://my_host:8080/a, my_host, 8080",
    "http://h:/x, h, 80",
    "http://h./, h., 80",
    "http://1.2.3.4:81/, 1.2.3.4, 81",
    "http://[::1], ::1, 80",
    "http://[::ffff:1.2.3.4]:8080/, ::ffff:1.2.3.4, 8080",
    "http://[fe80::1%25eth0]/x, fe80::1%eth0, 80",
    "http://bücher.example/, xn--bcher-kva.example, 80",
    "http://b%C3%BCcher.example/, xn--bcher-kva.example, 80"
  })
  void itConnectsToWhatGoConnectsTo(String url, String host, int port)
      throws UndeliverableException {
    TargetUrl target = TargetUrl.parse(url);

    assertThat(target.connectHost()).isEqualTo(host);
    assertThat(target.connectPort()).isEqualTo(port);
  }

  @Test
  void theZoneOfAnAddressIsNotToldToTheTarget() throws UndeliverableException {
    assertThat(TargetUrl.parse("http://[fe80::1%25eth0]/x").host()).isEqualTo("fe80::1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "x",
        "/x",
        "ftp://h/",
        "http:x",
        "http:/x",
        "http://",
        "http:///x",
        "http://:80/",
        "http://u@/",
        " http://h/",
        "http://h/%zz",
        "http://h/%",
        "http://h/%a",
        "http://h/#%zz",
        "http://h/\n",
        "http://h/\u007f",
        "http://h /",
        "http://h%20/",
        "http://h%41/",
        "http://h<x/",
        "http://h:x/",
        "http://h:-1/",
        "http://a:1:2/",
        "http://::1/",
        "http://[::1/",
        "http://[::1]x/",
        "http://[1.2.3.4]/",
        "http://[::1%25]/",
        "http://u x@h/",
        "http://h:65536/"
      })
  void whatGoRefusesIsUndeliverable(String url) {
    assertThatThrownBy(() -> TargetUrl.parse(url)).isInstanceOf(UndeliverableException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "http://u:p@h/, Basic dTpw",
    "http://u@h/, Basic dTo=",
    "http://:p@h/, Basic OnA=",
    "http://@h/, Basic Og==",
    "http://u%40x:p%3A@h/, Basic dUB4OnA6",
    "http://a@b@h/, Basic YUBiOg==",
    "http://%C3%A9:%ff@h/, Basic w6k6/w=="
  })
  void userInfoBecomesBasic(String url, String authorization) throws UndeliverableException {
    assertThat(TargetUrl.parse(url).basicAuthorization()).contains(authorization);
  }

  @Test
  void withoutUserInfoThereIsNoBasic() throws UndeliverableException {
    assertThat(TargetUrl.parse("http://h/a@b").basicAuthorization()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "https://user:secret@t.example:8443/hook?token=secret#secret, https://t.example:8443/hook",
    "http://[::1]:80/?secret, http://[::1]:80/",
    "http://user@t.example, http://t.example/"
  })
  void itsTextHidesUserInfoAndQuery(String url, String safe) throws UndeliverableException {
    assertThat(TargetUrl.parse(url).safe()).isEqualTo(safe);
    assertThat(TargetUrl.parse(url)).hasToString(safe);
  }

  @Test
  void whyItIsUndeliverableDoesNotRepeatIt() {
    assertThatThrownBy(() -> TargetUrl.parse("http://user:secret@h:x/?secret"))
        .hasMessage("bad port in the target URL");
  }
}
