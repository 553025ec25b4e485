package dev.sluice.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The command line in a process of its own. */
public final class SluiceProcess implements AutoCloseable {
  private final Process process;
  private final Path out;
  private final Path err;

  private SluiceProcess(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /** Starts it with these options of the virtual machine and these arguments. */
  public static SluiceProcess start(List<String> jvmOptions, List<String> arguments)
      throws IOException {
    Path out = Files.createTempFile("sluice", ".out");
    Path err = Files.createTempFile("sluice", ".err");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add("dev.sluice.cli.Main");
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    // Tests run side by side: the port that a router listens on by default is one.
    builder.environment().putIfAbsent("SLUICE_HTTP", "off");
    Process process =
        builder
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    return new SluiceProcess(process, out, err);
  }

  /** As {@code kill -9} does. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** As {@code kill} does. */
  public void terminate() {
    process.destroy();
  }

  /** As {@code kill -HUP} does. */
  public void hangUp() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-HUP", Long.toString(process.pid())).start().waitFor();
  }

  /** Whether it has not ended. */
  public boolean runs() {
    return process.isAlive();
  }

  /** Its exit code, once it has ended; fails the test if that takes longer. */
  public int exitCode(long timeoutSeconds) throws InterruptedException, IOException {
    if (!process.waitFor(timeoutSeconds, TimeUnit.SECONDS)) {
      throw new AssertionError("still running after " + timeoutSeconds + " s: " + stderr());
    }
    return process.exitValue();
  }

  /** What it has printed so far. */
  public String stdout() throws IOException {
    return Files.readString(out, StandardCharsets.UTF_8);
  }

  /** What it has logged so far. */
  public String stderr() throws IOException {
    return Files.readString(err, StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(out);
    Files.deleteIfExists(err);
  }
}
