package dev.sluice.cli;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A target that takes everything, but refuses what comes to {@code /refuse} and asks for what comes
 * to {@code /later} again in ten minutes.
 */
final class AnsweringTarget implements AutoCloseable {
  private static final byte[] LATER =
      "{\"ack\":false,\"delaySeconds\":600}".getBytes(StandardCharsets.UTF_8);

  private final HttpServer server;
  private final List<String> seen = new CopyOnWriteArrayList<>();

  private AnsweringTarget(HttpServer server) {
    this.server = server;
  }

  static AnsweringTarget start() throws IOException {
    AnsweringTarget target =
        new AnsweringTarget(
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    target.serve();
    return target;
  }

  private void serve() {
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            String body =
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String group = exchange.getRequestHeaders().getFirst("X-Sluice-Group");
            seen.add(group == null ? body : group + " " + body);
            String path = exchange.getRequestURI().getPath();
            boolean later = path.startsWith("/later");
            int status = path.startsWith("/refuse") ? 404 : 200;
            exchange.sendResponseHeaders(status, later ? LATER.length : -1);
            if (later) {
              exchange.getResponseBody().write(LATER);
            }
          }
        });
    server.start();
  }

  /** The bodies that came, each after the group that an event has. */
  List<String> seen() {
    return seen;
  }

  String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
