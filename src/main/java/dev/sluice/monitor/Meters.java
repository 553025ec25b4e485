package dev.sluice.monitor;

import dev.sluice.router.RouterListener;
import dev.sluice.router.RouterStatus;
import dev.sluice.router.RouterStatus.PoolStatus;
import dev.sluice.time.Time;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The series that count what happens, as the router tells it. Those of a pool or a queue begin at 0
 * and stay for {@link Kept#AFTERWARDS} after it is gone. Safe for use by many threads.
 *
 * <p>Source of the {@code fc_} names, labels and values: the Go router.
 */
final class Meters implements RouterListener, AutoCloseable {
  private final Time time;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Kept<PoolMeters> pools =
      new Kept<>(pool -> PoolMeters.of(pool, registry), meters -> meters.remove(registry));
  private final Kept<QueueMeters> queues =
      new Kept<>(queue -> QueueMeters.of(queue, registry), meters -> meters.remove(registry));
  private volatile Optional<JvmGcMetrics> gc = Optional.empty();

  Meters(Time time) {
    this.time = time;
  }

  /** Watches the virtual machine from now on; takes a moment. */
  void bindJvm() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    JvmGcMetrics collections = new JvmGcMetrics();
    collections.bindTo(registry);
    gc = Optional.of(collections);
  }

  /** Begins the series of what is new, and ends those of what is long gone. */
  void follow(RouterStatus status) {
    long now = time.nanos();
    pools.follow(status.pools().stream().map(PoolStatus::code).collect(Collectors.toSet()), now);
    queues.follow(
        status.queues().stream().map(q -> Shown.queue(q.queue())).collect(Collectors.toSet()), now);
  }

  /** All series as they are now. */
  List<MetricSnapshot> snapshots() {
    return registry.getPrometheusRegistry().scrape().stream().toList();
  }

  @Override
  public void received(String queue, int messages) {
    queues.of(Shown.queue(queue)).received().increment(messages);
  }

  @Override
  public void called(String pool, Duration took) {
    pools.of(pool).calls().record(took);
  }

  @Override
  public void processed(String pool, boolean delivered) {
    PoolMeters meters = pools.of(pool);
    (delivered ? meters.delivered() : meters.failed()).increment();
  }

  @Override
  public void rateExceeded(String pool) {
    pools.of(pool).rateExceeded().increment();
  }

  @Override
  public void poolFull(String pool) {
    pools.of(pool).full().increment();
  }

  @Override
  public void suppressed(String pool) {
    pools.of(pool).suppressed().increment();
  }

  @Override
  public void settled(String queue, End end) {
    queues.of(Shown.queue(queue)).settled(end).increment();
  }

  @Override
  public void close() {
    gc.ifPresent(JvmGcMetrics::close);
    registry.close();
  }
}
