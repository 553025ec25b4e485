package dev.sluice.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server on this machine that takes the demo's messages, and is not always well. */
final class DemoTarget implements AutoCloseable {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int THREADS = 20;
  private static final int WORK_MILLIS = 10;

  private final HttpServer server;
  private final ExecutorService threads;

  private DemoTarget(HttpServer server, ExecutorService threads) {
    this.server = server;
    this.threads = threads;
  }

  static {
    // Else an answer's head and body go out 40 ms apart.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  /** Begins to listen, on any free port; answers once {@link #serve} tells how. */
  static DemoTarget start() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    ExecutorService threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "demo-target");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    server.start();
    return new DemoTarget(server, threads);
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/orders";
  }

  /** Answers as the journal says. */
  void serve(DemoJournal journal) {
    server.createContext("/orders", exchange -> answer(exchange, journal));
  }

  private static void answer(HttpExchange exchange, DemoJournal journal) throws IOException {
    try (exchange) {
      DemoAnswer answer = journal.saw(messageId(exchange.getRequestBody()));
      pretendToWork();
      if (answer == DemoAnswer.TOO_MANY) {
        exchange.getResponseHeaders().set("Retry-After", "1");
      }
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private static void pretendToWork() {
    try {
      Thread.sleep(WORK_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String messageId(InputStream body) throws IOException {
    try (JsonParser json = JSON.createParser(body)) {
      json.nextToken();
      json.nextToken();
      return json.nextTextValue();
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
