package dev.sluice.cli;

import dev.sluice.queue.QueueStats;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What waits in each queue. */
@Command(
    name = "stats",
    description = "Show what waits in each queue, and what is quarantined.",
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  sluice stats --uri postgres://app@db.example/shop",
      "  sluice stats --queue orders --watch",
      "  sluice stats --json"
    })
final class StatsCommand implements Callable<Integer> {
  private final Console console;

  @Mixin private final DatabaseOptions database = new DatabaseOptions();
  @Mixin private final JsonOption json = new JsonOption();

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      description = "Only this queue. Default: all that have messages.")
  private Optional<String> queue = Optional.empty();

  @Option(names = "--watch", description = "Show it again and again, until interrupted.")
  private boolean watch;

  @Option(
      names = "--interval",
      paramLabel = "S",
      defaultValue = "2",
      description = "With --watch: how often, in seconds. Default: ${DEFAULT-VALUE}.")
  private Seconds interval = new Seconds(Duration.ofSeconds(2));

  StatsCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws InterruptedException {
    try (OpenQueue open = OpenQueue.open(database.uri(), queue, 1)) {
      SchemaGate.requireUsable(open.queue());
      StatsView view = new StatsView(console, json.json());
      if (!watch) {
        view.print(read(open));
        return ExitCode.DONE;
      }
      Ticker ticker = new Ticker(interval.duration());
      return Interrupts.during(ticker::stop, () -> watch(open, view, ticker));
    }
  }

  private int watch(OpenQueue open, StatsView view, Ticker ticker) throws InterruptedException {
    do {
      view.printAgain(read(open));
    } while (console.flush() && ticker.next());
    return ExitCode.DONE;
  }

  private List<QueueStats> read(OpenQueue open) {
    return queue.isPresent()
        ? List.of(open.queue().admin().stats())
        : open.queue().admin().statsOfAllQueues();
  }
}
