package dev.sluice.queue.uri;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.QueueException;
import dev.sluice.testing.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class EmbeddedPostgresTest {
  private static Path home;

  @BeforeAll
  static void aPlaceThatAShellWouldNotLeaveAlone(@TempDir Path temporary) {
    home = temporary.resolve("of $(mine) & 'yours'").resolve(EmbeddedPostgres.DEFAULT_HOME);
  }

  @AfterEach
  void nothingRuns() throws IOException {
    if (Files.isDirectory(home)) {
      EmbeddedPostgres.open(home).close();
    }
    assertThat(postmaster()).doesNotExist();
  }

  @Test
  void whatWasWrittenSurvivesTheServer() {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(home)) {
      EmbeddedUser.query(postgres, "DROP TABLE IF EXISTS kept");
      EmbeddedUser.query(postgres, "CREATE TABLE kept AS SELECT 42 AS n");
      assertThat(EmbeddedUser.query(postgres, "SHOW fsync")).isEqualTo("on");
    }
    assertThat(postmaster()).doesNotExist();

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(home)) {
      assertThat(EmbeddedUser.query(postgres, "SELECT n FROM kept")).isEqualTo("42");
    }
  }

  @Test
  void onlyTheOwnerSeesThePassword() throws IOException {
    EmbeddedPostgres.open(home).close();

    assertThat(mode(home.resolve("password"))).isEqualTo("rw-------");
    assertThat(mode(home)).isEqualTo("rwx------");
    assertThat(home.resolveSibling(".gitignore")).hasContent("*");
  }

  @Test
  void aWrongPasswordIsRefused() {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(home)) {
      assertThatThrownBy(
              () ->
                  DriverManager.getConnection(
                      "jdbc:postgresql://127.0.0.1:" + postgres.port() + "/postgres",
                      postgres.user(),
                      "guess"))
          .hasMessageContaining("password authentication failed");
    }
  }

  @Test
  void itListensOnTheLoopbackAddressOnly() throws IOException {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(home)) {
      assertThat(EmbeddedUser.query(postgres, "SHOW listen_addresses")).isEqualTo("127.0.0.1");
      assertThat(EmbeddedUser.query(postgres, "SHOW unix_socket_directories")).isEmpty();
    }
  }

  @Test
  void twoUsersOfOneProcessShareTheServer() {
    try (EmbeddedPostgres first = EmbeddedPostgres.open(home)) {
      EmbeddedPostgres second = EmbeddedPostgres.open(home);
      assertThat(second.port()).isEqualTo(first.port());

      second.close();
      second.close();

      assertThat(EmbeddedUser.query(first, "SELECT 1")).isEqualTo("1");
    }
    assertThat(postmaster()).doesNotExist();
  }

  @Test
  void theServerStopsWithTheLastProcessThatUsesIt() throws Exception {
    try (UserProcess first = UserProcess.of(home)) {
      int port = first.port();
      try (UserProcess second = UserProcess.of(home)) {
        assertThat(second.port()).isEqualTo(port);

        assertThat(first.ask("close")).isEqualTo("closed");
        assertThat(second.ask("SELECT 1")).isEqualTo("1");

        assertThat(second.ask("close")).isEqualTo("closed");
        assertThat(postmaster()).doesNotExist();
      }
    }
  }

  @Test
  void commandsThatStartAtOnceGetOneServer() throws Exception {
    try (UserProcess first = UserProcess.of(home);
        UserProcess second = UserProcess.of(home);
        UserProcess third = UserProcess.of(home)) {
      assertThat(List.of(second.port(), third.port())).containsOnly(first.port());
      first.ask("close");
      second.ask("close");
      third.ask("close");
    }
    assertThat(postmaster()).doesNotExist();
  }

  @Test
  void aKilledUserDoesNotCountAnyMore() throws Exception {
    try (UserProcess killed = UserProcess.of(home);
        UserProcess other = UserProcess.of(home)) {
      int port = killed.port();
      assertThat(other.port()).isEqualTo(port);

      killed.kill();

      assertThat(other.ask("SELECT 1")).isEqualTo("1");
      assertThat(other.ask("close")).isEqualTo("closed");
    }
    assertThat(postmaster()).doesNotExist();
  }

  @Test
  void aServerThatAKilledUserLeftIsJoinedAndStopped() throws Exception {
    int port;
    try (UserProcess killed = UserProcess.of(home)) {
      port = killed.port();
      killed.kill();
    }
    assertThat(postmaster()).exists();

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(home)) {
      assertThat(postgres.port()).isEqualTo(port);
      assertThat(EmbeddedUser.query(postgres, "SELECT 1")).isEqualTo("1");
    }
    assertThat(postmaster()).doesNotExist();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theServerOutlivesCtrlCUntilTheCommandIsDone() throws Exception {
    try (UserProcess command = UserProcess.ofOwnGroup(home)) {
      command.port();

      command.interruptGroup();

      assertThat(command.line()).isEqualTo("interrupted 1");
      command.awaitEnd();
      assertThat(postmaster()).doesNotExist();
    }
  }

  @Test
  void aServerThatCrashedIsStartedAgainWithItsData() throws Exception {
    try (UserProcess user = UserProcess.of(home)) {
      user.port();
      user.ask("DROP TABLE IF EXISTS crashed");
      user.ask("CREATE TABLE crashed AS SELECT 7 AS n");
      killServer();
      user.kill();
    }
    assertThat(postmaster()).exists();

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(home)) {
      assertThat(EmbeddedUser.query(postgres, "SELECT n FROM crashed")).isEqualTo("7");
    }
  }

  @Test
  void aProcessNumberThatNowIsAnotherProgramsIsNoServer() throws Exception {
    EmbeddedPostgres.open(home).close();
    Files.write(
        postmaster(),
        List.of(
            Long.toString(ProcessHandle.current().pid()),
            home.resolve("data").toString(),
            "1764430000",
            "5",
            "",
            "127.0.0.1",
            "",
            "ready"));

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(home)) {
      assertThat(EmbeddedUser.query(postgres, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void closingAfterACrashIsQuiet() throws Exception {
    EmbeddedPostgres postgres = EmbeddedPostgres.open(home);
    killServer();

    postgres.close();

    assertThat(EmbeddedUser.query(postgres, "SELECT 1")).startsWith("failed");
  }

  @Test
  void dataOfAnotherMajorVersionIsRefused() throws Exception {
    EmbeddedPostgres.open(home).close();
    Path version = home.resolve("data/PG_VERSION");
    String ours = Files.readString(version);
    Files.writeString(version, "12\n");
    try {
      assertThatThrownBy(() -> EmbeddedPostgres.open(home))
          .isInstanceOf(QueueException.class)
          .hasMessageContaining("was made by PostgreSQL 12, and this program brings ")
          .hasMessageContaining("move the directory away to begin anew");
    } finally {
      Files.writeString(version, ours);
    }
  }

  @Test
  void aDatabaseWhoseMakingWasCutShortIsMadeAgain(@TempDir Path other) throws Exception {
    Path place = other.resolve("postgres");
    Files.createDirectories(place.resolve("data.new/base"));
    Files.writeString(place.resolve("data.new/PG_VERSION"), "18\n");

    try (EmbeddedPostgres postgres = EmbeddedPostgres.open(place)) {
      assertThat(EmbeddedUser.query(postgres, "SELECT 1")).isEqualTo("1");
    }
  }

  private static void killServer() throws IOException, InterruptedException {
    long pid = Postmaster.of(home.resolve("data")).orElseThrow().pid();
    ProcessHandle server = ProcessHandle.of(pid).orElseThrow();
    server.destroyForcibly();
    Patience.await()
        .until(() -> Postmaster.of(home.resolve("data")).filter(Postmaster::isRunning).isEmpty());
  }

  private static Path postmaster() {
    return home.resolve("data/postmaster.pid");
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
