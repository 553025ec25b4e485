package dev.sluice.queue.uri;

import dev.sluice.queue.QueueException;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The programs of the PostgreSQL that the class path brings, unpacked once per user. Later starts
 * find them unpacked. Thread-safe, also between processes.
 */
public final class PostgresBinaries {
  private final Path root;
  private final Privileges privileges;

  private PostgresBinaries(Path root, Privileges privileges) {
    this.root = root;
    this.privileges = privileges;
  }

  /**
   * The binaries for this machine, unpacked under the user's cache directory if they are not yet.
   *
   * @throws QueueException if the class path has none for this machine, if they cannot be written,
   *     or if this is root on a machine that has no way to start PostgreSQL as root
   */
  public static PostgresBinaries unpack() {
    return unpack(PostgresPlatform.current(), UserCache.directory());
  }

  /** As {@link #unpack()}, for another platform and under another directory. */
  static synchronized PostgresBinaries unpack(PostgresPlatform platform, Path cache) {
    URL archive =
        platform
            .findArchive()
            .orElseThrow(
                () ->
                    new QueueException(
                        "no PostgreSQL for "
                            + platform
                            + " comes with this program: name a database with"
                            + " --uri postgres://..."));
    Privileges privileges = Privileges.ofThisProcess();
    try {
      return new PostgresBinaries(unpacked(archive, cache), privileges);
    } catch (IOException e) {
      throw Failures.because("unpacking PostgreSQL under " + cache + " failed", e);
    }
  }

  private static Path unpacked(URL archive, Path cache) throws IOException {
    URLConnection connection = archive.openConnection();
    String key = "postgres-" + fingerprint(connection);
    Path root = cache.resolve(key);
    if (Files.isDirectory(root)) {
      return root;
    }
    Files.createDirectories(cache);
    // Two programs that start at once: the second waits here and finds the work done. Only the
    // final rename makes the directory appear, so a killed program leaves none that is half full.
    try (FileChannel channel =
            FileChannel.open(
                cache.resolve(key + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      if (lock.isValid() && !Files.isDirectory(root)) {
        Path partial = cache.resolve(key + ".partial");
        FileTree.delete(partial);
        try (InputStream in = connection.getInputStream()) {
          TarXz.extract(in, partial);
        }
        Files.move(partial, root, StandardCopyOption.ATOMIC_MOVE);
      }
    }
    return root;
  }

  /** Tells one archive from another without reading it: the jar's index holds size and CRC. */
  private static String fingerprint(URLConnection connection) throws IOException {
    if (connection instanceof JarURLConnection jar) {
      return "%08x-%d".formatted(jar.getJarEntry().getCrc(), jar.getJarEntry().getSize());
    }
    return "%x-%d".formatted(connection.getLastModified(), connection.getContentLengthLong());
  }

  /** The major version, 14 or higher. */
  public int majorVersion() {
    Path catalog = root.resolve("share/postgresql/postgres.bki");
    try (var lines = Files.lines(catalog, StandardCharsets.UTF_8)) {
      String first = lines.findFirst().orElse("");
      return Integer.parseInt(first.replaceFirst("^# PostgreSQL (\\d+).*$", "$1"));
    } catch (IOException | NumberFormatException e) {
      throw Failures.because("reading the version of PostgreSQL from " + catalog + " failed", e);
    }
  }

  /**
   * Runs one of the programs to its end, in {@code directory}, and returns what it printed.
   *
   * @throws QueueException if it ends with another code than 0; the message has its last line
   */
  String run(Path directory, String program, List<String> arguments) {
    List<String> command = new ArrayList<>(privileges.prefix());
    command.add(root.resolve("bin").resolve(program).toString());
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    // PGDATA, PGPORT, PGOPTIONS and the like are meant for the user's own database.
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      if (code != 0) {
        throw new QueueException(
            program + " of PostgreSQL ended with code " + code + lastLine(output).orElse(""));
      }
      return output;
    } catch (IOException e) {
      throw Failures.because("starting " + program + " of PostgreSQL failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Failures.because("interrupted while waiting for " + program + " of PostgreSQL", e);
    }
  }

  private static Optional<String> lastLine(String output) {
    List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
    return lines.isEmpty()
        ? Optional.empty()
        : Optional.of(": " + lines.get(lines.size() - 1).strip());
  }

  @Override
  public String toString() {
    return "PostgresBinaries[" + root + "]";
  }
}
