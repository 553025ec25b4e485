package dev.sluice.queue.uri;

import dev.sluice.queue.Queue;
import dev.sluice.queue.harel.HarelQueue;
import dev.sluice.queue.legacy.LegacyQueue;
import java.util.Optional;

/** Opens the queues of a database with the backend that its URI names. */
public final class Queues {
  private Queues() {}

  /**
   * The queue of this name; does not touch the database yet. Closing it leaves the database open.
   *
   * @param name what producers call it; without one, the one queue of the harel tables
   * @throws IllegalArgumentException if the name is missing, empty or holds a NUL
   */
  public static Queue open(Database database, Optional<String> name, QueueSettings settings) {
    QueueUri uri = database.uri();
    return switch (uri.backend()) {
      case LEGACY -> legacy(database, name, settings);
      case HAREL -> harel(database, name, settings);
    };
  }

  private static Queue legacy(Database database, Optional<String> name, QueueSettings settings) {
    String given =
        name.orElseThrow(
            () -> new IllegalArgumentException("queue name: the legacy table holds many queues"));
    return LegacyQueue.builder(database.dataSource(), given)
        .wakeups(database.wakeups())
        .visibility(settings.visibility())
        .groups(settings.exclusive() ? LegacyQueue.Groups.EXCLUSIVE : LegacyQueue.Groups.RELAXED)
        .build();
  }

  private static Queue harel(Database database, Optional<String> name, QueueSettings settings) {
    HarelQueue.Builder builder =
        HarelQueue.builder(database.dataSource())
            .wakeups(database.wakeups())
            .visibility(settings.visibility());
    name.ifPresent(builder::name);
    database.uri().prefix().ifPresent(builder::prefix);
    database.uri().kind().ifPresent(builder::kind);
    settings.eventTarget().ifPresent(builder::eventTarget);
    return builder.build();
  }

  /** The statements that create all that a backend can have, as one script; needs no database. */
  public static String schemaScript(QueueUri uri) {
    return switch (uri.backend()) {
      case LEGACY -> LegacyQueue.schemaScript();
      case HAREL -> HarelQueue.schemaScript(uri.prefix());
    };
  }
}
