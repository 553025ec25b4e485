package dev.sluice.monitor;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.util.JavalinLogger;
import java.io.IOException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves pages over HTTP: GET and HEAD of the paths that it is given, to everyone. All other paths
 * are none, and only who has the credentials is told so. Threads are daemons, and few.
 */
final class Endpoint implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Endpoint.class);

  private static final int THREADS = 8;
  private static final int CONNECTIONS = 256;
  private static final int HEADER_BYTES = 8 * 1024;
  private static final int BODY_BYTES = 8 * 1024;
  private static final Duration IDLE = Duration.ofSeconds(30);

  private final Javalin javalin;

  private Endpoint(Javalin javalin) {
    this.javalin = javalin;
  }

  /**
   * Listens and serves.
   *
   * @param pages what to answer, by path
   * @throws MonitorException if the address cannot be listened on
   */
  static Endpoint start(
      HttpAddress address, Optional<Credentials> credentials, Map<String, Supplier<Answer>> pages) {
    Server server = server();
    ServerConnector connector = connector(server, address);
    // It says at length that it starts, and that it failed to; we do both ourselves.
    JavalinLogger.enabled = false;
    Javalin javalin =
        Javalin.create(
            config -> {
              config.unsafe.jettyInternal.server = server;
              config.jetty.threadPool = server.getThreadPool();
              config.jetty.addConnector((unused, alike) -> connector);
              configure(config);
              route(config, credentials, pages);
            });
    return new Endpoint(javalin.start());
  }

  /** The port that is listened on. */
  int port() {
    return javalin.port();
  }

  @Override
  public void close() {
    javalin.stop();
  }

  private static Server server() {
    QueuedThreadPool threads = new QueuedThreadPool(THREADS, 1, (int) IDLE.toMillis());
    threads.setName("sluice-http");
    threads.setDaemon(true);
    Server server =
        new Server(
            threads,
            new ScheduledExecutorScheduler("sluice-http-timer", true),
            new ArrayByteBufferPool());
    server.addBean(new NetworkConnectionLimit(CONNECTIONS, server));
    // What is no request gets a status; the default page would tell what we run on.
    server.setErrorHandler(
        (request, response, callback) -> {
          callback.succeeded();
          return true;
        });
    return server;
  }

  private static ServerConnector connector(Server server, HttpAddress address) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_BYTES);
    http.setIdleTimeout(IDLE.toMillis());
    ServerConnector connector = new ServerConnector(server, 0, 1, new HttpConnectionFactory(http));
    connector.setIdleTimeout(IDLE.toMillis());
    connector.setHost(address.host());
    connector.setPort(address.port());
    try {
      connector.open();
    } catch (IOException | UnresolvedAddressException e) {
      throw new MonitorException(refusal(address, e), e);
    }
    return connector;
  }

  private static String refusal(HttpAddress address, Exception failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    String reason =
        cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    return "cannot listen on "
        + address
        + ": "
        + (reason.contains("in use") ? "another program listens there" : reason)
        + "; give another --http HOST:PORT, or --http off";
  }

  private static void configure(JavalinConfig config) {
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.router.ignoreTrailingSlashes = false;
    config.http.prefer405over404 = true;
    config.http.maxRequestSize = BODY_BYTES;
  }

  private static void route(
      JavalinConfig config,
      Optional<Credentials> credentials,
      Map<String, Supplier<Answer>> pages) {
    config.routes.before(
        context -> {
          if (!pages.containsKey(context.path()) && !isAllowed(context, credentials)) {
            context.header(
                HttpHeader.WWW_AUTHENTICATE.asString(),
                "Basic realm=\"sluice\", charset=\"UTF-8\"");
            answer(context, Answer.text(401, "user and password are needed"));
            context.skipRemainingHandlers();
          }
        });
    pages.forEach(
        (path, page) -> {
          Handler handler = context -> answer(context, page.get());
          config.routes.get(path, handler);
          config.routes.head(path, handler);
        });
    config.routes.error(404, context -> answer(context, Answer.text(404, "there is no such page")));
    config.routes.error(
        405,
        context -> {
          context.header(HttpHeader.ALLOW.asString(), "GET, HEAD");
          answer(context, Answer.text(405, "only GET and HEAD are served"));
        });
    config.routes.exception(
        Exception.class,
        (e, context) -> {
          log.error("event=page_failed path={} error={}", context.path(), e.getClass().getName());
          answer(context, Answer.text(500, "internal error"));
        });
  }

  private static boolean isAllowed(Context context, Optional<Credentials> credentials) {
    String header = context.header(HttpHeader.AUTHORIZATION.asString());
    return credentials.map(known -> known.areIn(header == null ? "" : header)).orElse(true);
  }

  private static void answer(Context context, Answer answer) {
    context.status(answer.status());
    context.header(HttpHeader.CACHE_CONTROL.asString(), "no-store");
    context.contentType(answer.contentType());
    context.result(answer.body().getBytes(StandardCharsets.UTF_8));
  }
}
