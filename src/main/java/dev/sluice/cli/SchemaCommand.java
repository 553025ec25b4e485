package dev.sluice.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The tables. */
@Command(
    name = "schema",
    synopsisSubcommandLabel = "COMMAND",
    description = "Print, create or check the tables.",
    footer = {
      "",
      "Examples:",
      "  sluice schema check --uri postgres://app@db.example/shop",
      "  sluice schema init --indexes --uri postgres://owner@db.example/shop",
      "  sluice schema print > sluice.sql"
    })
final class SchemaCommand implements Runnable {
  static CommandLine withSubcommands(Console console) {
    return new CommandLine(new SchemaCommand())
        .addSubcommand(new SchemaPrintCommand(console))
        .addSubcommand(new SchemaInitCommand(console))
        .addSubcommand(new SchemaCheckCommand(console))
        .addSubcommand(new SchemaDropIndexesCommand(console))
        .addSubcommand(new SchemaDropGuardCommand(console))
        .addSubcommand(new SchemaDropNotifyCommand(console));
  }

  @Override
  public void run() {
    throw CommandException.usage(
        "schema: what with it? print, init, check, drop-indexes, drop-guard or drop-notify; see: sluice"
            + " schema --help");
  }
}
