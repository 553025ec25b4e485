package dev.sluice.queue.harel;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Groups whose head is not for us: left out of this process's claims for a minute, so that they are
 * not leased over and over, and the Python workers get at them. Thread-safe; times are seconds.
 */
final class LeftOut {
  private static final double TIME = 60;

  private final Map<String, Double> until = new LinkedHashMap<>();

  synchronized void add(String group, double now) {
    until.remove(group);
    until.put(group, now + TIME);
  }

  /** The groups that are left out now. */
  synchronized String[] groups(double now) {
    // The oldest stand first.
    until.values().removeIf(end -> end <= now);
    return until.keySet().toArray(String[]::new);
  }
}
