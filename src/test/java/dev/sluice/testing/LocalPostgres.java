package dev.sluice.testing;

import dev.sluice.queue.uri.FileTree;
import dev.sluice.queue.uri.PostgresBinaries;
import dev.sluice.queue.uri.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A server from the binaries of the class path, in a temporary directory, gone with this JVM. */
final class LocalPostgres {
  private static final String PREFIX = "sluice-test-";
  private static final Map<String, String> FAST_AND_FORGETFUL =
      Map.of(
          "fsync", "off",
          "synchronous_commit", "off",
          "full_page_writes", "off",
          "max_connections", "200",
          "max_prepared_transactions", "10");

  private LocalPostgres() {}

  static TestPostgres start() {
    try {
      PostgresBinaries binaries = PostgresBinaries.unpack();
      removeLeftovers(binaries);
      Path home = Files.createTempDirectory(PREFIX + ProcessHandle.current().pid() + "-");
      PostgresServer server = new PostgresServer(binaries, home);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(server, home)));
      server.create(FAST_AND_FORGETFUL, List.of("--no-sync"));
      int port = server.start();
      return new TestPostgres("127.0.0.1", port, PostgresServer.USER, server.password());
    } catch (IOException e) {
      throw new IllegalStateException("no PostgreSQL for the tests", e);
    }
  }

  /** A test JVM that was killed could not run its hook. */
  private static void removeLeftovers(PostgresBinaries binaries) throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (var homes = Files.newDirectoryStream(temporary, PREFIX + "[0-9]*-*")) {
      for (Path home : homes) {
        if (ProcessHandle.of(ownerOf(home)).isEmpty()) {
          remove(new PostgresServer(binaries, home), home);
        }
      }
    }
  }

  private static long ownerOf(Path home) {
    return Long.parseLong(
        home.getFileName().toString().substring(PREFIX.length()).split("-", 2)[0]);
  }

  private static void remove(PostgresServer server, Path home) {
    try {
      server.abandon();
      FileTree.delete(home);
    } catch (IOException | RuntimeException e) {
      System.err.println("the test server in " + home + " is left behind: " + e.getMessage());
    }
  }
}
