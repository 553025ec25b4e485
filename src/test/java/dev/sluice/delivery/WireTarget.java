package dev.sluice.delivery;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A target that keeps each request as it came over the wire, and answers with given bytes. */
final class WireTarget implements AutoCloseable {
  /** In place of an answer: the connection is reset. */
  static final String RESET = "reset";

  private static final Pattern LENGTH = Pattern.compile("(?i)content-length: (\\d+)");

  private final ServerSocket server;
  private final List<String> answers;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicInteger ended = new AtomicInteger();

  /** Answers in this order; the last one again and again. */
  WireTarget(String... answers) throws IOException {
    this.answers = List.of(answers);
    server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    startDaemon(this::accept);
  }

  static String answer(int status, String body) {
    return "HTTP/1.1 " + status + " X\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
  }

  String url(String path) {
    return "http://127.0.0.1:" + port() + path;
  }

  int port() {
    return server.getLocalPort();
  }

  /** Head and body of each request so far. */
  List<String> requests() {
    return requests;
  }

  int connections() {
    return sockets.size();
  }

  /** How many connections the client has ended. */
  int ended() {
    return ended.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        sockets.add(socket);
        startDaemon(() -> serve(socket));
      }
    } catch (IOException e) {
      // The server was closed.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      for (String request = read(socket); !request.isEmpty(); request = read(socket)) {
        String answer;
        synchronized (this) {
          answer = answers.get(Math.min(requests.size(), answers.size() - 1));
          requests.add(request);
        }
        if (answer.equals(RESET)) {
          socket.setSoLinger(true, 0);
          return;
        }
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
      }
      ended.incrementAndGet();
    } catch (IOException e) {
      ended.incrementAndGet();
    }
  }

  /** The next request, or nothing at the end of the connection. */
  private static String read(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    String head = "";
    while (!head.endsWith("\r\n\r\n")) {
      int b = in.read();
      if (b < 0) {
        return "";
      }
      request.write(b);
      head = request.toString(StandardCharsets.ISO_8859_1);
    }
    Matcher length = LENGTH.matcher(head);
    if (length.find()) {
      request.write(in.readNBytes(Integer.parseInt(length.group(1))));
    }
    return request.toString(StandardCharsets.UTF_8);
  }

  private static void startDaemon(Runnable task) {
    Thread thread = new Thread(task, "wire-target");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
