package dev.sluice.queue.uri;

import dev.sluice.queue.QueueException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What to put before a command so that PostgreSQL, which refuses to run as root, runs all the same:
 * a user namespace in which root is nobody, while files and signals keep their owner.
 */
record Privileges(List<String> prefix) {
  private static final List<String> AS_NOBODY = List.of("unshare", "-U");

  /**
   * @throws QueueException if this is root and the machine allows no user namespaces
   */
  static Privileges ofThisProcess() {
    if (!isRoot()) {
      return new Privileges(List.of());
    }
    if (!allowsNamespaces()) {
      throw new QueueException(
          "PostgreSQL does not run as root, and 'unshare -U' does not work here: run as another"
              + " user, or name a database with --uri postgres://...");
    }
    return new Privileges(AS_NOBODY);
  }

  private static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return System.getProperty("user.name", "").equals("root");
    }
  }

  private static boolean allowsNamespaces() {
    try {
      Process probe =
          new ProcessBuilder("unshare", "-U", "true")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return probe.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
