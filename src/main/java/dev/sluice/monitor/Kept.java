package dev.sluice.monitor;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Something of each name, made when it is first wanted and kept for a while after its name was last
 * seen, so that its last values are seen too. Safe for use by many threads.
 */
final class Kept<T> {
  /** How long what is gone is kept: some scrapes of anybody. */
  static final Duration AFTERWARDS = Duration.ofMinutes(5);

  private final Map<String, T> byName = new ConcurrentHashMap<>();
  private final Map<String, Long> lastSeen = new HashMap<>();
  private final Function<String, T> make;
  private final Consumer<T> end;

  Kept(Function<String, T> make, Consumer<T> end) {
    this.make = make;
    this.end = end;
  }

  T of(String name) {
    T known = byName.get(name);
    return known != null ? known : byName.computeIfAbsent(name, make);
  }

  /**
   * Makes what is missing, and ends what is long gone.
   *
   * @param now in {@code Time.nanos}
   */
  synchronized void follow(Set<String> present, long now) {
    for (String name : present) {
      T unused = of(name);
    }
    byName
        .entrySet()
        .removeIf(
            entry -> {
              boolean over = isOver(entry.getKey(), present, now);
              if (over) {
                end.accept(entry.getValue());
              }
              return over;
            });
  }

  private boolean isOver(String name, Set<String> present, long now) {
    // What was made by an event between two looks counts from the first look that misses it.
    Long since = present.contains(name) ? lastSeen.put(name, now) : lastSeen.putIfAbsent(name, now);
    if (present.contains(name) || since == null || now - since < AFTERWARDS.toNanos()) {
      return false;
    }
    lastSeen.remove(name);
    return true;
  }
}
