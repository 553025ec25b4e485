package dev.sluice.queue.uri;

import dev.sluice.queue.QueueException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One PostgreSQL server of our own in a directory: {@code data}, {@code password} and {@code
 * server.log}. It listens on 127.0.0.1 only. Callers see to it that one thread of one process
 * starts or stops it at a time.
 */
public final class PostgresServer {
  /** The superuser, and the database that is there from the start. */
  public static final String USER = "sluice";

  public static final String DATABASE = "postgres";

  private static final int START_ATTEMPTS = 5;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long LOG_LIMIT = 1 << 20;
  private static final Map<String, String> LOCAL_ONLY =
      Map.of("listen_addresses", "'127.0.0.1'", "unix_socket_directories", "''");

  private final PostgresBinaries binaries;
  private final Path home;

  public PostgresServer(PostgresBinaries binaries, Path home) {
    this.binaries = binaries;
    this.home = home.toAbsolutePath();
  }

  /** Whether {@link #create} has run to its end here. */
  boolean exists() {
    return Files.isRegularFile(data().resolve("PG_VERSION"));
  }

  /**
   * Makes an empty database cluster with a random password.
   *
   * @param settings lines for postgresql.conf, values as they stand there
   * @param initdbOptions further options of initdb
   */
  public void create(Map<String, String> settings, List<String> initdbOptions) {
    try {
      Files.createDirectories(home);
      writePassword();
      // Under another name first: a cluster whose making was cut short is not taken for whole.
      FileTree.delete(home.resolve("data.new"));
      binaries.run(home, "initdb", initdbArguments(initdbOptions));
      Files.writeString(
          home.resolve("data.new/postgresql.conf"),
          lines(LOCAL_ONLY) + lines(settings),
          StandardOpenOption.APPEND);
      Files.move(home.resolve("data.new"), data(), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw Failures.because("making a PostgreSQL database in " + home + " failed", e);
    }
  }

  private static List<String> initdbArguments(List<String> options) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--pgdata=data.new",
                "--username=" + USER,
                "--pwfile=password",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C"));
    arguments.addAll(options);
    return arguments;
  }

  private static String lines(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(setting -> setting.getKey() + " = " + setting.getValue() + "\n")
        .collect(Collectors.joining());
  }

  private void writePassword() throws IOException {
    Path file = home.resolve("password");
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    Files.writeString(file, HexFormat.of().formatHex(random));
  }

  /** The superuser's password. */
  public String password() {
    try {
      return Files.readString(home.resolve("password")).strip();
    } catch (IOException e) {
      throw Failures.because("reading the password of the PostgreSQL in " + home + " failed", e);
    }
  }

  /**
   * Starts the server and waits until it takes connections.
   *
   * @return its port
   */
  public int start() {
    turnLogOver();
    for (int attempt = 1; ; attempt++) {
      int port = freePort();
      try {
        // The data directory is named relative to the working directory: pg_ctl hands it to a
        // shell. pg_ctl puts the server into a session of its own, out of reach of Ctrl-C.
        binaries.run(
            home,
            "pg_ctl",
            List.of(
                "start",
                "--pgdata=data",
                "--log=server.log",
                "--options=-p " + port,
                "--wait",
                "--timeout=120",
                "--silent"));
        return port;
      } catch (QueueException e) {
        // Another program can have taken the port between our look and the server's, and the
        // children of a server that was killed hold its memory until they notice.
        if (attempt == START_ATTEMPTS) {
          throw new QueueException(
              "the PostgreSQL in " + home + " does not start: " + lastFatalLine().orElse("no log"));
        }
        pause(Duration.ofMillis(100L * attempt));
      }
    }
  }

  private void pause(Duration duration) {
    try {
      Thread.sleep(duration.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Failures.because("interrupted while waiting for the PostgreSQL in " + home, e);
    }
  }

  /**
   * @throws QueueException if the data is that of another major version than the binaries
   */
  void checkVersion() {
    String made = madeBy();
    String ours = Integer.toString(binaries.majorVersion());
    if (!made.equals(ours)) {
      throw new QueueException(
          ("the database in %s was made by PostgreSQL %s, and this program brings %s: move the"
                  + " directory away to begin anew, or dump it with the program that made it first")
              .formatted(home, made, ours));
    }
  }

  private String madeBy() {
    try {
      return Files.readString(data().resolve("PG_VERSION")).strip();
    } catch (IOException e) {
      throw Failures.because("reading the version of the database in " + home + " failed", e);
    }
  }

  /**
   * The port of the server, started if it does not run. One that another program is just starting
   * or stopping is waited for.
   */
  int startOrJoin() {
    try {
      Instant deadline = Instant.now().plus(PATIENCE);
      while (Instant.now().isBefore(deadline)) {
        Optional<Postmaster> postmaster = Postmaster.of(data());
        if (postmaster.isEmpty()) {
          return start();
        }
        if (!postmaster.get().isRunning()) {
          postmaster.get().forget();
          return start();
        }
        if (postmaster.get().isReady()) {
          return postmaster.get().port();
        }
        pause(Duration.ofMillis(50));
      }
    } catch (IOException e) {
      throw Failures.because("looking for the PostgreSQL in " + home + " failed", e);
    }
    throw new QueueException(
        "the PostgreSQL in " + home + " does not become ready; see server.log there");
  }

  private void turnLogOver() {
    Path file = home.resolve("server.log");
    try {
      if (Files.exists(file) && Files.size(file) > LOG_LIMIT) {
        Files.move(file, home.resolve("server.log.1"), StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw Failures.because("turning over " + file + " failed", e);
    }
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw Failures.because("finding a free port failed", e);
    }
  }

  private Optional<String> lastFatalLine() {
    try (var lines = Files.lines(home.resolve("server.log"), StandardCharsets.UTF_8)) {
      return lines.filter(line -> line.contains("FATAL")).reduce((first, second) -> second);
    } catch (IOException | UncheckedIOException e) {
      return Optional.empty();
    }
  }

  /** Stops the server at once, in good order; clients still connected are sent away. */
  public void stop() {
    stop("fast");
  }

  /**
   * Stops the server, if it runs, without a checkpoint; for data that nobody needs any more. Of a
   * server that was killed the file of its process id stays, and pg_ctl believes it: it would end
   * whoever has the number now.
   */
  public void abandon() {
    stopIfRunning("immediate");
  }

  void stopIfRunning() {
    stopIfRunning("fast");
  }

  private void stopIfRunning(String mode) {
    try {
      if (Postmaster.of(data()).filter(Postmaster::isRunning).isPresent()) {
        stop(mode);
      }
    } catch (IOException e) {
      throw Failures.because("stopping the PostgreSQL in " + home + " failed", e);
    }
  }

  private void stop(String mode) {
    binaries.run(
        home, "pg_ctl", List.of("stop", "--pgdata=data", "--mode=" + mode, "--wait", "--silent"));
  }

  Path data() {
    return home.resolve("data");
  }

  @Override
  public String toString() {
    return "PostgresServer[" + home + "]";
  }
}
