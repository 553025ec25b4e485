package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;

/** What users get wrong first: one clear line each, without the password. */
class WrongInputTest extends WithDatabase {
  private String uri(String password, String host, int port, String name) {
    URI real = URI.create(database().uri());
    String user = real.getUserInfo().split(":", 2)[0];
    return "postgres://%s:%s@%s:%d/%s".formatted(user, password, host, port, name);
  }

  private static void assertOneLine(CliRun run, int exitCode, String... parts) {
    assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err()).startsWith("sluice: ").contains(parts).doesNotContain("s3cret");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aDatabaseThatIsDown() {
    CliRun run = CliRun.sluice("stats", "--uri", uri("s3cret", "127.0.0.1", 9, "shop"));

    assertOneLine(run, 1, "127.0.0.1:9", "check that PostgreSQL runs there");
  }

  @Test
  void drainGivesUpOnADatabaseThatIsDown() {
    CliRun run =
        CliRun.sluice(
            "drain",
            "--queue",
            "q",
            "--database-wait",
            "0",
            "--uri",
            uri("s3cret", "127.0.0.1", 9, "shop"));

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("127.0.0.1:9").doesNotContain("s3cret");
  }

  @Test
  void aHostThatNobodyKnows() {
    CliRun run =
        CliRun.sluice("stats", "--uri", uri("s3cret", "no-such-host.invalid", 5432, "shop"));

    assertOneLine(run, 1, "there is no host 'no-such-host.invalid'", "in --uri");
  }

  @Test
  void aDatabaseThatIsNotThere() {
    URI real = URI.create(database().uri());
    String password = real.getUserInfo().split(":", 2)[1];

    CliRun run =
        CliRun.sluice(
            "stats", "--uri", uri(password, real.getHost(), real.getPort(), "no_such_database"));

    assertOneLine(run, 1, "no_such_database", "check the database's name in --uri");
  }

  @Test
  void aWrongPassword() {
    URI real = URI.create(database().uri());
    execute("CREATE ROLE stranger LOGIN");
    try {
      String uri =
          "postgres://stranger:s3cret@%s:%d%s"
              .formatted(real.getHost(), real.getPort(), real.getPath());

      CliRun run = CliRun.sluice("stats", "--uri", uri);

      assertThat(run.exitCode()).isIn(1, 3);
      assertThat(run.err()).doesNotContain("s3cret");
    } finally {
      execute("DROP ROLE stranger");
    }
  }

  @Test
  void aUriThatIsNone() {
    assertThat(CliRun.sluice("stats", "--uri", "shop").exitCode()).isEqualTo(2);
  }

  @Test
  void anUnknownParameterOfAUri() {
    CliRun run = CliRun.sluice("stats", "--uri", database().uri() + "?no_such_thing=1");

    assertOneLine(run, 2, "no_such_thing");
  }

  @Test
  void debugShowsTheStackTrace() {
    CliRun run = CliRun.sluice("stats", "--debug", "--uri", uri("s3cret", "127.0.0.1", 9, "shop"));

    assertThat(run.err()).contains("\tat dev.sluice").doesNotContain("s3cret");
  }

  @Test
  void noPrivilegeForTheTable() {
    initSchema();
    execute("CREATE ROLE guest LOGIN PASSWORD 's3cret'");
    try {
      URI real = URI.create(database().uri());
      CliRun run =
          CliRun.sluice(
              "stats",
              "--uri",
              "postgres://guest:s3cret@%s:%d%s"
                  .formatted(real.getHost(), real.getPort(), real.getPath()));

      assertOneLine(run, 1, "permission denied for table queue_messages", "grant this user");
    } finally {
      execute("DROP OWNED BY guest");
      execute("DROP ROLE guest");
    }
  }
}
