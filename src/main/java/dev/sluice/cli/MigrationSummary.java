package dev.sluice.cli;

import dev.sluice.migrate.MigrationReport;
import dev.sluice.migrate.MigrationRequest;
import java.io.PrintStream;

/** Says how a migration went. */
final class MigrationSummary {
  private final Console console;
  private final MigrationRequest request;

  MigrationSummary(Console console, MigrationRequest request) {
    this.console = console;
    this.request = request;
  }

  void print(MigrationReport report, boolean json) {
    if (json) {
      printJson(report);
      report.notes().forEach(console::message);
    } else {
      printText(report);
    }
  }

  private void printJson(MigrationReport report) {
    JsonDocument.print(
        console.out(),
        json ->
            json.field("groups", report.groups())
                .field("messages", report.messages())
                .field("inFlight", report.inFlight())
                .field("skippedGroups", report.skippedGroups())
                .field("reordered", report.reordered())
                .field("delaysLost", report.delaysLost())
                .field("idMismatches", report.idMismatches())
                .field("failedMoved", report.failedMoved())
                .field("seconds", report.seconds())
                .field("perSecond", report.perSecond())
                .field("remaining", report.remaining())
                .field("phase", report.phase()));
  }

  private void printText(MigrationReport report) {
    console
        .out()
        .println(
            "%s queue '%s' in %s, %s"
                .formatted(
                    request.mode().done(),
                    Printable.text(request.queue()),
                    Words.seconds(report.seconds()),
                    Words.rate(report.perSecond())));
    line("groups", report.groups());
    line("messages", report.messages());
    line("quarantined", report.failedMoved());
    line("in flight", report.inFlight());
    line("refused", report.skippedGroups());
    line("remaining", report.remaining());
    PrintStream out = console.out();
    out.println("  " + state(report.phase()));
    report.notes().forEach(note -> out.println("  " + Printable.text(note)));
  }

  private void line(String name, long count) {
    console.out().println("  %-11s %10s".formatted(name, Words.count(count)));
  }

  private static String state(String phase) {
    return switch (phase) {
      case "held" ->
          "under way: the groups that moved are held at the source; run it again, or --finish, or"
              + " --abort";
      case "aborting" -> "partly back: run --abort again for the rest";
      case "moved", "finished", "aborted" -> phase + ": no holds and no record are left";
      default -> phase;
    };
  }
}
