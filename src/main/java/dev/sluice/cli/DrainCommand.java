package dev.sluice.cli;

import ch.qos.logback.classic.Level;
import dev.sluice.delivery.HttpMediator;
import dev.sluice.router.Router;
import dev.sluice.router.RouterProgress;
import dev.sluice.router.RouterReport;
import dev.sluice.time.SystemTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Delivers what is there, and ends. */
@Command(
    name = "drain",
    customSynopsis = "sluice drain [--uri URI] [--queue NAME] [OPTIONS]",
    description = "Deliver what a queue holds, in group order, and exit.",
    sortOptions = false,
    footer = {
      "",
      "Exits with 0 when the queue is empty, with 4 when messages are left: delayed, in",
      "flight elsewhere, or events for Python workers. Ctrl-C ends it cleanly; a second one at once, with 130.",
      "",
      "Examples:",
      "  sluice drain --uri postgres://app@db.example/shop --queue orders",
      "  sluice drain --queue orders --wait 10m --json",
      "  sluice drain --uri harel://app@db.example/shop --target https://in.example"
    })
final class DrainCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final QueueOptions options = new QueueOptions();

  @Option(
      names = "--wait",
      paramLabel = "S",
      defaultValue = "0",
      description =
          "Also wait so long, in seconds, for messages that are delayed or in flight elsewhere."
              + " Default: do not.")
  private Seconds wait = new Seconds(Duration.ZERO);

  @Option(
      names = "--database-wait",
      paramLabel = "S",
      defaultValue = "30",
      description = "How long to wait for a database that is down. Default: ${DEFAULT-VALUE}.")
  private Seconds databaseWait = new Seconds(Duration.ZERO);

  @Mixin private final RouterSettings settings = new RouterSettings();
  @Mixin private final EndpointOptions http = new EndpointOptions();
  @Mixin private final JsonOption json = new JsonOption();

  DrainCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    if (console.terminal().err()) {
      // A line for each message that goes back would drown the bar.
      LogConfigurator.defaultLevel(console, Level.WARN);
    }
    settings.check();
    try (SystemTime time = new SystemTime();
        RouterEndpoint endpoint = http.open(Optional.empty(), console, time)) {
      return drain(endpoint, time);
    }
  }

  private int drain(RouterEndpoint endpoint, SystemTime time) {
    Optional<OpenQueue> opened =
        Interrupts.unlessAsked(() -> options.open(settings, databaseWait.duration()));
    if (opened.isEmpty()) {
      console.message("stopped before the database answered");
      return ExitCode.LEFT;
    }
    try (OpenQueue open = opened.get();
        HttpMediator mediator = new HttpMediator(time, settings.httpOptions())) {
      Router router = settings.router(mediator, time, open.queue(), endpoint.listener());
      endpoint.watch(router, mediator);
      endpoint.addQueue(open.queue());
      RouterReport report = drain(router, open);
      boolean eventsAreLeft = open.queue().counters().leftOut() > 0;
      new DrainSummary(console).print(report, eventsAreLeft, json.json());
      return report.remaining() == 0 ? ExitCode.DONE : ExitCode.LEFT;
    }
  }

  private RouterReport drain(Router router, OpenQueue open) {
    long waiting = console.terminal().err() ? open.queue().metrics().total() : 0;
    return Interrupts.during(
        () -> stop(router),
        () ->
            Progress.during(
                Progress.of(console, "drained", waiting, () -> gone(router.progress())),
                () -> router.drain(wait.duration())));
  }

  private void stop(Router router) {
    console.message("stopping: running deliveries are finished; once more to end at once");
    router.stop();
  }

  private static long gone(RouterProgress progress) {
    return progress.delivered() + progress.rejected() + progress.suppressed();
  }
}
