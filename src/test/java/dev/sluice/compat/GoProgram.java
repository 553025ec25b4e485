package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The program of compat-tests/go. It is built once for all tests of this JVM. Thread-safe. */
final class GoProgram {
  /** Why a test is skipped. */
  static final String MISSING = "skipped: no go";

  private static final Path SOURCE = Path.of("compat-tests", "go");
  private static final Path BINARY = Path.of("target", "compat-go", "compat").toAbsolutePath();
  private static @Nullable GoProgram built;

  private GoProgram() {}

  /** Builds it; skips the test where there is no go, or one that cannot get what we build with. */
  static GoProgram build() throws Exception {
    assumeTrue(isThere(), MISSING);
    assumeTrue(hasModules(), "skipped: go cannot get its modules");
    return compiled();
  }

  private static synchronized boolean hasModules() throws IOException, InterruptedException {
    return built != null
        || new ProcessBuilder("go", "mod", "download")
                .directory(SOURCE.toFile())
                .inheritIO()
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor()
            == 0;
  }

  /** Whether there is a go on the path. */
  static boolean isThere() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "go")));
  }

  private static synchronized GoProgram compiled() throws IOException, InterruptedException {
    if (built == null) {
      Files.createDirectories(BINARY.getParent());
      run(
          new ProcessBuilder("go", "build", "-o", BINARY.toString(), ".")
              .directory(SOURCE.toFile())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD));
      built = new GoProgram();
    }
    return built;
  }

  /** What it writes, line by line, when it reads these lines. */
  List<String> run(String command, List<String> lines) throws Exception {
    Path in = Files.createTempFile("compat-" + command, ".in");
    Path out = Files.createTempFile("compat-" + command, ".out");
    try {
      Files.write(in, lines);
      run(command(command).redirectInput(in.toFile()).redirectOutput(out.toFile()));
      // Not readAllLines, to which a raw carriage return would end a line.
      return List.of(Files.readString(out).split("\n"));
    } finally {
      Files.delete(in);
      Files.delete(out);
    }
  }

  /** Starts it with these arguments. */
  GoProcess start(String... arguments) throws IOException {
    return GoProcess.start(command(arguments));
  }

  /** Starts it as the poller of this database. */
  GoClaims claims(String uri) throws IOException {
    return new GoClaims(command("claim", "-uri", uri));
  }

  private static ProcessBuilder command(String... arguments) {
    return new ProcessBuilder(
            Stream.concat(Stream.of(BINARY.toString()), Stream.of(arguments)).toList())
        .redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  private static void run(ProcessBuilder program) throws IOException, InterruptedException {
    Process process = program.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    assertThat(process.waitFor()).as("exit code of %s", program.command()).isZero();
  }
}
