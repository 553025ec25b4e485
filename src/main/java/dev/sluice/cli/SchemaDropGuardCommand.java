package dev.sluice.cli;

import dev.sluice.queue.SchemaReport;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Takes the guard triggers away. */
@Command(
    name = "drop-guard",
    description = "Drop the guard triggers of the harel tables and their functions.",
    sortOptions = false,
    footer = {"", "Example:", "  sluice schema drop-guard --uri harel://owner@db.example/shop"})
final class SchemaDropGuardCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  SchemaDropGuardCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (OpenQueue open = OpenQueue.open(database.uri(), Optional.empty(), 1)) {
      open.queue().admin().dropExtra(SchemaReport.Extra.GUARD);
      console.message("guard triggers are gone");
      return ExitCode.DONE;
    }
  }
}
