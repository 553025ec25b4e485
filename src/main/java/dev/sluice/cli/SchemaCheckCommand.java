package dev.sluice.cli;

import dev.sluice.queue.SchemaReport;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Compares the tables with what they must be. */
@Command(
    name = "check",
    description = "Compare the tables with what they must be, and say what differs.",
    sortOptions = false,
    footer = {"", "Example:", "  sluice schema check --uri postgres://app@db.example/shop"})
final class SchemaCheckCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();
  @Mixin private final JsonOption json = new JsonOption();

  SchemaCheckCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (OpenQueue open = OpenQueue.open(database.uri(), Optional.empty(), 1)) {
      SchemaReport report = open.queue().checkSchema();
      List<String> differences = SchemaGate.differences(report);
      boolean indexed = report.extras().contains(SchemaReport.Extra.CLAIM_INDEXES);
      if (json.json()) {
        JsonDocument.print(
            console.out(),
            json -> json.strings("differences", differences).field("claimIndexes", indexed));
      } else {
        print(differences, indexed);
      }
      return differences.isEmpty() ? ExitCode.DONE : ExitCode.SCHEMA;
    }
  }

  private void print(List<String> differences, boolean indexed) {
    differences.forEach(difference -> console.out().println(Printable.line(difference)));
    if (differences.isEmpty()) {
      console.out().println("the tables are as they must be");
      console
          .out()
          .println(
              indexed
                  ? "the claim indexes are there"
                  : "no claim indexes; a long backlog is polled faster with: sluice schema init"
                      + " --indexes");
    } else {
      console.message(
          "tables are missing or different; create missing ones with: sluice schema init");
    }
  }
}
