package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchTest extends WithDatabase {
  @Test
  void eachOperationIsMeasuredBesideItsPeers() {
    CliRun run =
        bench(
            "--sizes",
            "1000",
            "--shapes",
            "groups,blocked",
            "--runs",
            "1",
            "--patience",
            "120",
            "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode results = run.json().get("results");
    assertThat(texts(results, "operation"))
        .contains(
            "poll",
            "ack",
            "nack",
            "publish",
            "insert",
            "drain",
            "http",
            "latency",
            "claim",
            "sessions",
            "harel-ack",
            "harel-drain");
    assertThat(texts(results, "who"))
        .contains("seed", "sluice", "sluice without indexes", "seed with our indexes", "bare");
    assertThat(results)
        .allSatisfy(
            result -> {
              assertThat(result.get("medianSeconds").asDouble()).isPositive();
              assertThat(result.get("gaveUp").asBoolean()).isFalse();
            });
  }

  @Test
  void aSmallTableLastsForManyRuns() {
    CliRun run =
        bench("--operations", "drain,harel-drain", "--sizes", "1000", "--runs", "7", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("results"))
        .hasSize(7)
        .allSatisfy(
            result -> {
              assertThat(result.get("runs").asInt()).isEqualTo(7);
              assertThat(result.get("mostSeconds").isNumber()).isTrue();
              assertThat(result.get("mostSeconds").asDouble()).isLessThan(10);
            });
  }

  @Test
  void theScratchSchemasAreGoneAtTheEnd() {
    CliRun run = bench("--operations", "ack,claim", "--sizes", "1000", "--runs", "1");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("OPERATION").contains("claim ").contains("ack ");
    assertThat(query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'sluice\\_bench\\_%'"))
        .isEmpty();
  }

  @Test
  void aPlotIsAPictureOfTheKindThatItsNameSays(@TempDir Path directory) throws IOException {
    Path png = directory.resolve("poll.png");
    Path svg = directory.resolve("poll.SVG");
    for (Path file : List.of(png, svg)) {
      CliRun run =
          run(
              "bench",
              "--operations",
              "poll",
              "--shapes",
              "groups",
              "--sizes",
              "1000,2000",
              "--runs",
              "1",
              "--plot",
              file.toString());
      assertThat(run.exitCode()).as(run.err()).isZero();
    }

    assertThat(ImageIO.read(png.toFile()).getWidth()).isGreaterThan(500);
    assertThat(Files.readString(svg).stripTrailing().endsWith("</svg>")).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--sizes; 999; --size: must be 1000 to 10000000, was 999",
        "--runs; 0; --runs: must be 1 to 100, was 0",
        "--patience; 0; --patience: must be 1 s to 1 h, was 0 s",
        "--operations; pol; --operations: unknown 'pol'; there are poll, ack",
        "--shapes; round; --shapes: unknown 'round'; there are singletons, groups",
        "--plot; x.gif; --plot: the file's name must end with .png or .svg",
        "--plot; /nowhere/x.png; --plot: no such directory: /nowhere"
      })
  void wrongInputIsOneLine(String option, String value, String line) {
    CliRun run = bench(option, value);

    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err()).contains(line);
    assertThat(run.err().lines().filter(l -> !l.isBlank()).count()).isLessThanOrEqualTo(2);
  }

  private CliRun bench(String... options) {
    return run(
        Stream.concat(Stream.of("bench", "--uri", database().uri()), Arrays.stream(options))
            .toArray(String[]::new));
  }

  private static List<String> texts(JsonNode results, String field) {
    return StreamSupport.stream(results.spliterator(), false)
        .map(result -> result.get(field).asText())
        .distinct()
        .toList();
  }
}
