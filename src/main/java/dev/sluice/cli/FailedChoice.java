package dev.sluice.cli;

import dev.sluice.queue.FailedMessage;
import dev.sluice.queue.Queue;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which quarantined messages to change: named, or all of them and then not by accident. */
final class FailedChoice {
  @Mixin private final FailedFilterOptions chosen = new FailedFilterOptions();

  @Option(names = "--all", description = "All messages of the queue; asks first.")
  private boolean all;

  @Option(names = "--yes", description = "With --all: do not ask.")
  private boolean yes;

  FailedFilterOptions chosen() {
    return chosen;
  }

  /**
   * Makes sure that the user means it.
   *
   * @param verb what is about to be done, as in {@code requeue}
   * @return whether to go on
   * @throws CommandException if nothing is chosen, or if there is nobody to ask
   */
  boolean confirmed(Console console, String verb, Queue queue) {
    if (!all) {
      if (chosen.isEmpty()) {
        throw CommandException.usage(
            verb + ": which messages? give ids, --group, --reason or --all");
      }
      return true;
    }
    if (!chosen.isEmpty()) {
      throw CommandException.usage(verb + ": --all goes with neither ids nor --group nor --reason");
    }
    if (yes) {
      return true;
    }
    long count = queue.metrics().quarantined().orElse(0);
    return new Question(console)
        .ask(
            verb
                + " "
                + Words.count(count, "quarantined message")
                + " of queue '"
                + queue.identifier()
                + "'?");
  }

  /** The ids asked for that are not there. */
  MissingIds missing(Queue queue) {
    List<String> ids = chosen.ids();
    if (ids.isEmpty()) {
      return new MissingIds(List.of());
    }
    List<FailedMessage> found = queue.admin().listFailed(chosen.filter(), ids.size());
    return new MissingIds(ids, found);
  }
}
