package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {

  @Test
  void passwordsOfUrisAreMasked() {
    assertThat(Printable.line("no postgres://app:s3cret@db:5432/shop there"))
        .isEqualTo("no postgres://app:***@db:5432/shop there");
  }

  @Test
  void aPasswordMayHoldTheSignsOfAUri() {
    assertThat(Printable.line("'postgres://app:s:3/c@r?et@db/shop'"))
        .isEqualTo("'postgres://app:***@db/shop'");
  }

  @Test
  void passwordsOfParametersAreMasked() {
    assertThat(Printable.line("jdbc:postgresql://db/shop?user=app&password=s3cret&ssl=true"))
        .isEqualTo("jdbc:postgresql://db/shop?user=app&password=***&ssl=true");
  }

  @Test
  void aUriWithoutAPasswordStays() {
    assertThat(Printable.line("postgres://app@db/shop")).isEqualTo("postgres://app@db/shop");
  }

  @Test
  void severalLinesBecomeOne() {
    assertThat(Printable.line("first\n  second\r\nthird")).isEqualTo("first second third");
  }

  @Test
  void controlAndDirectionCharactersAreEscaped() {
    assertThat(Printable.text("a\u001b[2J\u202eb\u0000ü😀"))
        .isEqualTo("a\\u001b[2J\\u202eb\\u0000ü😀");
  }
}
