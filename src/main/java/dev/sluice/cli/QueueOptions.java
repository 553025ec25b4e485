package dev.sluice.cli;

import dev.sluice.queue.uri.QueueSettings;
import dev.sluice.queue.uri.QueueUri;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which queue of which database. */
final class QueueOptions {
  private static final int CONNECTIONS = 2;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      description =
          "The queue's name, as producers write it. Needed for the legacy table; the harel tables hold"
              + " one queue.")
  private Optional<String> queue = Optional.empty();

  /**
   * Opens the queue and compares its tables with what they must be.
   *
   * @throws dev.sluice.queue.SchemaException if they are missing or differ
   */
  OpenQueue open() {
    OpenQueue open = OpenQueue.open(uri(), queue, CONNECTIONS, QueueSettings.DEFAULTS);
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
    return settings.open(uri(), queue, patience);
  }

  private QueueUri uri() {
    QueueUri uri = QueueUri.parse(database.uri());
    if (queue.isEmpty() && uri.backend() == QueueUri.Backend.LEGACY) {
      throw CommandException.usage("Missing required option: '--queue NAME'");
    }
    return uri;
  }
}
