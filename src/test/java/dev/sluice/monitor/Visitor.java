package dev.sluice.monitor;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;

/** Asks an endpoint on loopback. */
final class Visitor {
  private static final int TRIES = 20;
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final int port;

  Visitor(int port) {
    this.port = port;
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return ask("GET", path, "");
  }

  CompletableFuture<HttpResponse<String>> begin(String path) {
    return CLIENT.sendAsync(
        request("GET", path, ""), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
  }

  /**
   * @param credentials user and password with a colon between them; empty for none
   */
  HttpResponse<String> ask(String method, String path, String credentials)
      throws IOException, InterruptedException {
    for (int tries = 1; ; tries++) {
      try {
        return CLIENT.send(
            request(method, path, credentials),
            HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
      } catch (IOException e) {
        // Who answers before it has read all that was sent may be gone before its answer is read.
        if (!method.equals("POST") || tries == TRIES) {
          throw e;
        }
      }
    }
  }

  private HttpRequest request(String method, String path, String credentials) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofMinutes(2))
            .method(
                method,
                method.equals("POST")
                    ? HttpRequest.BodyPublishers.ofString("x".repeat(100_000))
                    : HttpRequest.BodyPublishers.noBody());
    if (!credentials.isEmpty()) {
      request.header(
          "Authorization",
          "Basic "
              + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
    }
    return request.build();
  }
}
