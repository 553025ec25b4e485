package dev.sluice.cli;

import dev.sluice.config.ConfigSource;
import dev.sluice.delivery.HttpMediator;
import dev.sluice.monitor.HttpAddress;
import dev.sluice.router.Router;
import dev.sluice.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Delivers until stopped. */
@Command(
    name = "run",
    customSynopsis = {
      "sluice run [--uri URI] [--queue NAME] [OPTIONS]",
      "sluice run --config FILE|URL [OPTIONS]"
    },
    description = "Deliver what comes into queues, in group order, until stopped.",
    sortOptions = false,
    footer = {
      "",
      "Ctrl-C or SIGTERM ends it cleanly, with 0; a second one at once, with 130.",
      "",
      "SIGHUP has a config read again.",
      "",
      "Examples:",
      "  sluice run --uri postgres://app@db.example/shop --queue orders --concurrency 50",
      "  sluice run --queue orders --pool FAST:50 --pool MAIL:5:300",
      "  sluice run --config router.json --allow-target '*.shop.example'"
    })
final class RunCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final QueueOptions options = new QueueOptions();
  @Mixin private final ConfigOptions config = new ConfigOptions();

  @Option(
      names = "--database-wait",
      paramLabel = "S",
      description =
          "How long to wait for a database that is down, or a config's URL. Default: without end.")
  private Optional<Seconds> databaseWait = Optional.empty();

  @Mixin private final RouterSettings settings = new RouterSettings();
  @Mixin private final EndpointOptions http = new EndpointOptions();

  RunCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    List<ConfigSource> sources = config.sources();
    settings.check();
    try (SystemTime time = new SystemTime();
        RouterEndpoint endpoint = http.open(Optional.of(HttpAddress.DEFAULT), console, time)) {
      return sources.isEmpty() ? runQueue(endpoint, time) : runConfig(endpoint, time, sources);
    }
  }

  private int runConfig(RouterEndpoint endpoint, SystemTime time, List<ConfigSource> sources) {
    Optional<Duration> interval = config.interval();
    Optional<Duration> patience = databaseWait.map(Seconds::duration);
    Optional<ConfiguredRouter> started =
        Interrupts.unlessAsked(
            () -> ConfiguredRouter.start(settings, endpoint, time, sources, interval, patience));
    if (started.isEmpty()) {
      console.message("stopped before all queues were there");
      return ExitCode.DONE;
    }
    try (ConfiguredRouter router = started.get()) {
      return untilStopped(router::stop, router::awaitStopped);
    }
  }

  private int runQueue(RouterEndpoint endpoint, SystemTime time) {
    Duration patience = databaseWait.map(Seconds::duration).orElse(StartWait.NO_END);
    Optional<OpenQueue> opened = Interrupts.unlessAsked(() -> options.open(settings, patience));
    if (opened.isEmpty()) {
      console.message("stopped before the database answered");
      return ExitCode.DONE;
    }
    try (OpenQueue open = opened.get();
        HttpMediator mediator = new HttpMediator(time, settings.httpOptions());
        Router router = settings.router(mediator, time, open.queue(), endpoint.listener())) {
      endpoint.watch(router, mediator);
      endpoint.addQueue(open.queue());
      router.start();
      return untilStopped(router::stop, router::awaitStopped);
    }
  }

  private int untilStopped(Runnable stop, Runnable await) {
    return Interrupts.during(
        () -> {
          console.message("stopping: running deliveries are finished; once more to end at once");
          stop.run();
        },
        () -> {
          await.run();
          return ExitCode.DONE;
        });
  }
}
