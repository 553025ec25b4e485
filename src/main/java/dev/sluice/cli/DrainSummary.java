package dev.sluice.cli;

import dev.sluice.router.RouterProgress;
import dev.sluice.router.RouterReport;
import java.io.PrintStream;

/** Says how a drain went. */
final class DrainSummary {
  private final Console console;

  DrainSummary(Console console) {
    this.console = console;
  }

  /**
   * @param eventsAreLeft whether events that carry no message were given back for others
   */
  void print(RouterReport report, boolean eventsAreLeft, boolean json) {
    if (json) {
      printJson(report);
    } else {
      printText(report, eventsAreLeft);
    }
  }

  private void printJson(RouterReport report) {
    RouterProgress progress = report.progress();
    JsonDocument.print(
        console.out(),
        json ->
            json.field("queue", report.queue())
                .field("polled", progress.polled())
                .field("delivered", progress.delivered())
                .field("deferred", progress.deferred())
                .field("released", progress.released())
                .field("rejected", progress.rejected())
                .field("suppressed", progress.suppressed())
                .field("remaining", report.remaining())
                .field("seconds", report.seconds())
                .field("perSecond", report.perSecond()));
  }

  private void printText(RouterReport report, boolean eventsAreLeft) {
    RouterProgress progress = report.progress();
    console
        .out()
        .println(
            "drained queue '%s' in %s, %s"
                .formatted(
                    Printable.text(report.queue()),
                    Words.seconds(report.seconds()),
                    Words.rate(report.perSecond())));
    line("delivered", progress.delivered(), "");
    optional("deferred", progress.deferred(), "handed back without a failure");
    optional(
        "released", progress.released(), "handed back after a failure; why: FC_LOG_LEVEL=info");
    optional("rejected", progress.rejected(), "see them with: sluice failed list");
    optional("suppressed", progress.suppressed(), "not sent: their group was flushed");
    String left =
        eventsAreLeft
            ? "delayed, in flight, or left to Python workers: see --target"
            : "delayed, or in flight";
    line("remaining", report.remaining(), report.remaining() == 0 ? "" : left);
  }

  private void optional(String name, long count, String meaning) {
    if (count > 0) {
      line(name, count, meaning);
    }
  }

  private void line(String name, long count, String meaning) {
    PrintStream out = console.out();
    out.println("  %-11s %10s  %s".formatted(name, Words.count(count), meaning).stripTrailing());
  }
}
