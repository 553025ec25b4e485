package dev.sluice.cli;

import ch.qos.logback.classic.Level;
import dev.sluice.delivery.HttpMediator;
import dev.sluice.delivery.HttpOptions;
import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.FailedMessage;
import dev.sluice.queue.Message;
import dev.sluice.queue.Queue;
import dev.sluice.queue.uri.QueueSettings;
import dev.sluice.queue.uri.QueueUri;
import dev.sluice.router.RoutedQueue;
import dev.sluice.router.Router;
import dev.sluice.router.RouterProgress;
import dev.sluice.router.RouterReport;
import dev.sluice.time.SystemTime;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** All of it in one go. */
@Command(
    name = "demo",
    description =
        "See it work: publish a day of orders, deliver them to a target that fails at times, and"
            + " check that nothing was lost and each order was told in order.",
    sortOptions = false,
    footer = {"", "Example:", "  sluice demo"})
final class DemoCommand implements Callable<Integer> {
  private static final String EMBEDDED = "embedded:";
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(40);
  private static final int MOST_QUARANTINED = 100;

  private final Console console;

  @Option(
      names = "--uri",
      paramLabel = "URI",
      defaultValue = EMBEDDED,
      description =
          "The database. Default: embedded:, a PostgreSQL that comes along and lives in"
              + " ./.sluice/postgres; embedded-harel: shows the harel transport on it. FC_DATABASE_URL"
              + " is not read.")
  private String uri = EMBEDDED;

  @Mixin private final JsonOption json = new JsonOption();

  DemoCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    LogConfigurator.defaultLevel(console, Level.ERROR);
    QueueUri parsed = QueueUri.parse(uri);
    if (parsed.embedded()) {
      console.message("starting a PostgreSQL in .sluice/postgres");
    }
    QueueSettings settings =
        new QueueSettings(RoutedQueue.DEFAULT_VISIBILITY, false, Optional.empty());
    try (DemoTable table = DemoTable.open(parsed, settings);
        DemoTarget target = DemoTarget.start()) {
      return play(table.queue(), target, parsed.backend() == QueueUri.Backend.LEGACY);
    }
  }

  private Integer play(Queue queue, DemoTarget target, boolean quarantineStays)
      throws InterruptedException {
    List<Message> day = DemoOrders.day(target.url());
    DemoJournal journal = new DemoJournal(day);
    target.serve(journal);
    console.message("publishing " + Words.count(day.size(), "message"));
    new Publisher(queue, true, console::message).publish(day);
    console.message("delivering them to " + target.url());
    RouterReport report = drain(queue, day.size());
    List<FailedMessage> quarantined = queue.admin().listFailed(FailedFilter.ALL, MOST_QUARANTINED);
    DemoSummary summary = new DemoSummary(console);
    if (json.json()) {
      summary.printJson(report, journal, quarantined);
    } else {
      summary.print(
          report,
          journal,
          quarantined,
          quarantineStays ? Optional.of(uriOption()) : Optional.empty());
    }
    if (report.remaining() > 0) {
      return ExitCode.LEFT;
    }
    return journal.proof().holds() ? ExitCode.DONE : ExitCode.FAILED;
  }

  // It may hold a password.
  private String uriOption() {
    return uri.equals(EMBEDDED) ? "" : " --uri ...";
  }

  private RouterReport drain(Queue queue, int messages) {
    try (SystemTime time = new SystemTime();
        HttpMediator mediator = new HttpMediator(time, HttpOptions.DEFAULT)) {
      Router router =
          Router.builder(mediator, time).queue(queue, RoutedQueue.DEFAULT_VISIBILITY).build();
      return Interrupts.during(
          router::stop,
          () ->
              Progress.during(
                  Progress.of(console, "delivered", messages, () -> gone(router.progress())),
                  () -> router.drain(LONGEST_WAIT)));
    }
  }

  private static long gone(RouterProgress progress) {
    return progress.delivered() + progress.rejected();
  }
}
