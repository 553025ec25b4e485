package dev.sluice.cli;

import dev.sluice.config.ConfigLoader;
import dev.sluice.config.ConfigSource;
import dev.sluice.config.ConfigWatch;
import dev.sluice.config.RouterConfig;
import dev.sluice.delivery.HttpMediator;
import dev.sluice.router.Router;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A router of the queues and pools that a config names, which it reads again at SIGHUP, and at
 * intervals where it comes from a URL.
 */
final class ConfiguredRouter implements AutoCloseable {
  private final Time time;
  private final ExecutorService opening = threads("sluice-opener");
  private final ExecutorService reading = threads("sluice-config");
  private final HttpMediator mediator;
  private final Router router;
  private final RunningQueues queues;
  private final AtomicReference<@Nullable ConfigWatch> watch = new AtomicReference<>();
  private final AutoCloseable hangup;

  private ConfiguredRouter(RouterSettings settings, RouterEndpoint endpoint, Time time) {
    this.time = time;
    mediator = new HttpMediator(time, settings.httpOptions());
    router =
        Router.builder(mediator, time)
            .options(settings.routerOptions())
            .listener(endpoint.listener())
            .build();
    endpoint.watch(router, mediator);
    queues = new RunningQueues(QueueSet.of(router, endpoint), settings::open, time, opening);
    hangup = Interrupts.onHangup(this::reload);
  }

  // A hang-up before the first config is read asks for nothing.
  private void reload() {
    ConfigWatch reader = watch.get();
    if (reader != null) {
      reader.reload();
    }
  }

  /**
   * Starts it. Waits for the sources of the config, and for its databases as {@link
   * RunningQueues#start} does.
   *
   * @param endpoint shows it
   * @param interval how often URLs are read again; empty for never by itself
   * @param patience how long to wait for sources and databases; empty for without end
   * @throws dev.sluice.config.ConfigException if a source is wrong, or does not answer in time
   * @throws CommandException if a queue cannot be served
   */
  static ConfiguredRouter start(
      RouterSettings settings,
      RouterEndpoint endpoint,
      Time time,
      List<ConfigSource> sources,
      Optional<Duration> interval,
      Optional<Duration> patience) {
    ConfiguredRouter running = new ConfiguredRouter(settings, endpoint, time);
    try {
      running.begin(settings, sources, interval, patience);
      return running;
    } catch (RuntimeException e) {
      running.close();
      throw e;
    }
  }

  private void begin(
      RouterSettings settings,
      List<ConfigSource> sources,
      Optional<Duration> interval,
      Optional<Duration> patience) {
    ConfigLoader loader = new ConfigLoader(sources, time);
    RouterConfig first =
        new StartWait(patience.orElse(StartWait.NO_END)).answer(() -> settings.over(loader.load()));
    ConfigWatch reader =
        new ConfigWatch(() -> settings.over(loader.load()), first, queues::apply, reading);
    watch.set(reader);
    router.start();
    queues.start(first, patience);
    if (loader.hasUrl()) {
      interval.ifPresent(every -> reader.every(every, time));
    }
  }

  /** Stops polling and finishes what is being delivered. */
  void stop() {
    router.stop();
  }

  void awaitStopped() {
    router.awaitStopped();
  }

  @Override
  public void close() {
    try {
      hangup.close();
    } catch (Exception e) {
      throw new CompletionException(e);
    }
    ConfigWatch reader = watch.get();
    if (reader != null) {
      reader.close();
    }
    router.close();
    queues.close();
    mediator.close();
    opening.shutdownNow();
    reading.shutdownNow();
  }

  private static ExecutorService threads(String name) {
    return Executors.newCachedThreadPool(
        task -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          return thread;
        });
  }
}
