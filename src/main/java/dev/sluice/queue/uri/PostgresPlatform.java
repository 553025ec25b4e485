package dev.sluice.queue.uri;

import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An operating system and processor, under the names that the binaries' archives carry. */
record PostgresPlatform(String system, String processor) {

  static PostgresPlatform current() {
    String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    return new PostgresPlatform(systemOf(os), processorOf(arch));
  }

  private static String systemOf(String os) {
    if (os.startsWith("mac")) {
      return "darwin";
    }
    return os.startsWith("windows") ? "windows" : os;
  }

  private static String processorOf(String arch) {
    return switch (arch) {
      case "amd64", "x86_64" -> "x86_64";
      case "aarch64", "arm64" -> "arm_64";
      default -> arch;
    };
  }

  /** Where the class path has the binaries for this platform, if it has them. */
  Optional<URL> findArchive() {
    String name = "/postgres-" + system + "-" + processor;
    if (Files.exists(Path.of("/etc/alpine-release"))) {
      // musl: the binaries made for glibc do not start there.
      return Optional.ofNullable(resource(name + "-alpine_linux.txz"));
    }
    return Optional.ofNullable(resource(name + ".txz"));
  }

  private static @Nullable URL resource(String name) {
    return PostgresPlatform.class.getResource(name);
  }

  @Override
  public String toString() {
    return system + " on " + processor;
  }
}
