package dev.sluice.cli;

import dev.sluice.queue.SchemaReport;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Takes the wake-up trigger away. */
@Command(
    name = "drop-notify",
    description = "Drop the wake-up trigger: the table is as its producers made it again.",
    sortOptions = false,
    footer = {"", "Example:", "  sluice schema drop-notify --uri postgres://owner@db.example/shop"})
final class SchemaDropNotifyCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  SchemaDropNotifyCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (OpenQueue open = OpenQueue.open(database.uri(), Optional.empty(), 1)) {
      open.queue().admin().dropExtra(SchemaReport.Extra.NOTIFY);
      console.message("the wake-up trigger is gone");
      return ExitCode.DONE;
    }
  }
}
