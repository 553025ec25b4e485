package dev.sluice.cli;

import dev.sluice.queue.SchemaException;
import dev.sluice.queue.SchemaReport;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates what is missing. */
@Command(
    name = "init",
    description = "Create the tables that are missing; what is there is left alone.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  sluice schema init --uri postgres://owner@db.example/shop",
      "  sluice schema init --indexes --uri postgres://owner@db.example/shop",
      "  sluice schema init --indexes --guard --uri harel://owner@db.example/shop"
    })
final class SchemaInitCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--indexes",
      description = "Also add the indexes that keep claims fast, without blocking writers.")
  private boolean indexes;

  @Option(
      names = "--guard",
      description =
          "Harel tables: also add the two triggers that keep Python workers from leaving messages"
              + " that nobody can claim.")
  private boolean guard;

  @Option(
      names = "--notify",
      description =
          "Also add the trigger that tells routers of what is published, so that they need not wait"
              + " for their next poll.")
  private boolean wakeUp;

  SchemaInitCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (OpenQueue open = OpenQueue.open(database.uri(), Optional.empty(), 1)) {
      List<String> before = SchemaGate.differences(open.queue().checkSchema());
      open.queue().initSchema();
      SchemaReport after = open.queue().checkSchema();
      if (!after.usable()) {
        throw new SchemaException(
            List.of(String.join("; ", after.differences()) + "; init alters nothing: alter it"));
      }
      console.message(before.isEmpty() ? "the tables were there already" : "tables created");
      boolean outdated = after.extras().contains(SchemaReport.Extra.OLD_CLAIM_INDEXES);
      if (outdated) {
        console.message("claim indexes of an older version are there, and are replaced");
      }
      if (indexes || outdated) {
        open.queue().admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
        console.message("claim indexes are there");
      }
      if (guard) {
        open.queue().admin().createExtra(SchemaReport.Extra.GUARD);
        console.message("guard triggers are there");
      }
      if (wakeUp) {
        open.queue().admin().createExtra(SchemaReport.Extra.NOTIFY);
        console.message("the wake-up trigger is there");
      }
      return ExitCode.DONE;
    }
  }
}
