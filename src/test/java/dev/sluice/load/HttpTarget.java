package dev.sluice.load;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A target for routers in other processes, that writes a {@link Journal} and takes everything. */
final class HttpTarget implements AutoCloseable {
  private static final int BEFORE_ID = "{\"messageId\":\"".length();
  private static final int AFTER_ID = "\"}".length();

  private final ExecutorService threads = Executors.newFixedThreadPool(8);
  private final Journal journal;
  private final Function<String, CompletionStage<?>> until;
  private final HttpServer server;

  /**
   * @param until by id, what it waits for before it answers
   */
  HttpTarget(Journal journal, Function<String, CompletionStage<?>> until) throws IOException {
    this.journal = journal;
    this.until = until;
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
    server.setExecutor(threads);
    server.createContext("/", this::take);
    server.start();
  }

  /** A target that takes so long for each message. */
  static HttpTarget taking(Journal journal, Duration time) throws IOException {
    Executor later =
        CompletableFuture.delayedExecutor(time.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
    return new HttpTarget(journal, id -> CompletableFuture.runAsync(() -> {}, later));
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  private void take(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String id = body.substring(BEFORE_ID, body.length() - AFTER_ID);
    Journal.Running call = journal.called(id);
    CompletionStage<?> unused = until.apply(id).thenRunAsync(() -> answer(exchange, call), threads);
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
