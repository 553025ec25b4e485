package dev.sluice.monitor;

import dev.sluice.delivery.BreakerStatus;
import dev.sluice.queue.Queue;
import dev.sluice.router.RouterListener;
import dev.sluice.router.RouterStatus;
import dev.sluice.time.Time;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows a router to those who watch it: {@code /health/live}, {@code /health/ready}, {@code
 * /health}, {@code /metrics} over HTTP.
 *
 * <p>Serves from {@link #start} on, before there is a router: hand {@link #listener} to it, then
 * {@link #watch} it. Never waits long for what it shows: a router that does not answer is down, and
 * a database that does not is left out. Safe for use by many threads; its own are daemons: {@code
 * sluice-http} and {@code sluice-monitor}.
 */
public final class Monitor implements AutoCloseable {
  /** How long the router has to answer. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Time time;
  private final String version;
  private final ExecutorService executor;
  private final Meters meters;
  private final QueueCounts counts;
  private final Endpoint endpoint;
  private volatile @Nullable Watched watched;

  private record Watched(Probe<RouterStatus> status, Probe<List<BreakerStatus>> breakers) {}

  private Monitor(MonitorOptions options, Time time) {
    this.time = time;
    this.version = options.version();
    this.executor = Executors.newCachedThreadPool(Monitor::daemon);
    this.meters = new Meters(time);
    this.counts = new QueueCounts(time, executor);
    this.endpoint =
        Endpoint.start(
            options.address(),
            options.credentials(),
            Map.of(
                "/health/live",
                () -> Health.live(view()),
                "/health/ready",
                () -> Health.ready(view()),
                "/health",
                this::detail,
                "/metrics",
                this::metrics));
    executor.execute(meters::bindJvm);
  }

  /**
   * Listens and serves.
   *
   * @throws MonitorException if the address cannot be listened on, because it is taken, say
   */
  public static Monitor start(MonitorOptions options, Time time) {
    return new Monitor(options, time);
  }

  /** What the router is to tell what it does; to be handed to it before it starts. */
  public RouterListener listener() {
    return meters;
  }

  /**
   * Shows this router from now on. Both suppliers may block and may throw: the router is down then.
   */
  public void watch(Supplier<RouterStatus> status, Supplier<List<BreakerStatus>> breakers) {
    watched =
        new Watched(
            new Probe<>(status, PATIENCE, time, executor),
            new Probe<>(breakers, PATIENCE, time, executor));
  }

  /** Has the messages of this queue counted, when somebody looks. */
  public void addQueue(Queue queue) {
    counts.add(queue);
  }

  /** Ends that. */
  public void removeQueue(Queue queue) {
    counts.remove(queue);
  }

  /** The port that is listened on. */
  public int port() {
    return endpoint.port();
  }

  /** Stops listening. Idempotent. */
  @Override
  public void close() {
    endpoint.close();
    executor.shutdownNow();
    meters.close();
  }

  private View view() {
    Watched router = watched;
    if (router == null) {
      return new View.Starting();
    }
    return router.status().ask().<View>map(View.Seen::new).orElseGet(View.Silent::new);
  }

  private Optional<List<BreakerStatus>> breakers() {
    Watched router = watched;
    return router == null ? Optional.empty() : router.breakers().ask();
  }

  private Answer detail() {
    return Health.detail(view(), breakers(), version);
  }

  private Answer metrics() {
    View view = view();
    view.answered().ifPresent(meters::follow);
    List<MetricSnapshot> all = new ArrayList<>(meters.snapshots());
    all.add(Gauges.build(version));
    all.add(Gauges.up(view));
    view.answered().map(Gauges::of).ifPresent(all::addAll);
    breakers().map(Gauges::ofBreakers).ifPresent(all::addAll);
    all.addAll(Gauges.ofCounts(counts.current()));
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try {
      PrometheusTextFormatWriter.create().write(text, new MetricSnapshots(all));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Answer(
        Answer.OK, PrometheusTextFormatWriter.CONTENT_TYPE, text.toString(StandardCharsets.UTF_8));
  }

  private static final AtomicInteger THREADS = new AtomicInteger();

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "sluice-monitor-" + THREADS.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }
}
