package dev.sluice.queue.uri;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueueUriTest {
  private static final Map<String, String> EMPTY = Map.of();

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "postgres://u:p@h/d jdbc:postgresql://h:5432/d u p postgres://u@h/d",
        "postgresql://u:p@h:6000/d jdbc:postgresql://h:6000/d u p postgres://u@h:6000/d",
        "POSTGRES://u:p@h/d jdbc:postgresql://h:5432/d u p postgres://u@h/d",
        "postgres://u:p@h1:1,h2:2/d jdbc:postgresql://h1:1,h2:2/d u p postgres://u@h1:1,h2:2/d",
        "postgres://u:p@[::1]:6000/d jdbc:postgresql://[::1]:6000/d u p postgres://u@[::1]:6000/d",
        "postgres://u%40x:p%3A%2F%40+@h/a%20b jdbc:postgresql://h:5432/a+b u@x p:/@+ 'postgres://u@x@h/a b'",
        "postgres://u:p@q@h/d jdbc:postgresql://h:5432/d u p@q postgres://u@h/d",
        "harel://u:p@h/d jdbc:postgresql://h:5432/d u p harel://u@h/d",
      })
  void aUriIsTakenApart(String text, String jdbcUrl, String user, String password, String safe) {
    QueueUri uri = QueueUri.parse(text, EMPTY);

    assertThat(uri.jdbcUrl()).isEqualTo(jdbcUrl);
    assertThat(uri.user()).isEqualTo(user);
    assertThat(uri.password()).hasValue(password);
    assertThat(uri.safe()).isEqualTo(safe);
    assertThat(uri.toString()).isEqualTo(safe);
  }

  @Test
  void whatIsLeftOutComesFromTheEnvironment() {
    Map<String, String> environment =
        Map.of(
            "PGHOST",
            "db",
            "PGPORT",
            "6000",
            "PGUSER",
            "me",
            "PGDATABASE",
            "mine",
            "PGPASSWORD",
            "s");

    QueueUri uri = QueueUri.parse("postgres://", environment);

    assertThat(uri.jdbcUrl()).isEqualTo("jdbc:postgresql://db:6000/mine");
    assertThat(uri.user()).isEqualTo("me");
    assertThat(uri.password()).hasValue("s");
  }

  @Test
  void withoutAnEnvironmentTheDefaultsAreThoseOfPsql() {
    QueueUri uri = QueueUri.parse("postgres://", EMPTY);
    String me = System.getProperty("user.name");

    assertThat(uri.jdbcUrl()).isEqualTo("jdbc:postgresql://localhost:5432/" + me);
    assertThat(uri.user()).isEqualTo(me);
    assertThat(uri.password()).isEmpty();
    assertThat(QueueUri.parse("postgres://you@h", EMPTY).jdbcUrl())
        .isEqualTo("jdbc:postgresql://h:5432/you");
  }

  @Test
  void aPasswordInTheUriBeatsTheEnvironment() {
    assertThat(QueueUri.parse("postgres://u:a@h/d", Map.of("PGPASSWORD", "b")).password())
        .hasValue("a");
  }

  @Test
  void embeddedIsThePostgresThatTheProgramBringsAlong() {
    assertThat(QueueUri.parse("embedded:").embedded()).isTrue();
    assertThat(QueueUri.parse("embedded:").backend()).isEqualTo(QueueUri.Backend.LEGACY);
    assertThat(QueueUri.parse("embedded:").safe()).isEqualTo("embedded:");
    assertThat(QueueUri.parse("embedded-harel:").backend()).isEqualTo(QueueUri.Backend.HAREL);
    assertThat(QueueUri.parse("postgres://h/d").embedded()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "sslmode=require, sslmode, require",
    "sslrootcert=/a/b.pem, sslrootcert, /a/b.pem",
    "search_path=a%2Cb, currentSchema, 'a,b'",
    "application_name=x, ApplicationName, x",
    "connect_timeout=7, connectTimeout, 7",
    "target_session_attrs=any, targetServerType, any",
    "target_session_attrs=read-write, targetServerType, primary",
    "target_session_attrs=primary, targetServerType, primary",
    "target_session_attrs=read-only, targetServerType, secondary",
    "target_session_attrs=standby, targetServerType, secondary",
    "target_session_attrs=prefer-standby, targetServerType, preferSecondary",
    "options=-c%20statement_timeout%3D5s, options, -c statement_timeout=5s",
    "prepareThreshold=0, prepareThreshold, 0",
  })
  void parametersBecomePropertiesOfTheDriver(String query, String property, String value) {
    assertThat(QueueUri.parse("postgres://h/d?" + query, EMPTY).properties())
        .containsEntry(property, value);
  }

  @Test
  void whatOnlyPgxReadsIsIgnored() {
    assertThat(
            QueueUri.parse(
                    "postgres://h/d?pool_max_conns=4&pool_anything=x&default_query_exec_mode=exec"
                        + "&statement_cache_capacity=1&description_cache_capacity=1",
                    EMPTY)
                .properties())
        .isEmpty();
  }

  @Test
  void prefixAndKindAreOfHarelOnly() {
    QueueUri uri = QueueUri.parse("harel://h/d?prefix=a_1&kind=Message", EMPTY);

    assertThat(uri.prefix()).hasValue("a_1");
    assertThat(uri.kind()).hasValue("Message");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> QueueUri.parse("postgres://h/d?prefix=a", EMPTY))
        .withMessage("URI: unknown parameter 'prefix'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mysql://u:secret@h/d| URI: must begin with postgres://, postgresql:// or harel://, or be"
            + " embedded: or embedded-harel:",
        "nonsense| URI: must begin with postgres://, postgresql:// or harel://, or be embedded: or"
            + " embedded-harel:",
        "postgres://u:secret@h:x/d| URI: port: must be a number from 1 to 65535",
        "postgres://u:secret@h:0/d| URI: port: must be a number from 1 to 65535",
        "postgres://u:secret@h:65536/d| URI: port: must be a number from 1 to 65535",
        "postgres://u:secret%@h/d| URI: password: '%' must be followed by two hexadecimal digits",
        "postgres://u:secret@h,/d| URI: host: must not be empty",
        "postgres://u:secret@[::1/d| URI: host: '[' without ']'",
        "postgres://u:secret@[::1]x/d| URI: host: after ']' only :PORT may follow",
        "postgres://u:secret@%2Ftmp/d| URI: host: a socket directory cannot be used from Java; give"
            + " a host name",
        "postgres://u:sec#ret@h/d| URI: must not hold a '#'; write it as %23",
        "postgres://u:secret@h/d?nope=1| URI: unknown parameter 'nope'",
        "postgres://u:secret@h/d?password=x| URI: unknown parameter 'password'",
        "postgres://u:secret@h/d?connect_timeout=soon| URI: connect_timeout: must be a number of"
            + " seconds",
        "postgres://u:secret@h/d?target_session_attrs=x| URI: target_session_attrs: must be one of"
            + " any, prefer-standby, primary, read-only, read-write, standby",
        "harel://u:secret@h/d?prefix=1a| URI: prefix: must be a letter or '_', then letters, digits"
            + " or '_', at most 30 characters",
        "harel://u:secret@h/d?prefix=a%22b| URI: prefix: must be a letter or '_', then letters,"
            + " digits or '_', at most 30 characters",
      })
  void whatCannotBeReadIsToldInOneLineWithoutThePassword(String text, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> QueueUri.parse(text, EMPTY))
        .satisfies(e -> assertThat(e).hasNoCause())
        .withMessageNotContaining("secret")
        .satisfies(e -> assertThat(e.getMessage()).startsWith(message.substring(0, 12)))
        .satisfies(
            e ->
                assertThat(String.valueOf(e.getMessage()).replace(" ", ""))
                    .isEqualTo(message.replace(" ", "")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "postgres://u:hush/hush@h/d",
        "postgres://u:1/hush@h/d",
        "postgres://u:hush?hush@h/d",
        "postgres://u:1?hush=1@h/d",
        "postgres://u:hush%zz@h/d",
      })
  void aPasswordThatIsNotEncodedIsNotShownAsSomethingElse(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> QueueUri.parse(text, EMPTY))
        .withMessageNotContaining("hush");
  }

  @Test
  void aPlusInAParameterIsASpaceAsInGo() {
    assertThat(QueueUri.parse("postgres://h/d?options=-c+jit%3Doff", EMPTY).properties())
        .containsEntry("options", "-c jit=off");
  }

  @Test
  void aNamedRootCertificateIsCheckedAsInLibpq() {
    assertThat(
            QueueUri.parse("postgres://h/d?sslmode=require&sslrootcert=/a.pem", EMPTY).properties())
        .containsEntry("sslmode", "verify-ca");
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgres://u@h/%00", "postgres://u%0A@h/d", "harel://h/d?kind=%0D"})
  void controlCharactersAreRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> QueueUri.parse(text, EMPTY))
        .withMessageEndingWith(": must not hold control characters");
  }

  @Test
  void thePrefixIsPartOfWhatIsShown() {
    assertThat(QueueUri.parse("harel://u@h/d?prefix=P&sslmode=disable", EMPTY).safe())
        .isEqualTo("harel://u@h/d?prefix=P");
  }
}
