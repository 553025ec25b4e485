package dev.sluice.cli;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Options that stand in the environment: {@code --on-5xx} as SLUICE_ON_5XX, and some under the
 * names that the Go router reads.
 */
final class EnvironmentDefaults implements IDefaultValueProvider {
  private static final String API_PORT = "FC_API_PORT";

  private static final Map<String, String> ROUTER_NAMES =
      Map.of(
          "--uri", "FC_DATABASE_URL",
          "--drain-time", "FC_DRAIN_TIMEOUT_SECONDS",
          "--config", "FLOWCATALYST_CONFIG_URL",
          "--config-interval", "FC_ROUTER_CONFIG_INTERVAL_SECONDS",
          "--max-deferral", "FC_ROUTER_DEFERRAL_MAX_DELAY_SECONDS",
          "--http", API_PORT);

  /** Commands that are not the router, and must not be led somewhere by what was set for it. */
  private static final Map<String, String> NOT_READ_BY =
      Map.of("FC_DATABASE_URL", "demo", API_PORT, "drain");

  private final Console console;

  EnvironmentDefaults(Console console) {
    this.console = console;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    return variable(argument).flatMap(this::value).orElse(null);
  }

  /** The variable that gives this argument its value, if one does. */
  Optional<String> variable(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option) || option.usageHelp() || option.versionHelp()) {
      return Optional.empty();
    }
    String name = option.longestName();
    String ours = "SLUICE_" + name.substring(2).toUpperCase(Locale.ROOT).replace('-', '_');
    return Optional.of(ours)
        .filter(this::isSet)
        .or(() -> Optional.ofNullable(routerName(option)).filter(this::isSet));
  }

  // A port alone says nothing of who may reach it: nobody but this machine.
  private Optional<String> value(String variable) {
    return console
        .environment(variable)
        .map(value -> variable.equals(API_PORT) ? "127.0.0.1:" + value.strip() : value);
  }

  private static @Nullable String routerName(OptionSpec option) {
    String name = ROUTER_NAMES.get(option.longestName());
    return name == null || option.command().name().equals(NOT_READ_BY.get(name)) ? null : name;
  }

  private boolean isSet(String variable) {
    return console.environment(variable).isPresent();
  }
}
