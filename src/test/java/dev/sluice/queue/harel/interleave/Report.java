package dev.sluice.queue.harel.interleave;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** How many schedules there were, and which of them broke which rules. */
final class Report {
  private final List<String> scripts;
  private final Map<Violation.Kind, List<String>> broken = new EnumMap<>(Violation.Kind.class);
  private int schedules;
  private int divergences;

  Report(List<String> scripts) {
    this.scripts = scripts;
  }

  void add(String schedule, List<Violation> violations) {
    schedules++;
    Map<Violation.Kind, String> found =
        violations.stream()
            .collect(
                Collectors.toMap(
                    Violation::kind, Violation::what, (one, other) -> one + ", " + other));
    found.forEach(
        (kind, what) ->
            broken.computeIfAbsent(kind, k -> new ArrayList<>()).add(what + ": " + schedule));
  }

  void addDivergence() {
    divergences++;
  }

  /** For each rule that was broken, the first schedule that did. */
  List<String> examples() {
    return broken.entrySet().stream().map(e -> e.getKey() + " " + e.getValue().get(0)).toList();
  }

  @Override
  public String toString() {
    String counts =
        broken.entrySet().stream()
            .map(e -> ", " + e.getKey() + " in " + e.getValue().size())
            .collect(Collectors.joining());
    return "%s: %d schedules%s%s"
        .formatted(
            String.join(" x ", scripts),
            schedules,
            divergences == 0 ? "" : " (" + divergences + " diverged)",
            counts);
  }
}
