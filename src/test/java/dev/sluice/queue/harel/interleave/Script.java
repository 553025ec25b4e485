package dev.sluice.queue.harel.interleave;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What one session does, request by request. */
record Script(String name, List<Step> steps) {
  Script {
    steps = List.copyOf(steps);
  }

  /** All requests in one transaction, whose commit is a request of its own. */
  static Script transaction(String name, Step.Work... requests) {
    List<Step> steps = new ArrayList<>();
    for (Step.Work request : requests) {
      steps.add(new Step(request, false));
    }
    steps.add(Step.COMMIT);
    return new Script(name, steps);
  }

  /** Each request a transaction of its own, committed as it ends. */
  static Script autocommit(String name, Step.Work... requests) {
    return new Script(name, Stream.of(requests).map(request -> new Step(request, true)).toList());
  }

  Script then(Script next) {
    List<Step> both = new ArrayList<>(steps);
    both.addAll(next.steps);
    return new Script(name + ", " + next.name, both);
  }
}
