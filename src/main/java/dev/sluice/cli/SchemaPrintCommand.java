package dev.sluice.cli;

import dev.sluice.queue.uri.QueueUri;
import dev.sluice.queue.uri.Queues;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints the DDL. */
@Command(
    name = "print",
    description =
        "Print the statements that create the tables and all that can be added to them; touches no"
            + " database.",
    footer = {
      "",
      "Examples:",
      "  sluice schema print > sluice.sql",
      "  sluice schema print --uri 'harel://db.example/shop?prefix=harel'"
    })
final class SchemaPrintCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  SchemaPrintCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    console.out().print(Queues.schemaScript(QueueUri.parse(database.uri())));
    return ExitCode.DONE;
  }
}
