package dev.sluice.cli;

import dev.sluice.cli.MessageLines.BadLineException;
import dev.sluice.queue.Message;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Publishes what a file holds. */
@Command(
    name = "publish",
    description = "Publish messages: one in JSON per line.",
    sortOptions = false,
    footer = {
      "",
      "A line: {\"id\":\"order-17-1\",\"mediationTarget\":\"https://shop.example/hook\",",
      "         \"messageGroupId\":\"order-17\",\"dispatchMode\":\"NEXT_ON_ERROR\"}",
      "",
      "Examples:",
      "  sluice publish --queue orders orders.jsonl",
      "  generate | sluice publish --queue orders --rate 200 --keep-order -",
      "  sluice publish --uri 'harel://app@db.example/shop?kind=order' orders.jsonl"
    })
final class PublishCommand implements Callable<Integer> {
  private static final int BATCH = 500;
  private static final String STDIN = "-";

  private final Console console;

  @Mixin private final QueueOptions options = new QueueOptions();
  @Mixin private final JsonOption json = new JsonOption();

  @Parameters(
      paramLabel = "FILE",
      arity = "0..1",
      defaultValue = STDIN,
      description = "Read from this file. Default: -, the standard input.")
  private String file = STDIN;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description = "At most so many a second. Default: as fast as it goes.")
  private int rate;

  @Option(
      names = "--keep-order",
      description =
          "Wait for the next second where ids of a group do not ascend, so that they are delivered"
              + " in the order of the file.")
  private boolean keepOrder;

  @Option(
      names = "--force",
      description =
          "Harel tables: publish bare messages although Python workers use the tables, and stop at such"
              + " messages. ?kind=NAME in the URI publishes events that they can read instead.")
  private boolean force;

  @Option(
      names = "--skip-bad",
      description = "Report lines that are no messages and go on. Default: stop before the batch.")
  private boolean skipBad;

  private long skipped;

  PublishCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws Exception {
    if (rate < 0) {
      throw CommandException.usage("--rate: must not be negative, was " + rate);
    }
    try (InputStream in = input();
        OpenQueue open = options.open()) {
      requireNoObjection(open);
      Publisher publisher = new Publisher(open.queue(), keepOrder, console::message);
      long began = System.nanoTime();
      Interrupts.during(
          () -> giveUp(publisher),
          () ->
              Progress.during(
                  Progress.of(console, "published", publisher::done),
                  () -> publishAll(new MessageLines(in), publisher)));
      print(open.queue().identifier(), publisher, (System.nanoTime() - began) / 1e9);
      return ExitCode.DONE;
    }
  }

  private void requireNoObjection(OpenQueue open) {
    if (!force) {
      open.queue()
          .admin()
          .objectionToPublishing()
          .ifPresent(
              objection -> {
                throw CommandException.failed(objection + ", or with --force as it is");
              });
    }
  }

  private InputStream input() throws IOException {
    if (file.equals(STDIN)) {
      return console.in();
    }
    Path path = Path.of(file);
    if (Files.isDirectory(path)) {
      throw CommandException.failed(file + " is a directory; name a file, or - for standard input");
    }
    return Files.newInputStream(path);
  }

  private boolean publishAll(MessageLines lines, Publisher publisher)
      throws IOException, InterruptedException {
    Pace pace = new Pace(rate);
    int size = pace.batch(BATCH);
    List<Message> batch = new ArrayList<>(size);
    for (Optional<Message> next = next(lines, publisher);
        next.isPresent();
        next = next(lines, publisher)) {
      batch.add(next.get());
      if (batch.size() == size || !lines.moreAtHand()) {
        pace.await(batch.size());
        publisher.publish(batch);
        batch.clear();
      }
    }
    publisher.publish(batch);
    return true;
  }

  private Optional<Message> next(MessageLines lines, Publisher publisher) throws IOException {
    while (true) {
      try {
        return lines.next();
      } catch (BadLineException e) {
        if (!skipBad) {
          throw CommandException.failed(
              "%s, %s; stopped before its batch was written, %s before it: correct it, or go on with --skip-bad"
                  .formatted(name(), e.getMessage(), published(publisher)));
        }
        skipped++;
        console.message("skipped " + name() + ", " + e.getMessage());
      }
    }
  }

  // A read of the standard input cannot be woken, so the process ends from here.
  private void giveUp(Publisher publisher) {
    console.message(
        "sluice: interrupted, "
            + published(publisher)
            + (publisher.existed().isPresent()
                ? "; run it again to go on, ids that exist are left alone"
                : "; go on behind them, what is published again is delivered again"));
    System.exit(ExitCode.FAILED);
  }

  private String name() {
    return file.equals(STDIN) ? "standard input" : file;
  }

  private static String existed(OptionalLong count) {
    return count.isPresent() ? "; " + Words.count(count.getAsLong()) + " existed already" : "";
  }

  private static String published(Publisher publisher) {
    return Words.count(publisher.published()) + " published";
  }

  private void print(String queue, Publisher publisher, double seconds) {
    if (json.json()) {
      JsonDocument.print(
          console.out(),
          json ->
              json.field("queue", queue)
                  .field("published", publisher.published())
                  .field("existed", publisher.existed())
                  .field("skipped", skipped)
                  .field("seconds", seconds));
      return;
    }
    console
        .out()
        .println(
            "published %s to queue '%s' in %s%s%s"
                .formatted(
                    Words.count(publisher.published(), "message"),
                    Printable.text(queue),
                    Words.seconds(seconds),
                    existed(publisher.existed()),
                    skipped == 0 ? "" : ", " + Words.count(skipped, "bad line") + " skipped"));
  }
}
