package dev.sluice.queue.uri;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What {@code postmaster.pid} says of the server of a data directory. */
record Postmaster(Path data, long pid, int port, String status) {
  private static final int PID_LINE = 0;
  private static final int PORT_LINE = 3;
  private static final int STATUS_LINE = 7;

  /** Empty where there is no such file; a file that is still being written has no status yet. */
  static Optional<Postmaster> of(Path data) throws IOException {
    try {
      List<String> lines = Files.readAllLines(file(data));
      return Optional.of(
          new Postmaster(
              data,
              number(lines, PID_LINE),
              (int) number(lines, PORT_LINE),
              line(lines, STATUS_LINE)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static String line(List<String> lines, int index) {
    return index < lines.size() ? lines.get(index).strip() : "";
  }

  private static long number(List<String> lines, int index) {
    String line = line(lines, index);
    return line.matches("\\d{1,9}") ? Long.parseLong(line) : 0;
  }

  boolean isReady() {
    return status.equals("ready");
  }

  /**
   * Whether the process is there and serves this directory. After a crash or a reboot the number
   * may belong to another program, or to a dead one that nobody has reaped.
   */
  boolean isRunning() {
    Optional<ProcessHandle> process = pid > 0 ? ProcessHandle.of(pid) : Optional.empty();
    if (process.isEmpty() || !process.get().isAlive()) {
      return false;
    }
    if (Files.isDirectory(Path.of("/proc/self"))) {
      return worksIn(Path.of("/proc", Long.toString(pid), "cwd"));
    }
    return process
        .get()
        .info()
        .command()
        .map(Path::of)
        .filter(p -> p.endsWith("postgres"))
        .isPresent();
  }

  private boolean worksIn(Path workingDirectory) {
    try {
      return Files.isSameFile(workingDirectory, data);
    } catch (IOException e) {
      return false;
    }
  }

  /** Takes the file away, which a server that starts would otherwise believe. */
  void forget() throws IOException {
    Files.deleteIfExists(file(data));
  }

  private static Path file(Path data) {
    return data.resolve("postmaster.pid");
  }
}
