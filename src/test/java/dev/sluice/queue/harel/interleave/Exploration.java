package dev.sluice.queue.harel.interleave;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Function;

/**
 * Runs scripts in every order of their steps, depth first: from the same rows each time, along the
 * choices made so far, on with the first choice that there is, and then back to the last turn at
 * which another session could have gone.
 */
final class Exploration {
  private final State initial;
  private final List<Script> scripts;
  private final Function<Outcome, List<Violation>> rules;
  private final List<Turn> path = new ArrayList<>();
  private int preemptions = Integer.MAX_VALUE;

  private Exploration(
      State initial, List<Script> scripts, Function<Outcome, List<Violation>> rules) {
    this.initial = initial;
    this.scripts = List.copyOf(scripts);
    this.rules = rules;
  }

  static Exploration of(
      State initial, List<Script> scripts, Function<Outcome, List<Violation>> rules) {
    return new Exploration(initial, scripts, rules);
  }

  /**
   * Only schedules in which a session that could go on is left for another at most so many times:
   * races need few, and the schedules that have more are most of them.
   */
  Exploration withPreemptions(int atMost) {
    preemptions = atMost;
    return this;
  }

  Report run(Stage stage) throws SQLException {
    Report report = new Report(scripts.stream().map(Script::name).toList());
    do {
      Schedule schedule = play(stage, report);
      report.add(schedule.toString(), rules.apply(schedule.outcome(initial)));
    } while (turnBack());
    return report;
  }

  private Schedule play(Stage stage, Report report) throws SQLException {
    stage.reset(initial);
    Schedule schedule = new Schedule(stage, scripts);
    int depth = 0;
    int left = preemptions;
    int last = -1;
    for (List<Integer> can = schedule.runnable(); !can.isEmpty(); can = schedule.runnable()) {
      boolean couldGoOn = can.contains(last);
      Turn turn = turn(depth++, choices(can, last, left), report);
      if (couldGoOn && turn.choice() != last) {
        left--;
      }
      last = turn.choice();
      schedule.step(last);
    }
    forget(depth);
    return schedule;
  }

  private static List<Integer> choices(List<Integer> can, int last, int preemptionsLeft) {
    if (!can.contains(last)) {
      return can;
    }
    LinkedHashSet<Integer> lastFirst = new LinkedHashSet<>(List.of(last));
    if (preemptionsLeft > 0) {
      lastFirst.addAll(can);
    }
    return List.copyOf(lastFirst);
  }

  private Turn turn(int depth, List<Integer> choices, Report report) {
    if (depth < path.size() && !path.get(depth).choices.equals(choices)) {
      // Of several sessions that wait for one lock, the server may let another go first.
      report.addDivergence();
      forget(depth);
    }
    if (depth == path.size()) {
      path.add(new Turn(choices));
    }
    return path.get(depth);
  }

  private void forget(int depth) {
    path.subList(depth, path.size()).clear();
  }

  private boolean turnBack() {
    while (!path.isEmpty()) {
      if (path.get(path.size() - 1).next()) {
        return true;
      }
      forget(path.size() - 1);
    }
    return false;
  }

  private static final class Turn {
    private final List<Integer> choices;
    private int tried;

    private Turn(List<Integer> choices) {
      this.choices = choices;
    }

    int choice() {
      return choices.get(tried);
    }

    boolean next() {
      return ++tried < choices.size();
    }
  }
}
