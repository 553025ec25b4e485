package dev.sluice.router;

import dev.sluice.router.RouterStatus.FlushedGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The groups that a target wants no more of for a while. Owned by the router's thread. */
final class FlushedGroups {
  private final Map<String, Long> endByGroup = new HashMap<>();

  /**
   * Suppresses a group.
   *
   * @param group empty for a message without one, which never suppresses anything
   * @param now in {@code Time.nanos}
   */
  void flush(String group, Duration time, long now) {
    endByGroup.values().removeIf(end -> end - now <= 0);
    if (!group.isEmpty()) {
      endByGroup.put(group, now + time.toNanos());
    }
  }

  /** The groups that are suppressed now. */
  List<FlushedGroup> list(long now) {
    List<FlushedGroup> all = new ArrayList<>();
    endByGroup.forEach(
        (group, end) -> {
          if (end - now > 0) {
            all.add(new FlushedGroup(group, Duration.ofNanos(end - now)));
          }
        });
    return all;
  }

  /** Whether messages of this group are not to be delivered now. */
  boolean covers(String group, long now) {
    Long end = endByGroup.get(group);
    return end != null && end - now > 0;
  }
}
