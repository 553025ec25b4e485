package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The Go program at work on a queue, and the events that it writes. */
final class GoProcess implements AutoCloseable {
  /** What it ends with when it crashes as told. */
  static final int CRASHED = 137;

  /** What it ends with when SIGTERM meets it before it listens. */
  static final int STOPPED_WHILE_STARTING = 143;

  private static final long LONGEST_SECONDS = 600;

  private final Process process;
  private final Path out;

  private GoProcess(Process process, Path out) {
    this.process = process;
    this.out = out;
  }

  static GoProcess start(ProcessBuilder command) throws IOException {
    Path out = Files.createTempFile("compat", ".events");
    return new GoProcess(command.redirectOutput(out.toFile()).start(), out);
  }

  /** Its events so far, oldest first. */
  GoEvents events() throws IOException {
    String written = Files.readString(out, StandardCharsets.UTF_8);
    List<GoEvent> events = new ArrayList<>();
    // What stands behind the last line end is still being written, or was when it was killed.
    for (String line : written.substring(0, written.lastIndexOf('\n') + 1).lines().toList()) {
      events.add(GoEvent.parse(line));
    }
    return new GoEvents(events);
  }

  /** Waits for its end, which must be a good one, and returns all its events. */
  GoEvents finish() throws IOException, InterruptedException {
    assertThat(exitCode()).as("exit code of the Go program").isZero();
    return events();
  }

  int exitCode() throws InterruptedException {
    assertThat(process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)).as("it has ended").isTrue();
    return process.exitValue();
  }

  boolean runs() {
    return process.isAlive();
  }

  /** As {@code kill -9} does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** As {@code kill} does: it ends in an orderly way. */
  void terminate() {
    process.destroy();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(out);
  }
}
