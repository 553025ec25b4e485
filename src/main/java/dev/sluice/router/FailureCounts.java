package dev.sluice.router;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often each message has failed, over all its claims by this process. Forgets the message that
 * failed longest ago beyond {@link #MOST} messages. Owned by the router's thread.
 */
final class FailureCounts {
  static final int MOST = 100_000;

  private final Map<String, Integer> byId =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
          return size() > MOST;
        }
      };

  /** Counts one more failure and returns how many there are now. */
  int failed(String id) {
    return byId.merge(id, 1, Integer::sum);
  }

  int of(String id) {
    return byId.getOrDefault(id, 0);
  }

  void forget(String id) {
    byId.remove(id);
  }
}
