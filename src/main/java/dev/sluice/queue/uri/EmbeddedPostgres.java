package dev.sluice.queue.uri;

import dev.sluice.queue.QueueException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One use of the PostgreSQL that the program brings along and keeps in a directory. The first user
 * starts it, later ones, also in other processes, join it, and it stops with the last one that
 * closes. Its data survives. A process that is killed counts as gone; a server that it leaves
 * behind is joined by the next user. Thread-safe.
 */
public final class EmbeddedPostgres implements AutoCloseable {
  /** Where the server of {@code embedded:} lives, relative to the working directory. */
  public static final Path DEFAULT_HOME = Path.of(".sluice", "postgres");

  private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);

  // Durable, as PostgreSQL is by default. Details and statements quote rows, and so payloads.
  private static final Map<String, String> SETTINGS =
      Map.of(
          "log_error_verbosity", "terse",
          "log_min_error_statement", "panic",
          "log_checkpoints", "off");

  /**
   * The uses of this process by directory: a process has one lock on a file, not one per user.
   * Guarded by its monitor.
   */
  private static final Map<Path, Shared> SHARED = new HashMap<>();

  private final Shared shared;
  private boolean closed;

  private EmbeddedPostgres(Shared shared) {
    this.shared = shared;
  }

  /**
   * Joins the server in {@code home}, starting it if it does not run and making its database if
   * there is none.
   *
   * @throws QueueException if there are no binaries for this machine, the data is another major
   *     version's, or the server does not start; the message is one line
   */
  public static EmbeddedPostgres open(Path home) {
    Path place = prepared(home);
    synchronized (SHARED) {
      Shared shared = SHARED.get(place);
      if (shared == null) {
        shared = Shared.join(place);
        SHARED.put(place, shared);
      }
      shared.uses++;
      return new EmbeddedPostgres(shared);
    }
  }

  private static Path prepared(Path home) {
    try {
      if (!Files.isDirectory(home)) {
        Files.createDirectories(home.toAbsolutePath().getParent());
        Files.createDirectories(
            home,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        keepOutOfGit(home);
      }
      return home.toRealPath();
    } catch (IOException e) {
      throw Failures.because("making the directory " + home + " failed", e);
    }
  }

  private static void keepOutOfGit(Path home) throws IOException {
    if (home.endsWith(DEFAULT_HOME)) {
      Files.writeString(home.resolveSibling(".gitignore"), "*\n");
    }
  }

  /** Where it listens: 127.0.0.1. */
  public String host() {
    return "127.0.0.1";
  }

  /** The port, which differs from start to start. */
  public int port() {
    return shared.port;
  }

  public String user() {
    return PostgresServer.USER;
  }

  public String database() {
    return PostgresServer.DATABASE;
  }

  /** The password, known to the owner of the directory only. */
  public String password() {
    return shared.server.password();
  }

  /** Leaves the server, which stops if nobody else uses it. Never throws; a failure is logged. */
  @Override
  public void close() {
    synchronized (SHARED) {
      if (closed) {
        return;
      }
      closed = true;
      shared.uses--;
      if (shared.uses == 0) {
        SHARED.values().remove(shared);
        shared.leave();
      }
    }
  }

  @Override
  public String toString() {
    return "EmbeddedPostgres[" + shared.server + "]";
  }

  /** What all uses of this process have in common. */
  private static final class Shared {
    final PostgresServer server;
    final UserLocks locks;
    final int port;
    int uses;

    private Shared(PostgresServer server, UserLocks locks, int port) {
      this.server = server;
      this.locks = locks;
      this.port = port;
    }

    static Shared join(Path home) {
      PostgresServer server = new PostgresServer(PostgresBinaries.unpack(), home);
      UserLocks locks = UserLocks.open(home);
      try {
        return new Shared(server, locks, locks.join(() -> running(server)));
      } catch (RuntimeException e) {
        locks.close();
        throw e;
      }
    }

    private static int running(PostgresServer server) {
      if (!server.exists()) {
        server.create(SETTINGS, List.of());
      }
      server.checkVersion();
      return server.startOrJoin();
    }

    void leave() {
      try {
        locks.leave(server::stopIfRunning);
      } catch (QueueException e) {
        log.warn("{} may still run: {}", server, e.getMessage());
      } finally {
        locks.close();
      }
    }
  }
}
