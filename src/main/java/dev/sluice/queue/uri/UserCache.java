package dev.sluice.queue.uri;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where this user's unpacked files stay between runs. Not the temporary directory if it can be
 * helped: others could put programs there under our name, and cleaners take single old files away.
 */
final class UserCache {
  private UserCache() {}

  static Path directory() {
    String xdg = System.getenv("XDG_CACHE_HOME");
    if (xdg != null && Path.of(xdg).isAbsolute()) {
      return Path.of(xdg, "sluice");
    }
    Path home = Path.of(System.getProperty("user.home", ""));
    if (home.isAbsolute() && Files.isDirectory(home) && Files.isWritable(home)) {
      return home.resolve(".cache").resolve("sluice");
    }
    String user = System.getProperty("user.name", "user").replaceAll("[^A-Za-z0-9_.-]", "_");
    return Path.of(System.getProperty("java.io.tmpdir", "/tmp"), "sluice-cache-" + user);
  }
}
