package dev.sluice.cli;

import dev.sluice.queue.uri.Queues;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Prints the DDL. */
@Command(
    name = "print",
    description = "Print the statements that create tables and indexes; touches no database.",
    footer = {"", "Example:", "  sluice schema print > sluice.sql"})
final class SchemaPrintCommand implements Callable<Integer> {
  private final Console console;

  SchemaPrintCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    console.out().print(Queues.schemaScript());
    return ExitCode.DONE;
  }
}
