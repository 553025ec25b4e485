package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A Python program at work on the tables, and the events that it writes. */
final class PeerProcess implements AutoCloseable {
  /** What it ends with when it is killed. */
  static final int KILLED = 137;

  /** What it ends with when it is told to end before it is ready to. */
  static final int TERMINATED = 143;

  private static final long LONGEST_SECONDS = 600;

  private final Process process;
  private final Path out;
  private final Path err;

  private PeerProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  static PeerProcess start(ProcessBuilder command) throws IOException {
    Path out = Files.createTempFile("compat", ".events");
    Path err = Files.createTempFile("compat", ".errors");
    command.environment().put("PYTHONUTF8", "1");
    command.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    command.redirectOutput(out.toFile()).redirectError(err.toFile());
    return new PeerProcess(command.start(), out, err);
  }

  /** Its whole lines so far. */
  List<String> lines() throws IOException {
    String written = Files.readString(out, StandardCharsets.UTF_8);
    // What stands behind the last line end is still being written, or was when it was killed.
    String whole = written.substring(0, written.lastIndexOf('\n') + 1);
    return whole.isEmpty() ? List.of() : List.of(whole.split("\n"));
  }

  /** Its events so far, oldest first. */
  List<PeerEvent> events() throws IOException {
    List<PeerEvent> events = new ArrayList<>();
    for (String line : lines()) {
      events.add(PeerEvent.parse(line));
    }
    return events;
  }

  int exitCode() throws InterruptedException {
    assertThat(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)).as("it has ended").isTrue();
    return process.exitValue();
  }

  /** What it complained of. */
  String errors() throws IOException {
    return Files.readString(err, StandardCharsets.UTF_8);
  }

  boolean runs() {
    return process.isAlive();
  }

  /** As {@code kill} does: it settles what it holds and ends. */
  void terminate() {
    process.destroy();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(out);
    Files.deleteIfExists(err);
  }
}
