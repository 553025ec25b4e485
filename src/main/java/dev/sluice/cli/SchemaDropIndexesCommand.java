package dev.sluice.cli;

import dev.sluice.queue.SchemaReport;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Takes the claim indexes away. */
@Command(
    name = "drop-indexes",
    description = "Drop the claim indexes: the table is as its producers made it again.",
    sortOptions = false,
    footer = {
      "",
      "Example:",
      "  sluice schema drop-indexes --uri postgres://owner@db.example/shop"
    })
final class SchemaDropIndexesCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  SchemaDropIndexesCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (OpenQueue open = OpenQueue.open(database.uri(), Optional.empty(), 1)) {
      open.queue().admin().dropExtra(SchemaReport.Extra.CLAIM_INDEXES);
      console.message("claim indexes are gone");
      return ExitCode.DONE;
    }
  }
}
