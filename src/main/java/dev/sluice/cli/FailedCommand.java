package dev.sluice.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The quarantine. */
@Command(
    name = "failed",
    synopsisSubcommandLabel = "COMMAND",
    description = "Look into the quarantine, put messages back, or delete them.",
    footer = {
      "",
      "Examples:",
      "  sluice failed list --queue orders --reason 404",
      "  sluice failed show --queue orders order-17-3",
      "  sluice failed requeue --queue orders --group order-17",
      "  sluice failed discard --queue orders --all --yes"
    })
final class FailedCommand implements Runnable {
  static CommandLine withSubcommands(Console console) {
    return new CommandLine(new FailedCommand())
        .addSubcommand(new FailedListCommand(console))
        .addSubcommand(new FailedShowCommand(console))
        .addSubcommand(new FailedRequeueCommand(console))
        .addSubcommand(new FailedDiscardCommand(console));
  }

  @Override
  public void run() {
    throw CommandException.usage(
        "failed: what with it? list, show, requeue or discard; see: sluice failed --help");
  }
}
