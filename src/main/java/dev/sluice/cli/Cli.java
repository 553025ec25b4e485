package dev.sluice.cli;

import dev.sluice.queue.uri.QueueUri;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** Finds the command that the arguments name, runs it, and makes of its end an exit code. */
final class Cli {
  private final Console console;
  private final Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();

  Cli(Console console) {
    this.console = console;
    commands.put("demo", () -> new CommandLine(new DemoCommand(console)));
    commands.put("drain", () -> new CommandLine(new DrainCommand(console)));
    commands.put("run", () -> new CommandLine(new RunCommand(console)));
    commands.put("publish", () -> new CommandLine(new PublishCommand(console)));
    commands.put("stats", () -> new CommandLine(new StatsCommand(console)));
    commands.put("peek", () -> new CommandLine(new PeekCommand(console)));
    commands.put("failed", () -> FailedCommand.withSubcommands(console));
    commands.put("migrate", () -> new CommandLine(new MigrateCommand(console)));
    commands.put("schema", () -> SchemaCommand.withSubcommands(console));
    commands.put("bench", () -> new CommandLine(new BenchCommand(console)));
    commands.put("completion", () -> new CommandLine(new CompletionCommand(console)));
  }

  /** The program itself: what it says when no command is named. */
  @Command(
      name = "sluice",
      synopsisSubcommandLabel = "COMMAND",
      versionProvider = Version.class,
      description = "Drains PostgreSQL message queues over HTTP, in group order.",
      footer = {
        "",
        "Each option can stand in a file (@FILE) or in the environment (SLUICE_URI).",
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 schema missing or different,",
        "4 finished but messages are left, 130 interrupted twice.",
        "",
        "Examples:",
        "  sluice demo",
        "  sluice drain --uri postgres://app@db.example/shop --queue orders",
        "  sluice drain --help"
      })
  @SuppressWarnings("UnusedVariable") // help and version: picocli reads them before they are set
  static final class Root implements Runnable {
    @Option(
        names = {"-h", "--help"},
        usageHelp = true,
        scope = ScopeType.INHERIT,
        description = "Show this help.")
    private boolean help;

    @Option(
        names = {"-V", "--version"},
        versionHelp = true,
        description = "Show the version.")
    private boolean version;

    @Option(
        names = "--debug",
        scope = ScopeType.INHERIT,
        description = "Show the stack trace of an error.")
    private boolean debug;

    @Override
    public void run() {
      throw CommandException.usage("no command given; see: sluice --help");
    }
  }

  /** Runs the command and returns its exit code; never throws. */
  int run(String... arguments) {
    Root root = new Root();
    int exitCode;
    try {
      exitCode = commandLine(root, arguments).execute(arguments);
    } catch (Throwable e) {
      exitCode = fail(root, e, Optional.empty());
    }
    return finish(exitCode);
  }

  /** Everything that can be called, for completion. */
  CommandLine withAllCommands() {
    return commandLine(new Root());
  }

  private CommandLine commandLine(Root root, String... arguments) {
    CommandLine line = new CommandLine(root);
    // Reading the annotations of every command would be half of the start of a short one.
    Supplier<CommandLine> named = arguments.length == 0 ? null : commands.get(arguments[0]);
    if (named != null) {
      line.addSubcommand(arguments[0], named.get());
    } else {
      commands.forEach((name, command) -> line.addSubcommand(name, command.get()));
    }
    layOut(line);
    EnvironmentDefaults defaults = new EnvironmentDefaults(console);
    return reading(line, defaults)
        .setOut(new PrintWriter(console.out(), false, StandardCharsets.UTF_8))
        .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
        .setColorScheme(CommandLine.Help.defaultColorScheme(ansi()))
        .setUsageHelpAutoWidth(false)
        .setUsageHelpWidth(Math.min(Math.max(console.columns(), 80), 100))
        .setParameterExceptionHandler((e, args) -> misuse(e, defaults))
        .setExecutionExceptionHandler(
            (e, commandLine, parsed) -> fail(root, e, databaseOf(commandLine)));
  }

  /** Has a command read values as all commands do. */
  static CommandLine reading(CommandLine line, EnvironmentDefaults defaults) {
    return line.setDefaultValueProvider(defaults)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .registerConverter(EventTarget.class, EventTarget::parse)
        .registerConverter(HostPattern.class, HostPattern::parse)
        .registerConverter(PoolOption.class, PoolOption::parse)
        .registerConverter(Seconds.class, Seconds::parse);
  }

  private static void layOut(CommandLine line) {
    UsageMessageSpec usage = line.getCommandSpec().usageMessage();
    usage
        .optionListHeading("%nOptions:%n")
        .commandListHeading("%nCommands:%n")
        .abbreviateSynopsis(true);
    line.getSubcommands().values().forEach(Cli::layOut);
  }

  private Ansi ansi() {
    return console.colours(console.terminal().out()) ? Ansi.ON : Ansi.OFF;
  }

  private int misuse(ParameterException e, EnvironmentDefaults defaults) {
    String from =
        e.getArgSpec() == null
            ? ""
            : defaults
                .variable(e.getArgSpec())
                .map(name -> " (also read from " + name + ")")
                .orElse("");
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    console.message(command + ": " + wrong(e) + from + "; see: " + command + " --help");
    return ExitCode.USAGE;
  }

  private static String wrong(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return String.valueOf(e.getMessage());
    }
    String what = unmatched.isUnknownOption() ? "unknown option" : "unknown command or argument";
    String meant =
        unmatched.getSuggestions().isEmpty()
            ? ""
            : ", did you mean " + String.join(" or ", unmatched.getSuggestions());
    return what + " '" + unmatched.getUnmatched().get(0) + "'" + meant;
  }

  private static Optional<String> databaseOf(CommandLine command) {
    try {
      return Optional.ofNullable(command.getCommandSpec().findOption("--uri"))
          .map(option -> QueueUri.parse(option.getValue()).safe());
    } catch (IllegalArgumentException e) {
      // The failure is about this very URI.
      return Optional.empty();
    }
  }

  private int fail(Root root, Throwable failure, Optional<String> database) {
    ErrorLine line = ErrorLine.of(failure, database);
    console.message("sluice: " + line.text());
    if (root.debug) {
      console.err().print(StackTrace.of(failure));
    }
    return line.exitCode();
  }

  private int finish(int exitCode) {
    return console.outputFailure().map(failure -> finish(exitCode, failure)).orElse(exitCode);
  }

  private int finish(int exitCode, WatchedOutput.Failure failure) {
    if (exitCode != ExitCode.DONE) {
      return exitCode;
    }
    if (failure.readerGone()) {
      return ExitCode.PIPE_CLOSED;
    }
    console.message("sluice: writing the output failed: " + failure.reason());
    return ExitCode.FAILED;
  }
}
