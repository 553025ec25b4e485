package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DrainTest extends WithDatabase {
  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final HttpServer target;

  DrainTest() throws IOException {
    target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  }

  @BeforeEach
  void start() {
    initSchema();
    target.createContext(
        "/",
        exchange -> {
          try (exchange) {
            seen.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            String path = exchange.getRequestURI().getPath();
            byte[] later = "{\"ack\":false,\"delaySeconds\":600}".getBytes(StandardCharsets.UTF_8);
            int status = path.startsWith("/refuse") ? 404 : 200;
            exchange.sendResponseHeaders(status, path.startsWith("/later") ? later.length : -1);
            if (path.startsWith("/later")) {
              exchange.getResponseBody().write(later);
            }
          }
        });
    target.start();
  }

  @AfterEach
  void stop() {
    target.stop(0);
  }

  private String url(String path) {
    return "http://127.0.0.1:" + target.getAddress().getPort() + path;
  }

  @Test
  void deliversWhatIsThereInOrder() {
    publish("orders", "g", "o1", url("/"));
    publish("orders", "g", "o2", url("/"));
    publish("orders", "g", "o3", url("/"));

    CliRun run = run("drain", "--queue", "orders", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(seen)
        .containsExactly(
            "{\"messageId\":\"o1\"}", "{\"messageId\":\"o2\"}", "{\"messageId\":\"o3\"}");
    assertThat(run.keys())
        .containsExactly(
            "queue",
            "polled",
            "delivered",
            "deferred",
            "released",
            "rejected",
            "suppressed",
            "remaining",
            "seconds",
            "perSecond");
    assertThat(run.json().at("/delivered").asInt()).isEqualTo(3);
    assertThat(run.json().at("/remaining").asInt()).isZero();
  }

  @Test
  void anEmptyQueueIsDrained() {
    CliRun run = run("drain", "--queue", "orders");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("drained queue 'orders'", "remaining            0");
  }

  @Test
  void whatIsDelayedIsLeftWithExitCode4() {
    publish("orders", "g", "o1", url("/later"));

    CliRun run = run("drain", "--queue", "orders");

    assertThat(run.exitCode()).isEqualTo(4);
    assertThat(run.out()).contains("remaining            1  delayed, or in flight");
  }

  @Test
  void whatIsRejectedAloneIsExitCode0() {
    publish("orders", "g", "o1", url("/refuse"));

    CliRun run = run("drain", "--queue", "orders");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out()).contains("rejected             1  see them with: sluice failed list");
    assertThat(run("failed", "list", "--queue", "orders").out()).contains("o1", "404");
  }
}
