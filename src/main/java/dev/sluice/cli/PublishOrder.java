package dev.sluice.cli;

import dev.sluice.queue.Message;
import dev.sluice.queue.QueueAdmin.PublishPreview;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Watches that the ids of each group ascend within a second, for that is the order in which they
 * are delivered. Which of two ids comes first only the database can tell. Not thread-safe.
 */
final class PublishOrder {
  private final Function<List<String>, PublishPreview> database;

  /** Of each group the greatest id that may have been written in the current second. */
  private final Map<String, String> greatest = new HashMap<>();

  private Instant lastWrite = Instant.MIN;

  /**
   * @param database says how it sees ids; its clock when asked about none
   */
  PublishOrder(Function<List<String>, PublishPreview> database) {
    this.database = database;
  }

  /**
   * Two messages that are delivered the other way round.
   *
   * @param group their group
   * @param first the id published first
   * @param second the id published second, which the database puts before the first
   */
  record Descent(String group, String first, String second) {}

  /**
   * What would come of writing messages now.
   *
   * @param ordered how many of them, from the first on, would keep their order
   * @param descent the first pair that would not
   * @param existing which of them the queue holds already, or would by then
   */
  record Forecast(int ordered, Optional<Descent> descent, List<Boolean> existing) {}

  /** What would come of writing these now. */
  Forecast forecast(List<Message> messages) {
    List<String> carried = carriedIds(messages);
    List<String> asked = new ArrayList<>(carried);
    messages.forEach(message -> asked.add(message.id()));
    PublishPreview preview = database.apply(asked);
    if (preview.now().isAfter(lastWrite)) {
      greatest.clear();
    }
    Map<String, Long> ranks = new HashMap<>();
    for (int i = 0; i < asked.size(); i++) {
      ranks.put(asked.get(i), preview.ranks().get(i));
    }
    return forecast(messages, ranks, new HashSet<>(preview.waiting()));
  }

  private Forecast forecast(List<Message> messages, Map<String, Long> ranks, Set<String> held) {
    Map<String, String> last = new HashMap<>(greatest);
    List<Boolean> existing = new ArrayList<>();
    Optional<Descent> descent = Optional.empty();
    int ordered = messages.size();
    for (int i = 0; i < messages.size(); i++) {
      String id = messages.get(i).id();
      boolean exists = !held.add(id);
      existing.add(exists);
      Optional<String> group = messages.get(i).messageGroupId();
      if (exists || group.isEmpty()) {
        continue;
      }
      String before = last.get(group.get());
      if (before == null || rank(ranks, before) < rank(ranks, id)) {
        last.put(group.get(), id);
      } else if (descent.isEmpty()) {
        descent = Optional.of(new Descent(group.get(), before, id));
        ordered = i;
      }
    }
    return new Forecast(ordered, descent, existing);
  }

  /**
   * Takes note that these were written.
   *
   * @param existing as forecast
   */
  void written(List<Message> messages, List<Boolean> existing) {
    List<String> asked = new ArrayList<>(carriedIds(messages));
    messages.forEach(message -> asked.add(message.id()));
    PublishPreview after = database.apply(asked);
    lastWrite = after.now();
    Map<String, Long> ranks = new LinkedHashMap<>();
    for (int i = 0; i < asked.size(); i++) {
      ranks.put(asked.get(i), after.ranks().get(i));
    }
    for (int i = 0; i < messages.size(); i++) {
      String id = messages.get(i).id();
      if (!existing.get(i)) {
        messages
            .get(i)
            .messageGroupId()
            .ifPresent(
                group ->
                    greatest.merge(group, id, (a, b) -> rank(ranks, a) < rank(ranks, b) ? b : a));
      }
    }
  }

  private List<String> carriedIds(List<Message> messages) {
    return messages.stream()
        .flatMap(message -> message.messageGroupId().stream())
        .distinct()
        .flatMap(group -> Optional.ofNullable(greatest.get(group)).stream())
        .toList();
  }

  private static long rank(Map<String, Long> ranks, String id) {
    Long rank = ranks.get(id);
    if (rank == null) {
      throw new IllegalStateException("no rank of an id that was asked for");
    }
    return rank;
  }
}
