package dev.sluice.delivery;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A target that sees every byte of a request and answers with whatever bytes a test wants. */
final class RawTarget implements AutoCloseable {

  /** What a test does with a request. */
  interface Script {
    void answer(Socket connection, int request) throws IOException;
  }

  private final ServerSocket listener;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Socket> connections = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final AtomicInteger answered = new AtomicInteger();
  private final Script script;

  RawTarget(Script script) throws IOException {
    this.script = script;
    listener = new ServerSocket(0, 200, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
    threads.execute(this::accept);
  }

  /** A target that always answers with these bytes, on a connection that stays open. */
  static RawTarget answering(String answer) throws IOException {
    return new RawTarget((connection, request) -> send(connection, answer));
  }

  static void send(Socket connection, String bytes) throws IOException {
    connection.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    connection.getOutputStream().flush();
  }

  int port() {
    return listener.getLocalPort();
  }

  String url(String path) {
    return "http://127.0.0.1:" + port() + path;
  }

  /** What came in, head and body, a byte per char. */
  List<String> requests() {
    return requests;
  }

  int connections() {
    return connections.size();
  }

  private void accept() {
    try {
      while (true) {
        Socket connection = listener.accept();
        connection.setTcpNoDelay(true);
        connections.add(connection);
        threads.execute(() -> serve(connection));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      InputStream in = new BufferedInputStream(connection.getInputStream());
      for (String request = read(in); !request.isEmpty(); request = read(in)) {
        requests.add(request);
        script.answer(connection, answered.incrementAndGet());
      }
    } catch (IOException e) {
      // The client went away, or the script did.
    }
  }

  private static String read(InputStream in) throws IOException {
    StringBuilder request = new StringBuilder();
    while (request.indexOf("\r\n\r\n") < 0) {
      int b = in.read();
      if (b < 0) {
        return "";
      }
      request.append((char) b);
    }
    byte[] body = in.readNBytes(contentLength(request.toString()));
    return request.append(new String(body, StandardCharsets.ISO_8859_1)).toString();
  }

  private static int contentLength(String head) {
    return head.lines()
        .map(line -> line.toLowerCase(Locale.ROOT))
        .filter(line -> line.startsWith("content-length: "))
        .mapToInt(line -> Integer.parseInt(line.substring("content-length: ".length())))
        .findFirst()
        .orElse(0);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket connection : connections) {
      connection.close();
    }
    threads.shutdownNow();
  }
}
