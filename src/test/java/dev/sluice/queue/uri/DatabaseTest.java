package dev.sluice.queue.uri;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.QueueException;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.testing.Patience;
import dev.sluice.testing.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {

  @Test
  void aDatabaseIsOpenedByItsUri() throws SQLException {
    try (TestDatabase test = TestDatabase.fresh();
        Database database = Database.open(QueueUri.parse(test.uri(), Map.of()), 2);
        Connection connection = database.dataSource().getConnection()) {
      assertThat(
              ask(
                  connection,
                  "SELECT current_setting('application_name') || ' ' || current_setting('jit') || ' '"
                      + " || current_setting('transaction_isolation')"))
          .isEqualTo("sluice off read committed");
    }
  }

  @Test
  void parametersOfTheUriReachTheServer() throws SQLException {
    try (TestDatabase test = TestDatabase.fresh();
        Database database =
            Database.open(
                QueueUri.parse(
                    test.uri() + "?application_name=mine&search_path=a,b&sslmode=disable",
                    Map.of()),
                2);
        Connection connection = database.dataSource().getConnection()) {
      assertThat(
              ask(
                  connection,
                  "SELECT current_setting('application_name') || ' ' ||"
                      + " current_setting('search_path')"))
          .isEqualTo("mine a,b");
    }
  }

  @Test
  void nothingIsConnectedToBeforeItIsNeeded() {
    Database.open(QueueUri.parse("postgres://u:p@127.0.0.1:1/d", Map.of()), 2).close();
  }

  @Test
  void aWrongUserIsToldAtOnceAndNamesNoPassword() {
    try (TestDatabase test = TestDatabase.fresh()) {
      URI good = URI.create(test.uri());
      String bad =
          "postgres://nobody:hunter2@" + good.getHost() + ":" + good.getPort() + good.getPath();
      try (Database database = Database.open(QueueUri.parse(bad, Map.of()), 2)) {
        assertThatThrownBy(() -> database.dataSource().getConnection())
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("nobody")
            .hasMessageNotContaining("hunter2")
            .satisfies(e -> assertThat(((SQLException) e).getSQLState()).startsWith("28"));
        assertThat(database.safeUri()).doesNotContain("hunter2");
      }
    }
  }

  @Test
  void aRefusedConnectionIsTriedAnewByTheNextCall() throws Exception {
    int port = unusedPort();
    try (Database database =
        Database.open(QueueUri.parse("postgres://u:p@127.0.0.1:" + port + "/d", Map.of()), 2)) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> database.dataSource().getConnection())
            .isInstanceOf(SQLException.class)
            .hasMessageContaining("refused")
            .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo("08001"));
      }
    }
  }

  @Test
  void aHostThatIsSilentLeavesTheNextOneItsTime() throws Exception {
    // A listener that accepts nobody: once its queue is full, connecting to it takes for ever.
    try (TestDatabase test = TestDatabase.fresh();
        ServerSocket full = new ServerSocket(0, 1)) {
      URI good = URI.create(test.uri());
      String uri =
          "postgres://"
              + good.getRawUserInfo()
              + "@127.0.0.1:"
              + full.getLocalPort()
              + ","
              + good.getHost()
              + ":"
              + good.getPort()
              + good.getPath()
              + "?connect_timeout=8";
      try (Socket first = new Socket(InetAddress.getLoopbackAddress(), full.getLocalPort());
          Socket second = new Socket(InetAddress.getLoopbackAddress(), full.getLocalPort());
          Database database = Database.open(QueueUri.parse(uri, Map.of()), 2);
          Connection connection = database.dataSource().getConnection()) {
        assertThat(first.isConnected() && second.isConnected()).isTrue();
        assertThat(ask(connection, "SELECT 'there'")).isEqualTo("there");
      }
    }
  }

  @Test
  void anUnknownHostIsNamed() {
    try (Database database =
        Database.open(QueueUri.parse("postgres://u:p@no-such-host.invalid/d", Map.of()), 2)) {
      assertThatThrownBy(() -> database.dataSource().getConnection())
          .hasMessageContaining("no-such-host.invalid");
    }
  }

  private static String ask(Connection connection, String sql) throws SQLException {
    List<String> rows = Session.query(connection, sql, row -> row.getString(1));
    return rows.get(0);
  }

  @Test
  void aPasswordOfOneOfSeveralHostsMayStandInThePasswordFile(@TempDir Path directory)
      throws Exception {
    int down = unusedPort();
    try (TestDatabase test = TestDatabase.fresh()) {
      URI uri = URI.create(test.uri());
      String[] userInfo = uri.getUserInfo().split(":", 2);
      Path file = directory.resolve("pgpass");
      Files.writeString(
          file,
          uri.getHost() + ":" + uri.getPort() + ":*:" + userInfo[0] + ":" + userInfo[1] + "\n");
      String hosts = "127.0.0.1:" + down + "," + uri.getHost() + ":" + uri.getPort();
      System.setProperty("org.postgresql.pgpassfile", file.toString());
      try (Database database =
              Database.open(
                  QueueUri.parse(
                      "postgres://" + userInfo[0] + "@" + hosts + uri.getPath(), Map.of()),
                  2);
          Connection connection = database.dataSource().getConnection()) {
        assertThat(connection.isValid(60)).isTrue();
      } finally {
        System.clearProperty("org.postgresql.pgpassfile");
      }
    }
  }

  @Test
  void aWorkerWaitsForADatabaseThatStartsBesideIt() throws Exception {
    int port = unusedPort();
    try (TestDatabase test = TestDatabase.fresh();
        Database database = Database.open(QueueUri.parse(at(port, test), Map.of()), 1)) {
      CompletableFuture<Void> answer =
          CompletableFuture.runAsync(() -> database.awaitAnswer(10_000, Duration.ofMillis(20)));
      assertThat(answer).isNotDone();
      URI server = URI.create(test.uri());
      try (ServerSocket late = new ServerSocket(port, 5, InetAddress.getLoopbackAddress())) {
        forward(late, server);

        assertThat(answer).succeedsWithin(Patience.LONGEST);
      }
    }
  }

  @Test
  void aDatabaseThatNeverAnswersIsGivenUp() throws Exception {
    try (TestDatabase test = TestDatabase.fresh();
        Database database = Database.open(QueueUri.parse(at(unusedPort(), test), Map.of()), 1)) {
      assertThatThrownBy(() -> database.awaitAnswer(3, Duration.ofMillis(10)))
          .isInstanceOf(QueueException.class)
          .hasMessageContaining("refused");
    }
  }

  // Below those that the system hands out: nobody else gets it meanwhile, and nobody who connects
  // to
  // it in vain, again and again, comes from it by chance, which would connect him with himself.
  private static int unusedPort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (IOException e) {
        // Taken: another one.
      }
    }
  }

  private static String at(int port, TestDatabase test) {
    URI uri = URI.create(test.uri());
    return "harel://" + uri.getRawUserInfo() + "@127.0.0.1:" + port + uri.getPath();
  }

  private static void forward(ServerSocket from, URI to) {
    Thread acceptor =
        new Thread(
            () -> {
              try {
                while (true) {
                  Socket client = from.accept();
                  Socket server = new Socket(to.getHost(), to.getPort());
                  copy(client, server);
                  copy(server, client);
                }
              } catch (IOException e) {
                // Closed: the test is over.
              }
            });
    acceptor.setDaemon(true);
    acceptor.start();
  }

  private static void copy(Socket in, Socket out) {
    Thread copier =
        new Thread(
            () -> {
              try (in;
                  out) {
                in.getInputStream().transferTo(out.getOutputStream());
              } catch (IOException e) {
                // Closed by the other direction.
              }
            });
    copier.setDaemon(true);
    copier.start();
  }
}
