package dev.sluice.compat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.sluice.e2e.RecordingTarget;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** In which order the messages of each group were published, or first seen by somebody. */
final class Order {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private Order() {}

  /** The ids that a target was called with, oldest call first. */
  static List<String> delivered(RecordingTarget target) throws JsonProcessingException {
    List<String> ids = new ArrayList<>();
    for (RecordingTarget.Request request : target.requests()) {
      ids.add(JSON.readTree(request.body()).get("messageId").textValue());
    }
    return ids;
  }

  /** Group by group, as published. */
  static Map<String, List<String>> byGroup(List<GoEvent.Published> published) {
    return byGroup(published.stream().map(GoEvent.Published::id).toList(), published);
  }

  /** Group by group, as first seen; a message without a group is its own. */
  static Map<String, List<String>> byGroup(
      Collection<String> seen, List<GoEvent.Published> published) {
    Map<String, String> groups = new HashMap<>();
    published.forEach(m -> groups.put(m.id(), m.group() == null ? m.id() : m.group()));
    Map<String, List<String>> order = new HashMap<>();
    for (String id : new LinkedHashSet<>(seen)) {
      String group = groups.get(id);
      if (group == null) {
        throw new AssertionError("nobody published " + id);
      }
      order.computeIfAbsent(group, g -> new ArrayList<>()).add(id);
    }
    return order;
  }
}
