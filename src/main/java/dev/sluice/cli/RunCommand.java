package dev.sluice.cli;

import dev.sluice.delivery.HttpMediator;
import dev.sluice.router.Router;
import dev.sluice.time.SystemTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Delivers until stopped. */
@Command(
    name = "run",
    customSynopsis = "sluice run [--uri URI] [--queue NAME] [OPTIONS]",
    description = "Deliver what comes into a queue, in group order, until stopped.",
    sortOptions = false,
    footer = {
      "",
      "Ctrl-C or SIGTERM ends it cleanly, with 0; a second one at once, with 130.",
      "",
      "Example:",
      "  sluice run --uri postgres://app@db.example/shop --queue orders --concurrency 50"
    })
final class RunCommand implements Callable<Integer> {
  /** As good as for ever: a service starts before its database, and waits. */
  private static final Duration NO_END = Duration.ofDays(365_000);

  private final Console console;

  @Mixin private final QueueOptions options = new QueueOptions();

  @Option(
      names = "--database-wait",
      paramLabel = "S",
      description = "How long to wait for a database that is down. Default: without end.")
  private Optional<Seconds> databaseWait = Optional.empty();

  @Mixin private final RouterSettings settings = new RouterSettings();

  RunCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    Duration patience = databaseWait.map(Seconds::duration).orElse(NO_END);
    Optional<OpenQueue> opened = Interrupts.unlessAsked(() -> options.open(settings, patience));
    if (opened.isEmpty()) {
      console.message("stopped before the database answered");
      return ExitCode.DONE;
    }
    try (OpenQueue open = opened.get();
        SystemTime time = new SystemTime();
        HttpMediator mediator = new HttpMediator(time, settings.httpOptions());
        Router router =
            Router.builder(mediator, time)
                .options(settings.routerOptions())
                .pool(settings.pool())
                .queue(open.queue(), settings.visibility())
                .build()) {
      router.start();
      return Interrupts.during(
          () -> stop(router),
          () -> {
            router.awaitStopped();
            return ExitCode.DONE;
          });
    }
  }

  private void stop(Router router) {
    console.message("stopping: running deliveries are finished; once more to end at once");
    router.stop();
  }
}
