package dev.sluice.delivery;

import dev.sluice.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The breakers of all targets: one for each URL as written, as in the Go router. Forgets those that
 * no call asked for in an hour, and the least recently used beyond 10,000.
 *
 * <p>People see URLs without user info and query. What looks the same to them is listed as one,
 * with the calls of all its URLs, also of those that were forgotten, as long as one is left: a sum
 * that is exported as a counter must not fall.
 *
 * <p>Safe for use by many threads.
 */
final class Breakers {
  static final int MOST = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(Breakers.class);
  private static final long UNUSED_NANOS = Duration.ofHours(1).toNanos();
  private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();

  /** What people see of the URLs that look the same to them. */
  private static final class Target {
    final String name;
    int urls;
    long succeeded;
    long failed;
    long refused;

    Target(String name) {
      this.name = name;
    }
  }

  private static final class Entry {
    final Breaker breaker = new Breaker();
    final Target target;
    long usedAt;

    Entry(Target target) {
      this.target = target;
    }
  }

  private final Time time;
  private final Map<String, Entry> byUrl = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<String, Target> byName = new HashMap<>();
  private boolean closed;

  Breakers(Time time) {
    this.time = time;
  }

  /**
   * Makes a call if the breaker of its target lets it through, and records what comes of it before
   * the stage that it returns completes.
   *
   * @param url the target as the message has it
   * @param name the target without user info and query
   * @param call starts the call; returns at once
   * @return what came of the call, or {@link Outcome.CircuitOpen}
   */
  CompletionStage<Outcome> guard(String url, String name, Supplier<CompletionStage<Outcome>> call) {
    long startedAt;
    synchronized (this) {
      startedAt = time.nanos();
      Entry entry = use(url, name, startedAt);
      long refused = entry.breaker.nanosRefused(startedAt);
      if (refused > 0) {
        entry.target.refused++;
        return CompletableFuture.completedFuture(new Outcome.CircuitOpen(wholeSeconds(refused)));
      }
    }
    return call.get()
        .thenApply(
            outcome -> {
              record(url, name, Sample.of(outcome), startedAt);
              return outcome;
            });
  }

  /** All targets that are not forgotten, in no particular order. */
  synchronized List<BreakerStatus> status() {
    long now = time.nanos();
    forgetUnused(now);
    Set<Target> open = new HashSet<>();
    for (Entry entry : byUrl.values()) {
      if (entry.breaker.nanosRefused(now) > 0) {
        open.add(entry.target);
      }
    }
    List<BreakerStatus> all = new ArrayList<>(byName.size());
    for (Target target : byName.values()) {
      all.add(
          new BreakerStatus(
              target.name, open.contains(target), target.succeeded, target.failed, target.refused));
    }
    return all;
  }

  /** Records no more: what ends from now on was given up, and tells nothing of its target. */
  synchronized void close() {
    closed = true;
  }

  private void record(String url, String name, Sample sample, long startedAt) {
    if (sample == Sample.NONE) {
      return;
    }
    Breaker.Change change;
    int samples;
    int failures;
    synchronized (this) {
      if (closed) {
        return;
      }
      long now = time.nanos();
      // A call may take longer than its breaker is remembered.
      Entry entry = use(url, name, now);
      boolean success = sample == Sample.SUCCESS;
      entry.target.succeeded += success ? 1 : 0;
      entry.target.failed += success ? 0 : 1;
      change = entry.breaker.record(success, startedAt, now);
      samples = entry.breaker.samples();
      failures = entry.breaker.failures();
    }
    tell(change, name, samples, failures);
  }

  /** A target that stays down opens its breaker every few seconds: one line tells of that. */
  private static void tell(Breaker.Change change, String name, int samples, int failures) {
    switch (change) {
      case OPENED ->
          LOG.warn(
              "event=breaker_opened target={} samples={} failures={}", name, samples, failures);
      case REOPENED -> LOG.debug("event=breaker_reopened target={}", name);
      case CLOSED -> LOG.info("event=breaker_closed target={}", name);
      case NONE -> {}
    }
  }

  private Entry use(String url, String name, long now) {
    forgetUnused(now);
    Entry entry = byUrl.get(url);
    if (entry == null) {
      if (byUrl.size() == MOST) {
        forgetLeastRecentlyUsed();
      }
      entry = new Entry(byName.computeIfAbsent(name, Target::new));
      entry.target.urls++;
      byUrl.put(url, entry);
    }
    entry.usedAt = now;
    return entry;
  }

  private void forgetUnused(long now) {
    while (!byUrl.isEmpty() && now - leastRecentlyUsed().next().usedAt >= UNUSED_NANOS) {
      forgetLeastRecentlyUsed();
    }
  }

  private void forgetLeastRecentlyUsed() {
    Iterator<Entry> entries = leastRecentlyUsed();
    Target target = entries.next().target;
    entries.remove();
    target.urls--;
    if (target.urls == 0) {
      byName.remove(target.name);
    }
  }

  private Iterator<Entry> leastRecentlyUsed() {
    return byUrl.values().iterator();
  }

  /** Rounds up, so that a message does not return to a breaker that is still open. */
  private static long wholeSeconds(long nanos) {
    return (nanos + SECOND_NANOS - 1) / SECOND_NANOS;
  }
}
