package dev.sluice.cli;

import dev.sluice.migrate.Migration;
import dev.sluice.migrate.MigrationReport;
import dev.sluice.migrate.MigrationRequest;
import dev.sluice.migrate.MigrationRequest.Mode;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.SchemaException;
import dev.sluice.queue.uri.QueueSettings;
import dev.sluice.queue.uri.QueueUri;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Moves a queue from one schema to the other. */
@Command(
    name = "migrate",
    customSynopsis = "sluice migrate --from URI --to URI --queue NAME [OPTIONS]",
    description = "Move a queue between the legacy table and the harel tables, both in use.",
    sortOptions = false,
    footer = {
      "",
      "Exits with 0 when all has moved, with 4 when messages are left: in flight, or refused.",
      "Can be stopped at any point; the same command goes on. Ctrl-C ends it after a batch.",
      "",
      "Examples:",
      "  sluice migrate --from postgres://app@db/shop --to harel://app@db/shop --queue orders",
      "  sluice migrate --from postgres://app@db/shop --to harel://app@db/shop --queue orders \\",
      "    --finish --wait 10m"
    })
final class MigrateCommand implements Callable<Integer> {
  private static final int CONNECTIONS = 2;

  private final Console console;

  @Option(
      names = "--from",
      paramLabel = "URI",
      required = true,
      description = "The database and tables to move from: postgres://... or harel://...")
  private String from = "";

  @Option(
      names = "--to",
      paramLabel = "URI",
      required = true,
      description = "The database and tables to move to, of the other kind; may be the same.")
  private String to = "";

  @Option(
      names = "--queue",
      paramLabel = "NAME",
      required = true,
      description = "What the legacy table calls the queue.")
  private String queue = "";

  @Option(
      names = "--wait",
      paramLabel = "S",
      defaultValue = "0",
      description = "Wait so long for groups in flight, and for what producers still write.")
  private Seconds wait = new Seconds(Duration.ZERO);

  @ArgGroup(exclusive = true)
  private What what = new What();

  /** What else than moving. */
  static final class What {
    @Option(
        names = "--finish",
        description = "Producers have switched: the last sweep, then take holds and record away.")
    private boolean finish;

    @Option(names = "--abort", description = "Take everything back, then holds and record away.")
    private boolean abort;

    @Option(names = "--verify", description = "Compare the target with the record.")
    private boolean verify;

    @Option(names = "--dry-run", description = "Print the plan and touch nothing.")
    private boolean dryRun;

    Mode mode() {
      if (finish) {
        return Mode.FINISH;
      }
      if (abort) {
        return Mode.ABORT;
      }
      return verify ? Mode.VERIFY : dryRun ? Mode.DRY_RUN : Mode.MOVE;
    }
  }

  @Option(
      names = "--no-hold",
      description = "Hold nothing at the source: promises no order over both sides.")
  private boolean noHold;

  @Option(
      names = "--strict",
      description = "Refuse a group rather than lose the delay of a row behind its head.")
  private boolean strict;

  @Option(names = "--include-failed", description = "Move quarantined messages too.")
  private boolean includeFailed;

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "20000",
      description = "Rows of one transaction. Default: ${DEFAULT-VALUE}.")
  private int batch;

  @Option(
      names = "--longest-lease",
      paramLabel = "S",
      defaultValue = "300",
      description =
          "The longest visibility in use on the harel tables: a group leased for longer is taken for"
              + " parked. Default: ${DEFAULT-VALUE}.")
  private Seconds longestLease = new Seconds(Duration.ZERO);

  @Mixin private final JsonOption json = new JsonOption();

  MigrateCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() {
    QueueUri source = uri("--from", from);
    QueueUri target = uri("--to", to);
    if (source.backend() == target.backend()) {
      throw CommandException.usage(
          "--from and --to: one must name the legacy table (postgres://), the other the harel tables"
              + " (harel://), both are "
              + (source.backend() == QueueUri.Backend.LEGACY ? "postgres://" : "harel://"));
    }
    MigrationRequest request =
        new MigrationRequest(
            queue,
            what.mode(),
            wait.duration(),
            !noHold,
            strict,
            includeFailed,
            batch,
            longestLease.duration());
    try (OpenQueue fromQueue = open(source);
        OpenQueue toQueue = open(target)) {
      long waiting = console.terminal().err() ? fromQueue.queue().metrics().total() : 0;
      Migration migration = new Migration(fromQueue.database(), toQueue.database(), request);
      MigrationReport report = run(migration, request, waiting);
      new MigrationSummary(console, request).print(report, json.json());
      return exitCode(report);
    }
  }

  private static QueueUri uri(String option, String text) {
    try {
      return QueueUri.parse(text);
    } catch (IllegalArgumentException e) {
      throw CommandException.usage(option + ": " + e.getMessage());
    }
  }

  private OpenQueue open(QueueUri uri) {
    try {
      OpenQueue open = OpenQueue.open(uri, Optional.of(queue), CONNECTIONS, QueueSettings.DEFAULTS);
      try {
        SchemaGate.requireUsable(open.queue());
        return open;
      } catch (RuntimeException e) {
        open.close();
        throw e;
      }
    } catch (SchemaException e) {
      throw new SchemaException(List.of(uri.safe() + ": " + e.getMessage()));
    } catch (QueueException e) {
      throw failed(e, uri.safe(), "nothing was touched");
    }
  }

  private MigrationReport run(Migration migration, MigrationRequest request, long waiting) {
    try {
      return Interrupts.during(
          () -> stop(migration),
          () ->
              Progress.during(
                  waiting == 0
                      ? Progress.of(console, request.mode().done(), migration::moved)
                      : Progress.of(console, request.mode().done(), waiting, migration::moved),
                  migration::run));
    } catch (SchemaException e) {
      throw e;
    } catch (QueueException e) {
      throw failed(
          e,
          migration.ends(),
          "nothing is lost or doubled; the same command goes on where this one ended");
    }
  }

  private void stop(Migration migration) {
    console.message("stopping after this batch; once more to end at once");
    migration.stop();
  }

  private static CommandException failed(QueueException e, String where, String safe) {
    ErrorLine line = ErrorLine.of(e, Optional.of(where));
    return new CommandException(line.exitCode(), line.text() + "; " + safe, e);
  }

  private static int exitCode(MigrationReport report) {
    return switch (report.phase()) {
      case "planned", "verified" -> ExitCode.DONE;
      case "broken" -> ExitCode.FAILED;
      default -> report.remaining() == 0 ? ExitCode.DONE : ExitCode.LEFT;
    };
  }
}
