package dev.sluice.cli;

import dev.sluice.config.QueueConfig;
import dev.sluice.config.RouterConfig;
import dev.sluice.delivery.AllowedTargets;
import dev.sluice.delivery.HttpMediator;
import dev.sluice.delivery.HttpOptions;
import dev.sluice.queue.Queue;
import dev.sluice.queue.uri.QueueSettings;
import dev.sluice.queue.uri.QueueUri;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.RoutedQueue;
import dev.sluice.router.Router;
import dev.sluice.router.RouterListener;
import dev.sluice.router.RouterOptions;
import dev.sluice.router.RouterOptions.On5xx;
import dev.sluice.router.RouterOptions.OnReject;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a router is to work. */
final class RouterSettings {
  private static final Logger log = LoggerFactory.getLogger(RouterSettings.class);
  private static final int CONNECTIONS = 4;

  /** How messages of one group follow each other when several routers share a queue. */
  enum Groups {
    RELAXED,
    EXCLUSIVE
  }

  @Option(
      names = "--groups",
      paramLabel = "relaxed|exclusive",
      defaultValue = "relaxed",
      description =
          "exclusive: a group is handled by one router at a time, as long as all are exclusive."
              + " Default: relaxed, as Go. Harel groups always are exclusive.")
  private Groups groups = Groups.RELAXED;

  @Mixin private final PoolOptions pools = new PoolOptions();

  @Option(
      names = "--batch",
      paramLabel = "N",
      defaultValue = "500",
      description = "Messages claimed at once, at most. Default: ${DEFAULT-VALUE}.")
  private int batch;

  @Option(
      names = "--visibility",
      paramLabel = "S",
      description =
          "How long a claim holds, in seconds; it is extended while the message is held."
              + " Default: 120.")
  private Optional<Seconds> visibility = Optional.empty();

  @Option(
      names = "--poll-interval",
      paramLabel = "S",
      defaultValue = "1",
      description = "How often an idle queue is polled, in seconds. Default: ${DEFAULT-VALUE}.")
  private Seconds pollInterval = new Seconds(Duration.ofSeconds(1));

  @Option(
      names = "--connect-timeout",
      paramLabel = "S",
      defaultValue = "30",
      description = "For a connection to a target, in seconds. Default: ${DEFAULT-VALUE}.")
  private Seconds connectTimeout = new Seconds(Duration.ofSeconds(30));

  @Option(
      names = "--exchange-timeout",
      paramLabel = "S",
      defaultValue = "15m",
      description = "For a call and its whole answer. Default: ${DEFAULT-VALUE}.")
  private Seconds exchangeTimeout = new Seconds(Duration.ofMinutes(15));

  @Option(
      names = "--on-5xx",
      paramLabel = "release|reject",
      defaultValue = "release",
      description =
          "After a 5xx that is none of 501 502 503 504: try again later, or quarantine."
              + " Default: ${DEFAULT-VALUE}.")
  private On5xx on5xx = On5xx.RELEASE;

  @Option(
      names = "--on-reject",
      paramLabel = "quarantine|drop",
      defaultValue = "quarantine",
      description =
          "Messages that can never be delivered: keep them in quarantine, or delete them."
              + " Default: ${DEFAULT-VALUE}.")
  private OnReject onReject = OnReject.QUARANTINE;

  @Option(
      names = "--max-failures",
      paramLabel = "N",
      defaultValue = "0",
      description = "Reject a message after so many failures. Default: never.")
  private int maxFailures;

  @Option(
      names = "--drain-time",
      paramLabel = "S",
      defaultValue = "60",
      description =
          "How long running deliveries have after Ctrl-C or SIGTERM, in seconds."
              + " Default: ${DEFAULT-VALUE}.")
  private Seconds drainTime = new Seconds(Duration.ofSeconds(60));

  @Option(
      names = "--target",
      paramLabel = "URL",
      description =
          "Where harel events go that carry no message and so name no target. Default: they are left"
              + " to Python workers.")
  private Optional<EventTarget> target = Optional.empty();

  @Option(
      names = "--allow-target",
      paramLabel = "HOST_PATTERN",
      split = ",",
      description =
          "Hosts that may be called: HOST, *.DOMAIN, HOST:PORT; can be repeated. What is for another"
              + " is rejected. Default: any.")
  private List<HostPattern> allowTargets = List.of();

  @Mixin private final FlowOptions flow = new FlowOptions();

  RouterOptions routerOptions() {
    return RouterOptions.DEFAULTS
        .withBatch(batch)
        .withPollInterval(pollInterval.duration())
        .withDrainTime(drainTime.duration())
        .withMaxFailures(maxFailures)
        .withOn5xx(on5xx)
        .withOnReject(onReject)
        .withOnBlock(flow.onBlock(onReject))
        .withMaxDeferral(flow.maxDeferral());
  }

  HttpOptions httpOptions() {
    return new HttpOptions(
        connectTimeout.duration(),
        exchangeTimeout.duration(),
        AllowedTargets.of(allowTargets.stream().map(HostPattern::text).toList()));
  }

  /** A router of one queue. */
  Router router(HttpMediator mediator, Time time, Queue queue, RouterListener listener) {
    return Router.builder(mediator, time)
        .options(routerOptions())
        .pools(pools())
        .queue(queue, visibility())
        .listener(listener)
        .build();
  }

  /** The pools where no config names any. */
  List<PoolSettings> pools() {
    return pools.over(List.of());
  }

  // What the Queue itself reads as 30 s would be a different time than the one the router extends.
  Duration visibility() {
    Duration duration = visibility.map(Seconds::duration).orElse(RoutedQueue.DEFAULT_VISIBILITY);
    RoutedQueue.requireVisibility(duration);
    return duration;
  }

  /**
   * A config, with what the options say instead.
   *
   * @throws CommandException if the options contradict each other
   */
  RouterConfig over(RouterConfig config) {
    List<QueueConfig> queues =
        visibility.isEmpty()
            ? config.queues()
            : config.queues().stream().map(queue -> queue.withVisibility(visibility())).toList();
    return new RouterConfig(pools.over(config.pools()), queues);
  }

  /** Tells what is out of range before anything is opened. */
  void check() {
    RouterOptions unused = routerOptions();
    pools();
    visibility();
  }

  /**
   * Opens a queue of a config and looks at its tables; does not wait for its database.
   *
   * @throws dev.sluice.queue.SchemaException if tables are missing or differ
   * @throws dev.sluice.queue.QueueException if the database does not answer, or refuses us
   */
  OpenQueue open(QueueConfig queue) {
    return open(
        queue.uri(),
        Optional.of(queue.name()),
        Math.max(CONNECTIONS, queue.connections()),
        queue.visibility(),
        this::requireSchema);
  }

  /**
   * Opens a queue to drain: waits for its database, and looks at its tables.
   *
   * @param patience how long to wait at most
   * @throws dev.sluice.queue.SchemaException if tables are missing or differ
   */
  OpenQueue open(QueueUri uri, Optional<String> queue, Duration patience) {
    return open(
        uri,
        queue,
        CONNECTIONS,
        visibility(),
        open -> new StartWait(patience).until(() -> requireSchema(open)));
  }

  private OpenQueue open(
      QueueUri uri,
      Optional<String> queue,
      int connections,
      Duration visibility,
      Consumer<OpenQueue> check) {
    boolean exclusive = groups == Groups.EXCLUSIVE;
    QueueSettings settings = new QueueSettings(visibility, exclusive, target.map(EventTarget::url));
    OpenQueue open = OpenQueue.open(uri, queue, connections, settings);
    try {
      check.accept(open);
    } catch (RuntimeException e) {
      open.close();
      throw e;
    }
    if (exclusive && uri.backend() == QueueUri.Backend.LEGACY) {
      log.info(
          "group order across routers holds as long as every router of this queue is exclusive;"
              + " a relaxed or Go router beside them breaks it queue={}",
          LogLine.quoted(open.queue().identifier()));
    }
    return open;
  }

  private void requireSchema(OpenQueue open) {
    if (onReject == OnReject.QUARANTINE) {
      SchemaGate.requireQuarantine(open.queue());
    } else {
      SchemaGate.requireUsable(open.queue());
    }
  }
}
