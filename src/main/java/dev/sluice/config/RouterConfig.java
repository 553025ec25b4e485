package dev.sluice.config;

import dev.sluice.router.PoolSettings;
import java.util.List;

/**
 * Which queues a router serves, and with which pools.
 *
 * @param pools each code once
 * @param queues each pair of URI and name once
 */
public record RouterConfig(List<PoolSettings> pools, List<QueueConfig> queues) {

  public RouterConfig {
    pools = List.copyOf(pools);
    queues = List.copyOf(queues);
  }
}
