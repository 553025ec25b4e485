package dev.sluice.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A target that takes everything at once. */
final class BenchTarget implements AutoCloseable {
  private static final int THREADS = 4;
  private static final int BACKLOG = 1_024;

  static {
    // Else an answer's head and body go out 40 ms apart.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS,
          task -> {
            Thread thread = new Thread(task, "bench-target");
            thread.setDaemon(true);
            return thread;
          });
  private final Runnable called;
  private final HttpServer server;

  /**
   * @param called run at each call, before its answer, by many threads
   */
  BenchTarget(Runnable called) {
    this.called = called;
    try {
      this.server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    } catch (IOException e) {
      throw new UncheckedIOException("no port for a target", e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::take);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/orders";
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      called.run();
      exchange.sendResponseHeaders(200, -1);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
