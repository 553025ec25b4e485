package dev.sluice.cli;

import ch.qos.logback.classic.Level;
import dev.sluice.bench.Bench;
import dev.sluice.bench.BenchRequest;
import dev.sluice.bench.LegacyShape;
import dev.sluice.bench.Operation;
import dev.sluice.bench.Plot;
import dev.sluice.bench.Result;
import dev.sluice.queue.uri.QueueUri;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Ours beside the seeds' statements. */
@Command(
    name = "bench",
    description =
        "Measure polls, acks, publishes and drains beside the statements of the Go services and of"
            + " harel's functions, on tables of scratch schemas that are dropped at the end.",
    sortOptions = false,
    footer = {
      "",
      "Needs the right to create schemas. The database's other tables are not touched, but its disk and",
      "processors are: 1,000,000 rows take about 1 GB. Ctrl-C ends it early, and cleans up.",
      "",
      "Examples:",
      "  sluice bench",
      "  sluice bench --operations poll --shapes groups,blocked --sizes 1000,100000,1000000 \\",
      "    --plot poll.svg",
      "  sluice bench --uri postgres://app@db.example/shop --json"
    })
final class BenchCommand implements Callable<Integer> {
  private final Console console;

  @Option(
      names = "--uri",
      paramLabel = "URI",
      defaultValue = "embedded:",
      description =
          "The database. Default: embedded:, a PostgreSQL that comes along and lives in"
              + " ./.sluice/postgres. FC_DATABASE_URL is not read.")
  private String uri = "";

  @Option(
      names = "--operations",
      paramLabel = "NAME",
      split = ",",
      description =
          "Of the legacy table: poll, ack, nack, publish, insert, drain, http, latency; of the harel"
              + " tables: claim, sessions, harel-ack, harel-drain. Default: all.")
  private List<String> operations = List.of();

  @Option(
      names = "--shapes",
      paramLabel = "NAME",
      split = ",",
      description =
          "What the rows are like that are polled: singletons, groups, giants, blocked, in-flight,"
              + " lapsed, delayed, queues. Default: all.")
  private List<String> shapes = List.of();

  @Option(
      names = "--sizes",
      paramLabel = "N",
      split = ",",
      defaultValue = "1000,100000",
      description =
          "Rows of the table, or groups of the harel tables; 1000 to 10000000. Default:"
              + " ${DEFAULT-VALUE}.")
  private List<Long> sizes = List.of();

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "5",
      description = "How often each is measured, by turns. Default: ${DEFAULT-VALUE}.")
  private int runs;

  @Option(
      names = "--patience",
      paramLabel = "S",
      defaultValue = "20",
      description =
          "What takes longer is cut off; what takes longer than its share is measured once. Default:"
              + " ${DEFAULT-VALUE}.")
  private Seconds patience = new Seconds(Duration.ZERO);

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description =
          "Draw the time over the size, of poll where it was measured, else of the first operation;"
              + " the name ends with .png or .svg.")
  private Optional<Path> plot = Optional.empty();

  @Mixin private final JsonOption json = new JsonOption();

  BenchCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    BenchRequest request = request();
    plot.ifPresent(BenchCommand::check);
    LogConfigurator.defaultLevel(console, Level.ERROR);
    Bench bench = new Bench(request, console::message);
    List<Result> results = Interrupts.during(bench::stop, bench::run);
    BenchView view = new BenchView(console, results);
    if (json.json()) {
      view.printJson();
    } else if (results.isEmpty()) {
      console.message("nothing was measured");
    } else {
      view.printTable();
    }
    if (plot.isPresent() && !results.isEmpty()) {
      Plot.write(plotted(results), results, plot.get());
      console.message("drawn: " + plot.get());
    }
    return ExitCode.DONE;
  }

  private BenchRequest request() {
    QueueUri database = QueueUri.parse(uri);
    Set<Operation> chosen = EnumSet.allOf(Operation.class);
    if (!operations.isEmpty()) {
      chosen.clear();
      operations.forEach(
          name -> chosen.add(named("--operations", name, Operation.values(), Operation::label)));
    }
    List<LegacyShape> forms =
        shapes.isEmpty()
            ? List.of(LegacyShape.values())
            : shapes.stream()
                .map(name -> named("--shapes", name, LegacyShape.values(), LegacyShape::label))
                .toList();
    try {
      return new BenchRequest(database, chosen, forms, sizes, runs, patience.duration());
    } catch (IllegalArgumentException e) {
      throw CommandException.usage("--" + e.getMessage());
    }
  }

  private static void check(Path file) {
    try {
      Plot.check(file);
    } catch (IllegalArgumentException e) {
      throw CommandException.usage("--" + e.getMessage());
    }
  }

  private static <T> T named(String option, String name, T[] values, Function<T, String> label) {
    return Arrays.stream(values)
        .filter(value -> label.apply(value).equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                CommandException.usage(
                    "%s: unknown '%s'; there are %s"
                        .formatted(
                            option,
                            name,
                            String.join(", ", Arrays.stream(values).map(label).toList()))));
  }

  private static Operation plotted(List<Result> results) {
    return results.stream().anyMatch(r -> r.operation() == Operation.POLL)
        ? Operation.POLL
        : results.get(0).operation();
  }
}
