package dev.sluice.cli;

import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which queue of which database. */
final class QueueOptions {
  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--queue",
      required = true,
      paramLabel = "NAME",
      description = "The queue's name, as producers write it.")
  private String queue = "";

  String queue() {
    return queue;
  }

  /**
   * Opens the queue and compares its tables with what they must be.
   *
   * @throws dev.sluice.queue.SchemaException if they are missing or differ
   */
  OpenQueue open() {
    OpenQueue open = OpenQueue.open(database.uri(), queue, 2);
    try {
      SchemaGate.requireUsable(open.queue());
      return open;
    } catch (RuntimeException e) {
      open.close();
      throw e;
    }
  }

  /** Opens the queue for a router, waiting for the database and looking at the schema first. */
  OpenQueue open(RouterSettings settings, Duration patience) {
    return settings.open(database.uri(), queue, patience);
  }
}
