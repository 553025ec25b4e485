package dev.sluice.monitor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.stream.Stream;

/** What is counted of one pool. Safe for use by many threads. */
record PoolMeters(
    Counter delivered,
    Counter failed,
    Counter rateExceeded,
    Counter full,
    Counter suppressed,
    Timer calls) {
  private static final Duration[] BUCKETS =
      Stream.of(5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000)
          .map(Duration::ofMillis)
          .toArray(Duration[]::new);

  static PoolMeters of(String pool, MeterRegistry registry) {
    return new PoolMeters(
        processed(pool, true, registry),
        processed(pool, false, registry),
        Counter.builder("fc.rate.limit.exceeded")
            .description("Messages that had a worker and waited because of the pool's rate.")
            .tag("pool", pool)
            .register(registry),
        Counter.builder("sluice.pool.full")
            .description("Messages that were handed back because the pool was full.")
            .tag("pool", pool)
            .register(registry),
        Counter.builder("sluice.suppressed")
            .description("Messages that were acked without a call: their group was flushed.")
            .tag("pool", pool)
            .register(registry),
        Timer.builder("fc.mediation.duration")
            .description("How long calls of targets took, tries and their pauses included.")
            .serviceLevelObjectives(BUCKETS)
            .tag("pool", pool)
            .register(registry));
  }

  private static Counter processed(String pool, boolean success, MeterRegistry registry) {
    return Counter.builder("fc.messages.processed")
        .description("Messages that were decided, by whether they were delivered.")
        .tag("pool", pool)
        .tag("success", Boolean.toString(success))
        .register(registry);
  }

  void remove(MeterRegistry registry) {
    Stream.of(delivered, failed, rateExceeded, full, suppressed, calls).forEach(registry::remove);
  }
}
