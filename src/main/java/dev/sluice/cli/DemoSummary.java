package dev.sluice.cli;

import dev.sluice.cli.DemoJournal.Proof;
import dev.sluice.queue.FailedMessage;
import dev.sluice.router.RouterReport;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Tells a newcomer what the demo did, and how to check it. */
final class DemoSummary {
  private static final Path SEEN = Path.of(".sluice", "demo", "seen.tsv");

  private final Console console;
  private final PrintStream out;

  DemoSummary(Console console) {
    this.console = console;
    this.out = console.out();
  }

  /**
   * @param uriOption how to name the database, where the quarantine stays to be looked at
   */
  void print(
      RouterReport report,
      DemoJournal journal,
      List<FailedMessage> quarantined,
      Optional<String> uriOption) {
    Proof proof = journal.proof();
    write(journal.entries());
    printWhatHappened(report, proof);
    printProof(report, proof, quarantined);
    printQuarantine(quarantined);
    printHowToCheck();
    uriOption.ifPresentOrElse(
        option -> printWayOutOfQuarantine(report.queue(), option),
        () -> out.println("  the tables of this demo are gone again, with their quarantine."));
  }

  void printJson(RouterReport report, DemoJournal journal, List<FailedMessage> quarantined) {
    Proof proof = journal.proof();
    JsonDocument.print(
        out,
        json ->
            json.field("queue", report.queue())
                .field("published", proof.delivered() + proof.refused() + proof.lost())
                .field("requests", proof.requests())
                .field("delivered", proof.delivered())
                .field("quarantined", quarantined.size())
                .field("lost", proof.lost())
                .field("repeats", proof.repeats())
                .field("orderViolations", proof.outOfOrder())
                .field("remaining", report.remaining())
                .field("seconds", report.seconds())
                .field("perSecond", report.perSecond()));
  }

  private void printWhatHappened(RouterReport report, Proof proof) {
    int orderMessages = DemoOrders.ORDERS * DemoOrders.STEPS.size();
    out.println();
    out.println(
        "A shop's day: %s of %s orders, to be told in order within each,"
            .formatted(Words.count(orderMessages, "message"), Words.count(DemoOrders.ORDERS)));
    out.println(
        "and %s on their own. Their target took %s in %s:"
            .formatted(
                Words.count(DemoOrders.MAILS),
                Words.count(proof.requests(), "request"),
                Words.seconds(report.seconds())));
    out.println(
        "%s it was down (503), %s too busy (429), %s it asked for later,"
            .formatted(
                times(proof, DemoAnswer.DOWN),
                times(proof, DemoAnswer.TOO_MANY),
                times(proof, DemoAnswer.LATER)));
    out.println("and %s it refused for good (404).".formatted(times(proof, DemoAnswer.REFUSED)));
    out.println();
  }

  private void printProof(RouterReport report, Proof proof, List<FailedMessage> quarantined) {
    int published = proof.delivered() + proof.refused() + proof.lost();
    line(published, "published");
    line(proof.delivered(), "delivered, as the target saw it");
    line(quarantined.size(), "quarantined");
    line(proof.lost(), "lost");
    line(proof.repeats(), "delivered twice");
    line(proof.outOfOrder(), "order violations in " + Words.count(DemoOrders.ORDERS) + " groups");
    line(report.remaining(), "left in the queue");
    out.println();
  }

  private void line(long count, String what) {
    out.println("  %8s  %s".formatted(Words.count(count), what));
  }

  private void printQuarantine(List<FailedMessage> quarantined) {
    out.println("In quarantine, for somebody to look at:");
    for (FailedMessage message : quarantined) {
      out.println(
          "  %-20s  of %-12s  %s"
              .formatted(
                  message.id(), message.group().orElse("-"), Printable.text(message.error())));
    }
    out.println();
  }

  private void printHowToCheck() {
    out.println("See for yourself:");
    out.println("  the order in which the target accepted them (prints how many came too early):");
    out.println(
        "    awk '$4==\"ACCEPTED\" {n += $3<=last[$2]; last[$2]=$3} END {print n}' " + SEEN);
  }

  private void printWayOutOfQuarantine(String queue, String uriOption) {
    out.println("  the quarantine, and the way out of it:");
    out.println("    ./sluice failed list" + uriOption + " --queue " + queue);
    out.println("    ./sluice failed discard" + uriOption + " --queue " + queue + " --all");
  }

  private void write(List<DemoJournal.Entry> entries) {
    StringBuilder lines = new StringBuilder("number\tgroup\tid\tanswer\n");
    for (int i = 0; i < entries.size(); i++) {
      DemoJournal.Entry entry = entries.get(i);
      lines.append("%d\t%s\t%s\t%s%n".formatted(i + 1, entry.group(), entry.id(), entry.answer()));
    }
    try {
      Files.createDirectories(SEEN.getParent());
      Files.writeString(SEEN, lines);
    } catch (IOException e) {
      console.message("writing " + SEEN + " failed: " + e.getMessage());
      throw new UncheckedIOException(e);
    }
  }

  private static String times(Proof proof, DemoAnswer answer) {
    return Words.count(proof.answers().getOrDefault(answer, 0), "time");
  }
}
