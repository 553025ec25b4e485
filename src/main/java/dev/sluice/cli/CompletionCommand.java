package dev.sluice.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The completion script. */
@Command(
    name = "completion",
    description = "Print a script that completes commands and options in bash and zsh.",
    footer = {"", "Example, for this shell:", "  source <(sluice completion)"})
final class CompletionCommand implements Callable<Integer> {
  private final Console console;

  CompletionCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    CommandLine all = new Cli(console).withAllCommands();
    console.out().print(AutoComplete.bash("sluice", all));
    return ExitCode.DONE;
  }
}
