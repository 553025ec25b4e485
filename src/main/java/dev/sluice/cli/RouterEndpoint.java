package dev.sluice.cli;

import dev.sluice.delivery.HttpMediator;
import dev.sluice.monitor.Credentials;
import dev.sluice.monitor.HttpAddress;
import dev.sluice.monitor.Monitor;
import dev.sluice.monitor.MonitorOptions;
import dev.sluice.queue.Queue;
import dev.sluice.router.Router;
import dev.sluice.router.RouterListener;
import dev.sluice.time.Time;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Health and metrics of a router that runs, if they are to be served. Serves from the start on:
 * that a database is still waited for is a thing to be seen. Safe for use by many threads.
 */
final class RouterEndpoint implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RouterEndpoint.class);

  private final Optional<Monitor> monitor;

  private RouterEndpoint(Optional<Monitor> monitor) {
    this.monitor = monitor;
  }

  /**
   * Begins to serve.
   *
   * @param address empty for not at all
   * @throws dev.sluice.monitor.MonitorException if the address is taken
   */
  static RouterEndpoint open(
      Optional<HttpAddress> address, Optional<Credentials> credentials, Time time) {
    return new RouterEndpoint(address.map(a -> serve(a, credentials, time)));
  }

  private static Monitor serve(HttpAddress address, Optional<Credentials> credentials, Time time) {
    Monitor monitor =
        Monitor.start(new MonitorOptions(address, Version.number(), credentials), time);
    log.info("event=serving address={}", new HttpAddress(address.host(), monitor.port()));
    return monitor;
  }

  /** To be told what the router does. */
  RouterListener listener() {
    return monitor.map(Monitor::listener).orElse(RouterListener.NONE);
  }

  void watch(Router router, HttpMediator mediator) {
    monitor.ifPresent(m -> m.watch(router::status, mediator::breakers));
  }

  void addQueue(Queue queue) {
    monitor.ifPresent(m -> m.addQueue(queue));
  }

  void removeQueue(Queue queue) {
    monitor.ifPresent(m -> m.removeQueue(queue));
  }

  @Override
  public void close() {
    monitor.ifPresent(Monitor::close);
  }
}
