package dev.sluice.router;

import dev.sluice.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * The pools by their codes, the default one always among them. Owned by the router's thread.
 *
 * <p>A pool that is removed takes nothing more; what it has is delivered under its last settings.
 */
final class Pools {
  /** Codes come from messages: whoever invents one for each must not fill the heap. */
  private static final int MOST_WARNINGS = 1_000;

  private final Duration maxDeferral;
  private final Time time;
  private final Executor core;
  private final RouterListener listener;
  private final Map<String, Pool> byCode = new LinkedHashMap<>();
  private final Map<String, Pool> removed = new LinkedHashMap<>();
  private final Set<String> unknown = new HashSet<>();

  Pools(Duration maxDeferral, Time time, Executor core, RouterListener listener) {
    this.maxDeferral = maxDeferral;
    this.time = time;
    this.core = core;
    this.listener = listener;
    set(List.of());
  }

  /** Makes these the pools, and the default one as it is by default unless it is among them. */
  void set(List<PoolSettings> settings) {
    Map<String, PoolSettings> wanted = new LinkedHashMap<>();
    wanted.put(PoolSettings.DEFAULT_CODE, PoolSettings.DEFAULT);
    settings.forEach(s -> wanted.put(s.code(), s));
    wanted.values().forEach(this::put);
    for (String code : List.copyOf(byCode.keySet())) {
      if (!wanted.containsKey(code)) {
        removed.put(code, byCode.remove(code));
      }
    }
    unknown.removeAll(byCode.keySet());
    forgetEmpty();
  }

  private void put(PoolSettings settings) {
    Pool known = byCode.get(settings.code());
    Pool pool = known == null ? removed.remove(settings.code()) : known;
    if (pool == null) {
      pool = new Pool(settings, maxDeferral, time, core, listener);
    } else if (!pool.settings().equals(settings)) {
      pool.change(settings);
    }
    byCode.put(settings.code(), pool);
  }

  /** The pool of messages that ask for this code. */
  Pool of(String code) {
    Pool pool = byCode.get(code);
    return pool == null ? defaultPool() : pool;
  }

  private Pool defaultPool() {
    return Objects.requireNonNull(byCode.get(PoolSettings.DEFAULT_CODE));
  }

  /** Whether a message asks for a pool that is not there, and nobody was told yet. */
  boolean isNewlyUnknown(String code) {
    return !code.isEmpty()
        && !byCode.containsKey(code)
        && unknown.size() < MOST_WARNINGS
        && unknown.add(code);
  }

  void startDeliveries() {
    byCode.values().forEach(Pool::startDeliveries);
    if (!removed.isEmpty()) {
      removed.values().forEach(Pool::startDeliveries);
      forgetEmpty();
    }
  }

  private void forgetEmpty() {
    removed.values().removeIf(Pool::isEmpty);
  }

  /** The pools that take messages. */
  Collection<Pool> open() {
    return byCode.values();
  }

  /** All pools that may have messages. */
  List<Pool> all() {
    List<Pool> all = new ArrayList<>(byCode.values());
    all.addAll(removed.values());
    return all;
  }
}
