package dev.sluice.cli;

import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.FailedMessage;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows quarantined messages whole. */
@Command(
    name = "show",
    description = "Show quarantined messages whole, with their payloads and the secrets in them.",
    sortOptions = false,
    footer = {"", "Example:", "  sluice failed show --queue orders order-17-3"})
final class FailedShowCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final QueueOptions options = new QueueOptions();
  @Mixin private final JsonOption json = new JsonOption();

  @Parameters(paramLabel = "ID", arity = "1..*", description = "These messages.")
  private List<String> ids = List.of();

  FailedShowCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (OpenQueue open = options.open()) {
      FailedFilter filter = new FailedFilter(ids, null, null);
      List<FailedMessage> found = open.queue().admin().listFailed(filter, ids.size());
      FailedView view = new FailedView(console);
      if (json.json()) {
        view.printJson(found, true);
      } else {
        view.printWhole(found);
      }
      return new MissingIds(ids, found).report(console, open.queue().identifier())
          ? ExitCode.FAILED
          : ExitCode.DONE;
    }
  }
}
