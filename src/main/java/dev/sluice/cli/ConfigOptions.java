package dev.sluice.cli;

import dev.sluice.config.ConfigSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Where a router of many queues finds what it is to do. */
final class ConfigOptions {
  private static final Duration LONGEST_INTERVAL = Duration.ofDays(1);

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--config",
      paramLabel = "FILE|URL",
      description =
          "Queues and pools in JSON, as the Go router reads them, instead of --uri and --queue;"
              + " several are merged, repeated or separated by commas. Default:"
              + " FLOWCATALYST_CONFIG_URL where set.")
  private List<String> config = List.of();

  @Option(
      names = "--config-interval",
      paramLabel = "S",
      defaultValue = "300",
      description =
          "How often a config that comes from a URL is read again, in seconds; 0 for SIGHUP only."
              + " Default: ${DEFAULT-VALUE}.")
  private Seconds interval = new Seconds(Duration.ofMinutes(5));

  /**
   * Where the config is; empty if the command is about the one queue of {@code --uri} and {@code
   * --queue}. What stands on the command line beats the environment; in the environment the config
   * beats a queue, since FC_DATABASE_URL is set for other programs too.
   *
   * @throws CommandException if the command line names both
   */
  List<ConfigSource> sources() {
    boolean queueIsNamed = isOnCommandLine("--uri") || isOnCommandLine("--queue");
    if (queueIsNamed && isOnCommandLine("--config")) {
      throw CommandException.usage("--config names the queues: leave out --uri and --queue");
    }
    return queueIsNamed ? List.of() : parsed();
  }

  private boolean isOnCommandLine(String option) {
    if (command == null) {
      return false;
    }
    ParseResult parsed = command.commandLine().getParseResult();
    return parsed != null && parsed.hasMatchedOption(option);
  }

  private List<ConfigSource> parsed() {
    List<ConfigSource> sources = new ArrayList<>();
    config.stream()
        .flatMap(given -> Stream.of(given.split(",", -1)))
        .filter(source -> !source.isBlank())
        .forEach(source -> sources.add(parsed(source)));
    return sources;
  }

  private static ConfigSource parsed(String source) {
    try {
      return ConfigSource.parse(source);
    } catch (IllegalArgumentException e) {
      throw CommandException.usage("--config: " + e.getMessage());
    }
  }

  /**
   * How often the config is read again; empty for only when told to.
   *
   * @throws CommandException if it is longer than a day
   */
  Optional<Duration> interval() {
    Duration given = interval.duration();
    if (given.compareTo(LONGEST_INTERVAL) > 0) {
      throw CommandException.usage("--config-interval: must be at most a day");
    }
    return Optional.of(given).filter(duration -> !duration.isZero());
  }
}
