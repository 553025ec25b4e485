package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The program of compat-tests/python on the real harel package of one version, in an environment
 * under target that is made on first use. Thread-safe.
 */
final class HarelPackage {
  /** The newest that has the tables of the seed. */
  static final String SEED = "0.6.1";

  static final String NEWEST = "0.9.0";

  /** Why a test is skipped. */
  static final String MISSING = "skipped: no python";

  static final Path SOURCE = Path.of("compat-tests", "python");

  private static final Path TARGET = Path.of("target", "compat-python").toAbsolutePath();
  private static final long PIP_MINUTES = 5;

  private static final Map<String, HarelPackage> MADE = new HashMap<>();
  private static final Map<String, String> UNAVAILABLE = new HashMap<>();

  private final String version;
  private final Path environment;

  private HarelPackage(String version) {
    this.version = version;
    this.environment = TARGET.resolve("harel-" + version);
  }

  /** The environment of a version; skips the test where it cannot be made. */
  static synchronized HarelPackage of(String version) throws IOException, InterruptedException {
    assumeTrue(hasPython(), MISSING);
    assumeTrue(!UNAVAILABLE.containsKey(version), () -> UNAVAILABLE.get(version));
    HarelPackage made = MADE.get(version);
    if (made == null) {
      made = new HarelPackage(version);
      Optional<String> failure = made.make();
      if (failure.isPresent()) {
        UNAVAILABLE.put(version, MISSING + ": " + failure.get());
        assumeTrue(false, UNAVAILABLE.get(version));
      }
      MADE.put(version, made);
    }
    return made;
  }

  private static boolean hasPython() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, "python3")));
  }

  /** What went wrong, if anything did. */
  private Optional<String> make() throws IOException, InterruptedException {
    String wanted = "harel==" + version + "\n" + Files.readString(requirements());
    Path mark = environment.resolve("made");
    if (Files.exists(mark) && Files.readString(mark).equals(wanted)) {
      return Optional.empty();
    }
    Files.createDirectories(TARGET);
    if (!succeeds("python3", "-m", "venv", "--clear", environment.toString())) {
      return Optional.of("python3 -m venv fails, see target/compat-python/log");
    }
    if (!succeeds(
        python(), "-m", "pip", "install", "-q", "-r", requirements().toString(), harel())) {
      return Optional.of("pip cannot install " + harel() + ", see target/compat-python/log");
    }
    Files.writeString(mark, wanted);
    return Optional.empty();
  }

  private static boolean succeeds(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(TARGET.resolve("log").toFile()))
            .start();
    if (!process.waitFor(PIP_MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      return false;
    }
    return process.exitValue() == 0;
  }

  private static Path requirements() {
    return SOURCE.resolve("requirements.txt");
  }

  private String harel() {
    return "harel==" + version;
  }

  String python() {
    return environment.resolve("bin").resolve("python").toString();
  }

  /** Whether this version has tables with a prefix. */
  boolean hasPrefix() {
    return !version.equals(SEED);
  }

  /** The sources of this version with its own tests; skips the test where they cannot be had. */
  synchronized Path sources() throws IOException, InterruptedException {
    Path sources = TARGET.resolve("harel-%s-sources".formatted(version));
    Path tests = sources.resolve("harel-" + version);
    if (!Files.exists(sources.resolve("made"))) {
      Files.createDirectories(sources);
      boolean there =
          succeeds(
                  python(),
                  "-m",
                  "pip",
                  "download",
                  "-q",
                  "--no-deps",
                  "--no-binary=harel",
                  "--dest",
                  sources.toString(),
                  harel())
              && succeeds(
                  python(),
                  "-m",
                  "tarfile",
                  "-e",
                  sources.resolve("harel-%s.tar.gz".formatted(version)).toString(),
                  sources.toString());
      assumeTrue(there, MISSING + ": the sources of harel " + version);
      Files.createFile(sources.resolve("made"));
    }
    return tests;
  }

  /** Starts a command of the program. */
  PeerProcess start(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(python(), SOURCE.resolve("peer.py").toString()));
    command.addAll(arguments);
    return PeerProcess.start(new ProcessBuilder(command));
  }

  /** Runs a command of the program to its end, which must be a good one. */
  List<String> run(String... arguments) throws IOException, InterruptedException {
    try (PeerProcess process = start(List.of(arguments))) {
      int exitCode = process.exitCode();
      assertThat(exitCode).as(process.errors()).isZero();
      return process.lines();
    }
  }

  @Override
  public String toString() {
    return "harel " + version;
  }
}
