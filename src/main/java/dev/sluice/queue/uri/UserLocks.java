package dev.sluice.queue.uri;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who uses a server, told by file locks, which the system takes from a process that dies. Each user
 * holds {@code users.lock} shared; whoever starts, joins or leaves holds {@code guard.lock}
 * exclusively meanwhile, so that nobody joins a server that is just being stopped.
 *
 * <p>One instance per directory and process, since closing any channel to a file gives up all locks
 * of the process on it. Not thread-safe.
 */
final class UserLocks implements AutoCloseable {
  private final Path home;
  private final FileChannel guard;
  private final FileChannel users;

  private @Nullable FileLock use;

  private UserLocks(Path home, FileChannel guard, FileChannel users) {
    this.home = home;
    this.guard = guard;
    this.users = users;
  }

  static UserLocks open(Path home) {
    try {
      return new UserLocks(
          home, channel(home.resolve("guard.lock")), channel(home.resolve("users.lock")));
    } catch (IOException e) {
      throw Failures.because("opening the locks in " + home + " failed", e);
    }
  }

  private static FileChannel channel(Path file) throws IOException {
    return FileChannel.open(
        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  /** Becomes a user once {@code start} has given the port of a running server. */
  int join(IntSupplier start) {
    try {
      FileLock alone = guard.lock();
      try {
        int port = start.getAsInt();
        use = users.lock(0, Long.MAX_VALUE, true);
        return port;
      } finally {
        alone.release();
      }
    } catch (IOException e) {
      throw Failures.because("locking " + home + " failed", e);
    }
  }

  /** Is no user any more, and runs {@code stop} if that leaves none. */
  void leave(Runnable stop) {
    try {
      FileLock alone = guard.lock();
      try {
        if (use != null) {
          use.release();
        }
        FileLock last = users.tryLock();
        if (last != null) {
          stop.run();
        }
      } finally {
        alone.release();
      }
    } catch (IOException e) {
      throw Failures.because("locking " + home + " failed", e);
    }
  }

  /** Gives up all locks. */
  @Override
  public void close() {
    try (guard;
        users) {
      use = null;
    } catch (IOException e) {
      throw Failures.because("unlocking " + home + " failed", e);
    }
  }
}
