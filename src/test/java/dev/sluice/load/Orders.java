package dev.sluice.load;

import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Message;
import dev.sluice.queue.Queue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Messages as a load test publishes them: group {@code g0001} of {@code g0001-00001} and so on. */
final class Orders {
  private static final int BATCH = 1_000;

  private Orders() {}

  /** The group of a message with this id. */
  static String group(String id) {
    return id.substring(0, id.lastIndexOf('-'));
  }

  /** The ids of so many groups with so many messages each, by group, in their order. */
  static Map<String, List<String>> groups(String prefix, int groups, int messages) {
    Map<String, List<String>> all = new LinkedHashMap<>();
    for (int g = 0; g < groups; g++) {
      String group = "%s%04d".formatted(prefix, g);
      List<String> ids = new ArrayList<>();
      for (int m = 0; m < messages; m++) {
        ids.add("%s-%05d".formatted(group, m));
      }
      all.put(group, ids);
    }
    return all;
  }

  static Message message(String id, String target, DispatchMode mode) {
    return Message.of(id, target).withGroup(group(id)).withMode(mode);
  }

  /** Publishes the first message of each group, then the second of each, and so on. */
  static void publish(
      Queue queue,
      Map<String, List<String>> groups,
      String pool,
      String target,
      DispatchMode mode) {
    List<Message> batch = new ArrayList<>();
    int longest = groups.values().stream().mapToInt(List::size).max().orElse(0);
    for (int i = 0; i < longest; i++) {
      for (List<String> ids : groups.values()) {
        if (i < ids.size()) {
          batch.add(message(ids.get(i), target, mode).withPool(pool));
        }
        if (batch.size() == BATCH) {
          queue.publishBatch(batch);
          batch.clear();
        }
      }
    }
    queue.publishBatch(batch);
  }
}
