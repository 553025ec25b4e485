package dev.sluice.cli;

import dev.sluice.router.PoolSettings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which pools deliver, and how much at a time. */
final class PoolOptions {
  @Option(
      names = "--pool",
      paramLabel = "CODE:CONCURRENCY[:PER_MINUTE]",
      split = ",",
      description =
          "A pool that messages ask for by its code: how many deliveries at the same time, and how"
              + " many in a minute; can be repeated. Messages that ask for no pool, or for one that is"
              + " not there, go to DEFAULT-POOL.")
  private List<PoolOption> pools = List.of();

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      description = "Deliveries of DEFAULT-POOL at the same time. Default: 20.")
  private Optional<Integer> concurrency = Optional.empty();

  /**
   * The pools of a config, with what the options say of them instead.
   *
   * @throws CommandException if the options contradict each other
   */
  List<PoolSettings> over(List<PoolSettings> configured) {
    Map<String, PoolSettings> pools = new LinkedHashMap<>();
    configured.forEach(pool -> pools.put(pool.code(), pool));
    Map<String, PoolSettings> given = given();
    pools.putAll(given);
    concurrency.ifPresent(most -> limitDefault(pools, given, most));
    return List.copyOf(pools.values());
  }

  private Map<String, PoolSettings> given() {
    Map<String, PoolSettings> given = new LinkedHashMap<>();
    for (PoolOption pool : pools) {
      PoolSettings before = given.put(pool.settings().code(), pool.settings());
      if (before != null && !before.equals(pool.settings())) {
        throw CommandException.usage(
            "--pool: '" + before.code() + "' is given twice, with different values");
      }
    }
    return given;
  }

  private static void limitDefault(
      Map<String, PoolSettings> pools, Map<String, PoolSettings> given, int most) {
    PoolSettings pool = pools.getOrDefault(PoolSettings.DEFAULT_CODE, PoolSettings.DEFAULT);
    if (given.containsKey(pool.code()) && pool.concurrency() != most) {
      throw CommandException.usage(
          "--concurrency: contradicts --pool, which has " + pool.code() + " too");
    }
    if (most < 1) {
      throw CommandException.usage("--concurrency: must be at least 1, was " + most);
    }
    pools.put(pool.code(), new PoolSettings(pool.code(), most, pool.perMinute()));
  }
}
