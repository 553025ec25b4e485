package dev.sluice.queue.uri;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An {@link EmbeddedUser} in a process of its own. */
final class UserProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader out;

  private UserProcess(Process process) {
    this.process = process;
    this.out = process.inputReader();
  }

  static UserProcess of(Path home) throws IOException {
    return start(List.of(), home);
  }

  /** One that leads a process group, as a command on a terminal does. */
  static UserProcess ofOwnGroup(Path home) throws IOException {
    return start(List.of("env", "--default-signal=INT", "setsid"), home);
  }

  private static UserProcess start(List<String> prefix, Path home) throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            EmbeddedUser.class.getName(),
            home.toString()));
    return new UserProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Waits until it uses the server, and returns the port. */
  int port() throws IOException {
    return Integer.parseInt(line().replace("port ", ""));
  }

  String ask(String line) throws IOException {
    process.outputWriter().write(line + "\n");
    process.outputWriter().flush();
    return line();
  }

  String line() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the user process ended");
    }
    return line;
  }

  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor(60, TimeUnit.SECONDS);
  }

  /** What Ctrl-C does on a terminal. */
  void interruptGroup() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-INT", "--", "-" + process.pid()).inheritIO().start().waitFor();
  }

  void awaitEnd() throws InterruptedException {
    process.waitFor(60, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
