package dev.sluice.queue.harel.interleave;

import java.util.List;

/**
 * A schedule from its first to its last row.
 *
 * @param failures what the server refused, a deadlock for example
 */
record Outcome(State initial, List<Happening> happenings, List<String> failures, EndState end) {
  Outcome {
    happenings = List.copyOf(happenings);
    failures = List.copyOf(failures);
  }
}
