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
  private static final Map<String, String> ROUTER_NAMES =
      Map.of("--uri", "FC_DATABASE_URL", "--drain-time", "FC_DRAIN_TIMEOUT_SECONDS");

  private final Console console;

  EnvironmentDefaults(Console console) {
    this.console = console;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    return variable(argument).flatMap(console::environment).orElse(null);
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

  // The demo must not find its way to a real database by itself.
  private static @Nullable String routerName(OptionSpec option) {
    return option.command().name().equals("demo") ? null : ROUTER_NAMES.get(option.longestName());
  }

  private boolean isSet(String variable) {
    return console.environment(variable).isPresent();
  }
}
