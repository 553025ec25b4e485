package dev.sluice.cli;

import dev.sluice.queue.Queue;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Deletes quarantined messages. */
@Command(
    name = "discard",
    description = "Delete quarantined messages for good.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  sluice failed discard --queue orders order-17-3",
      "  sluice failed discard --queue orders --all --yes"
    })
final class FailedDiscardCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final QueueOptions options = new QueueOptions();
  @Mixin private final FailedChoice choice = new FailedChoice();
  @Mixin private final JsonOption json = new JsonOption();

  FailedDiscardCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (OpenQueue open = options.open()) {
      Queue queue = open.queue();
      if (!choice.confirmed(console, "discard", queue)) {
        console.message("nothing was discarded");
        return ExitCode.FAILED;
      }
      MissingIds missing = choice.missing(queue);
      int discarded = queue.admin().discardFailed(choice.chosen().filter());
      if (json.json()) {
        JsonDocument.print(
            console.out(),
            json -> json.field("discarded", discarded).strings("missing", missing.ids()));
      } else {
        console.out().println("discarded " + Words.count(discarded, "message"));
      }
      return missing.report(console, open.queue().identifier()) ? ExitCode.FAILED : ExitCode.DONE;
    }
  }
}
