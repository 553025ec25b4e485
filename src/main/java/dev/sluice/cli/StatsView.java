package dev.sluice.cli;

import dev.sluice.queue.QueueMetrics;
import dev.sluice.queue.QueueStats;
import java.util.List;
import java.util.OptionalLong;

/** Prints the figures of queues. */
final class StatsView {
  private static final String HOME_AND_CLEAR = "\033[H\033[2J";

  private final Console console;
  private final boolean json;

  StatsView(Console console, boolean json) {
    this.console = console;
    this.json = json;
  }

  /** Prints them in the place of those before, on a terminal; below them elsewhere. */
  void printAgain(List<QueueStats> queues) {
    if (console.terminal().out() && !json) {
      console.out().print(HOME_AND_CLEAR);
    }
    print(queues);
  }

  void print(List<QueueStats> queues) {
    if (json) {
      printJson(queues);
    } else if (queues.isEmpty()) {
      console.message("no queue has messages");
    } else {
      printTable(queues);
    }
    console.flush();
  }

  private void printJson(List<QueueStats> queues) {
    JsonDocument.print(
        console.out(),
        json ->
            json.array(
                "queues", array -> queues.forEach(queue -> array.object(o -> write(o, queue)))));
  }

  private static void write(JsonDocument json, QueueStats queue) {
    QueueMetrics metrics = queue.metrics();
    json.field("queue", queue.queue())
        .field("backend", queue.backend())
        .field("pending", metrics.pending())
        .field("delayed", metrics.delayed())
        .field("inFlight", metrics.inFlight())
        .field("lapsed", metrics.lapsed())
        .field("groups", queue.groups())
        .field("blockedGroups", queue.blockedGroups())
        .field("oldestSeconds", queue.oldestSeconds())
        .field("failed", metrics.quarantined());
  }

  private void printTable(List<QueueStats> queues) {
    TextTable table =
        new TextTable(
            "QUEUE",
            ">PENDING",
            ">DELAYED",
            ">IN FLIGHT",
            ">LAPSED",
            ">GROUPS",
            ">BLOCKED",
            ">OLDEST",
            ">FAILED");
    for (QueueStats queue : queues) {
      QueueMetrics metrics = queue.metrics();
      table.row(
          queue.queue(),
          Words.count(metrics.pending()),
          count(metrics.delayed()),
          Words.count(metrics.inFlight()),
          Words.count(metrics.lapsed()),
          Words.count(queue.groups()),
          Words.count(queue.blockedGroups()),
          queue.oldestSeconds().isPresent() ? Words.age(queue.oldestSeconds().getAsLong()) : "-",
          count(metrics.quarantined()));
    }
    table.print(console.out());
  }

  private static String count(OptionalLong number) {
    return number.isPresent() ? Words.count(number.getAsLong()) : "-";
  }
}
