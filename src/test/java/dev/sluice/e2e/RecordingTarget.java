package dev.sluice.e2e;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A target that takes every message and remembers what it saw, in the order in which it came in.
 */
public final class RecordingTarget implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newFixedThreadPool(64);
  private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
  private final AtomicInteger count = new AtomicInteger();
  private final Duration latency;

  /** One request as it came in. */
  public record Request(
      String method,
      String uri,
      String body,
      Optional<String> contentType,
      Optional<String> accept,
      Optional<String> authorization,
      Optional<String> timestamp,
      Optional<String> signature) {}

  /** Listens on a port of its own. */
  public RecordingTarget(Duration latency) throws IOException {
    this.latency = latency;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
    server.setExecutor(threads);
    server.createContext("/", this::take);
    server.start();
  }

  /** Where it listens, on the loopback address. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** What messages are to name as their target. */
  public String url() {
    return "http://127.0.0.1:" + port() + "/hook";
  }

  /** How many requests have come in. */
  public int count() {
    return count.get();
  }

  /** All requests so far, in the order in which they came in. */
  public List<Request> requests() {
    return List.copyOf(requests);
  }

  private void take(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Headers headers = exchange.getRequestHeaders();
    requests.add(
        new Request(
            exchange.getRequestMethod(),
            exchange.getRequestURI().toString(),
            body,
            Optional.ofNullable(headers.getFirst("Content-Type")),
            Optional.ofNullable(headers.getFirst("Accept")),
            Optional.ofNullable(headers.getFirst("Authorization")),
            Optional.ofNullable(headers.getFirst("X-FlowCatalyst-Timestamp")),
            Optional.ofNullable(headers.getFirst("X-FlowCatalyst-Signature"))));
    count.incrementAndGet();
    pause();
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  // The latency of a target is a part of what is simulated, not a wait for something to happen.
  private void pause() {
    try {
      Thread.sleep(latency.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
