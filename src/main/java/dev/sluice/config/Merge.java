package dev.sluice.config;

import dev.sluice.config.ConfigReader.Warning;
import dev.sluice.router.PoolSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes one config of those of several sources: the first to name a pool or a queue wins. */
final class Merge {
  private final Map<String, From<PoolSettings>> pools = new LinkedHashMap<>();
  private final Map<QueueKey, From<QueueConfig>> queues = new LinkedHashMap<>();
  private final List<Warning> warnings = new ArrayList<>();

  private record From<T>(String source, T value) {}

  /** Adds the config of one more source. */
  void add(String source, RouterConfig config) {
    config
        .pools()
        .forEach(pool -> add(pools, pool.code(), source, pool, "pool '" + pool.code() + "'"));
    config
        .queues()
        .forEach(
            queue ->
                add(queues, QueueKey.of(queue), source, queue, "queue '" + queue.name() + "'"));
  }

  private <K, T> void add(Map<K, From<T>> into, K key, String source, T value, String what) {
    From<T> first = into.putIfAbsent(key, new From<>(source, value));
    if (first != null && !first.value().equals(value)) {
      String text =
          source + ": " + what + " is left out: " + first.source() + " has it with other values";
      warnings.add(new Warning(text, text));
    }
  }

  /** What was left out so far. */
  List<Warning> warnings() {
    return warnings;
  }

  RouterConfig merged() {
    return new RouterConfig(values(pools), values(queues));
  }

  private static <K, T> List<T> values(Map<K, From<T>> from) {
    return from.values().stream().map(From::value).toList();
  }
}
