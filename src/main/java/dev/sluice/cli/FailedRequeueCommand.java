package dev.sluice.cli;

import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueAdmin.RequeueResult;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Puts quarantined messages back. */
@Command(
    name = "requeue",
    description = "Put quarantined messages back in the queue, in their old places.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  sluice failed requeue --queue orders order-17-3",
      "  sluice failed requeue --queue orders --group order-17",
      "  sluice failed requeue --queue orders --all --yes"
    })
final class FailedRequeueCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final QueueOptions options = new QueueOptions();
  @Mixin private final FailedChoice choice = new FailedChoice();
  @Mixin private final JsonOption json = new JsonOption();

  FailedRequeueCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    try (OpenQueue open = options.open()) {
      Queue queue = open.queue();
      if (!choice.confirmed(console, "requeue", queue)) {
        console.message("nothing was requeued");
        return ExitCode.FAILED;
      }
      MissingIds missing = choice.missing(queue);
      RequeueResult result = queue.admin().requeueFailed(choice.chosen().filter());
      print(result, missing);
      boolean unfound = missing.report(console, open.queue().identifier());
      result.inTheWay().forEach(this::reportInTheWay);
      return unfound || !result.inTheWay().isEmpty() ? ExitCode.FAILED : ExitCode.DONE;
    }
  }

  private void reportInTheWay(String id) {
    console.message(
        "stays in quarantine, since the queue holds a message of that id again: '" + id + "'");
  }

  private void print(RequeueResult result, MissingIds missing) {
    if (json.json()) {
      JsonDocument.print(
          console.out(),
          json ->
              json.field("requeued", result.requeued())
                  .strings("inTheWay", result.inTheWay())
                  .strings("missing", missing.ids()));
    } else {
      console.out().println("requeued " + Words.count(result.requeued(), "message"));
    }
  }
}
