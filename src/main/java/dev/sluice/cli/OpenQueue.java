package dev.sluice.cli;

import dev.sluice.queue.Queue;
import dev.sluice.queue.uri.Database;
import dev.sluice.queue.uri.QueueSettings;
import dev.sluice.queue.uri.QueueUri;
import dev.sluice.queue.uri.Queues;
import java.util.Optional;

/**
 * A queue and the database that it is in, to be closed together. Closes also when the process is
 * told to end: a database of our own must not outlive its last user.
 */
final class OpenQueue implements RunningQueues.Opened {
  /** Stands for the name where a command is about the tables, not about one queue. */
  private static final String NO_QUEUE = "*";

  private final Database database;
  private final Queue queue;
  private final Thread atExit;

  private OpenQueue(Database database, Queue queue) {
    this.database = database;
    this.queue = queue;
    this.atExit = new Thread(this::release, "sluice-exit");
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Opens for a look or a change by hand: claims are not what it is for. */
  static OpenQueue open(String uri, Optional<String> name, int connections) {
    return open(QueueUri.parse(uri), name, connections, QueueSettings.DEFAULTS);
  }

  static OpenQueue open(
      QueueUri uri, Optional<String> name, int connections, QueueSettings settings) {
    Optional<String> known =
        uri.backend() == QueueUri.Backend.HAREL ? name : name.or(() -> Optional.of(NO_QUEUE));
    Database database = Database.open(uri, connections);
    try {
      OpenQueue open = new OpenQueue(database, Queues.open(database, known, settings));
      if (uri.embedded()) {
        open.queue().initSchema();
      }
      return open;
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  @Override
  public Queue queue() {
    return queue;
  }

  Database database() {
    return database;
  }

  @Override
  public void close() {
    release();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The process is ending, and this is how.
    }
  }

  private synchronized void release() {
    queue.close();
    database.close();
  }
}
