package dev.sluice.load;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A target for routers in other processes, that writes a {@link Journal} and takes everything. */
final class HttpTarget implements AutoCloseable {
  private static final int BEFORE_ID = "{\"messageId\":\"".length();
  private static final int AFTER_ID = "\"}".length();

  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(8);
  private final Journal journal;
  private final Function<String, Duration> latency;
  private final HttpServer server;

  /**
   * @param latency how long it takes for the message of an id
   */
  HttpTarget(Journal journal, Function<String, Duration> latency) throws IOException {
    this.journal = journal;
    this.latency = latency;
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
    server.setExecutor(threads);
    server.createContext("/", this::take);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  private void take(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String id = body.substring(BEFORE_ID, body.length() - AFTER_ID);
    Journal.Running call = journal.called(id);
    ScheduledFuture<?> unused =
        threads.schedule(
            () -> answer(exchange, call), latency.apply(id).toNanos(), TimeUnit.NANOSECONDS);
  }

  private static void answer(HttpExchange exchange, Journal.Running call) {
    call.answered(true);
    try (exchange) {
      exchange.sendResponseHeaders(200, -1);
    } catch (IOException e) {
      // The router that asked is not there any more.
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
