package dev.sluice.cli;

import dev.sluice.queue.FailedMessage;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Ids that somebody asked for and that are not in quarantine.
 *
 * @param ids in the order asked for
 */
record MissingIds(List<String> ids) {

  MissingIds(List<String> asked, List<FailedMessage> found) {
    this(without(asked, found.stream().map(FailedMessage::id).collect(Collectors.toSet())));
  }

  private static List<String> without(List<String> asked, Set<String> found) {
    return asked.stream().filter(id -> !found.contains(id)).distinct().toList();
  }

  /** Tells the user, and returns whether there was anything to tell. */
  boolean report(Console console, String queue) {
    ids.forEach(
        id -> console.message("not in the quarantine of queue '" + queue + "': '" + id + "'"));
    return !ids.isEmpty();
  }
}
