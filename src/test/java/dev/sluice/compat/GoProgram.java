package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The program of compat-tests/go, built for one test. */
final class GoProgram {
  private static final Path SOURCE = Path.of("compat-tests", "go");

  private final Path scratch;
  private final Path binary;

  private GoProgram(Path scratch, Path binary) {
    this.scratch = scratch;
    this.binary = binary;
  }

  /** Builds it into this directory; skips the test where there is no go. */
  static GoProgram build(Path scratch) throws Exception {
    assumeTrue(isOnPath("go"), "skipped: no go");
    Path binary = scratch.resolve("compat").toAbsolutePath();
    run(
        new ProcessBuilder("go", "build", "-o", binary.toString(), ".")
            .directory(SOURCE.toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD));
    return new GoProgram(scratch, binary);
  }

  /** What it writes, line by line, when it reads these lines. */
  List<String> run(String command, List<String> lines) throws Exception {
    Path in = Files.write(scratch.resolve(command + ".in"), lines);
    Path out = scratch.resolve(command + ".out");
    run(
        new ProcessBuilder(binary.toString(), command)
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile()));
    // Not readAllLines, to which a raw carriage return would end a line.
    return List.of(Files.readString(out).split("\n"));
  }

  private static void run(ProcessBuilder program) throws IOException, InterruptedException {
    Process process = program.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    assertThat(process.waitFor()).as("exit code of %s", program.command()).isZero();
  }

  private static boolean isOnPath(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }
}
