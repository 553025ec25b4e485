package dev.sluice.cli;

import static dev.sluice.cli.CliRun.sluice;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class UsageTest {

  @Test
  void helpGoesToStdout() {
    CliRun run = sluice("--help");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("Usage: sluice", "drain", "publish", "Examples:");
    assertThat(run.err()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyCommandHasHelpWithAnExampleThatFitsATerminal(String command) {
    CliRun run = sluice((command + " --help").split(" "));

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("Example", "sluice " + command);
    assertThat(run.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
  }

  static Stream<String> commands() {
    return Stream.of(
        "demo",
        "drain",
        "run",
        "publish",
        "stats",
        "peek",
        "failed",
        "failed list",
        "failed show",
        "failed requeue",
        "failed discard",
        "schema",
        "schema print",
        "schema init",
        "schema check",
        "schema drop-indexes",
        "completion");
  }

  @Test
  void versionNamesTheProgram() {
    assertThat(sluice("--version").out()).startsWith("sluice ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "drain",
        "drain --queue q --no-such-option",
        "drain --queue q --batch many",
        "drain --queue q --batch 0",
        "drain --queue q --visibility soon",
        "drain --queue q --allow-target https://t.example",
        "peek --queue q --limit x",
        "failed",
        "failed show --queue q",
        "schema",
        "migrate"
      })
  void wrongUsageIsOneLineAndExitCode2(String line) {
    CliRun run = sluice(line.isEmpty() ? new String[0] : line.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.err()).startsWith("sluice");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aCommandMistypedIsGuessed() {
    assertThat(sluice("dain").err())
        .isEqualTo(
            "sluice: unknown command or argument 'dain', did you mean drain or failed; see: sluice --help\n");
  }

  @Test
  void aPasswordInAWrongArgumentIsNotPrinted() {
    CliRun run = sluice("stats", "postgres://app:s3cret@db/shop");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("postgres://app:***@db/shop").doesNotContain("s3cret");
  }

  @Test
  void anOptionCanStandInTheEnvironment() {
    CliRun run = new CliRun.Shell().with("SLUICE_BATCH", "many").run("drain", "--queue", "q");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--batch", "many", "SLUICE_BATCH");
  }

  @Test
  void anOptionBeatsTheEnvironment() {
    CliRun run =
        new CliRun.Shell()
            .with("SLUICE_BATCH", "many")
            .run("drain", "--queue", "q", "--batch", "0");

    assertThat(run.err()).contains("batch: must be from 1 to 10000, was 0");
  }

  @Test
  void argumentsCanStandInAFile(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("options"), "--help\n");

    assertThat(sluice("stats", "@" + file).out()).contains("Usage: sluice stats");
  }

  @Test
  void completionKnowsEveryCommand() {
    CliRun run = sluice("completion");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("complete -F", "drop-indexes", "--max-failures");
  }

  @Test
  void schemaPrintNeedsNoDatabase() {
    CliRun run = sluice("schema", "print");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("CREATE TABLE IF NOT EXISTS queue_messages (", "sluice_claim_");
  }
}
