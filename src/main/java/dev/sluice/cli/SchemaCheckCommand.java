package dev.sluice.cli;

import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.uri.QueueUri;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares the tables with what they must be. */
@Command(
    name = "check",
    description = "Compare the tables with what they must be, and say what differs.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  sluice schema check --uri postgres://app@db.example/shop",
      "  sluice schema check --repair --uri harel://app@db.example/shop"
    })
final class SchemaCheckCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();
  @Mixin private final JsonOption json = new JsonOption();

  @Option(
      names = "--repair",
      description =
          "Harel tables: also look through all groups for messages that nobody can claim, and make"
              + " them claimable.")
  private boolean repair;

  SchemaCheckCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (OpenQueue open = OpenQueue.open(database.uri(), Optional.empty(), 1)) {
      SchemaReport report = open.queue().checkSchema();
      List<String> differences = SchemaGate.differences(report);
      OptionalLong repaired =
          repair && report.usable()
              ? OptionalLong.of(open.queue().admin().repair())
              : OptionalLong.empty();
      boolean harel = open.database().uri().backend() == QueueUri.Backend.HAREL;
      if (json.json()) {
        JsonDocument.print(
            console.out(),
            json ->
                json.strings("differences", differences)
                    .field("claimIndexes", has(report, Extra.CLAIM_INDEXES))
                    .field("oldClaimIndexes", has(report, Extra.OLD_CLAIM_INDEXES))
                    .field("guard", has(report, Extra.GUARD))
                    .field("notify", has(report, Extra.NOTIFY))
                    .field("repairedGroups", repaired));
      } else {
        print(differences, report, harel);
        repaired.ifPresent(
            groups -> console.out().println("repaired " + Words.count(groups, "group")));
      }
      return differences.isEmpty() ? ExitCode.DONE : ExitCode.SCHEMA;
    }
  }

  private static boolean has(SchemaReport report, Extra extra) {
    return report.extras().contains(extra);
  }

  private void print(List<String> differences, SchemaReport report, boolean harel) {
    differences.forEach(difference -> console.out().println(Printable.line(difference)));
    if (!differences.isEmpty()) {
      console.message(
          "something is missing or different; create what is missing with: sluice schema init");
      return;
    }
    console.out().println("the tables are as they must be");
    console
        .out()
        .println(
            has(report, Extra.CLAIM_INDEXES)
                ? "the claim indexes are there"
                : "no claim indexes; a long backlog is polled faster with: sluice schema init"
                    + " --indexes");
    if (has(report, Extra.OLD_CLAIM_INDEXES)) {
      console
          .out()
          .println(
              "claim indexes of an older version are there, which no claim uses; replace them with:"
                  + " sluice schema init");
    }
    console
        .out()
        .println(
            has(report, Extra.NOTIFY)
                ? "the wake-up trigger is there"
                : "no wake-up trigger; an idle queue is polled at once when something is published"
                    + " with: sluice schema init --notify");
    if (harel) {
      console
          .out()
          .println(
              has(report, Extra.GUARD)
                  ? "the guard triggers are there"
                  : "no guard triggers; where Python workers use the tables too, add them with:"
                      + " sluice schema init --guard");
    }
  }
}
