package dev.sluice.cli;

import dev.sluice.queue.FailedMessage;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the quarantine. */
@Command(
    name = "list",
    description = "List quarantined messages, oldest first.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  sluice failed list --queue orders",
      "  sluice failed list --queue orders --reason 404 --json"
    })
final class FailedListCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final QueueOptions options = new QueueOptions();
  @Mixin private final FailedFilterOptions chosen = new FailedFilterOptions();
  @Mixin private final JsonOption json = new JsonOption();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "At most so many. Default: ${DEFAULT-VALUE}.")
  private int limit;

  FailedListCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    if (limit < 1) {
      throw CommandException.usage("--limit: must be at least 1, was " + limit);
    }
    try (OpenQueue open = options.open()) {
      List<FailedMessage> found = open.queue().admin().listFailed(chosen.filter(), limit + 1);
      List<FailedMessage> shown = found.subList(0, Math.min(limit, found.size()));
      FailedView view = new FailedView(console);
      if (json.json()) {
        view.printJson(shown, false);
      } else if (shown.isEmpty()) {
        console.message(
            "nothing of that is quarantined in queue '" + open.queue().identifier() + "'");
      } else {
        view.printTable(shown);
      }
      if (found.size() > limit) {
        console.message("there are more than these " + limit + "; see them with --limit");
      }
      return ExitCode.DONE;
    }
  }
}
