package dev.sluice.migrate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between a client and PostgreSQL, counts what the client asks for, and cuts the session at
 * a chosen request: before the server gets it, or after the server has done it and before the
 * client learns so. Thread-safe.
 */
final class CutProxy implements AutoCloseable {
  private static final int SSL_REQUEST = 80877103;
  private static final int GSS_REQUEST = 80877104;

  private final String serverHost;
  private final int serverPort;
  private final String uri;
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Scissors scissors;
  private final Runnable whenCut;
  private volatile boolean refusing;

  /**
   * @param uri of the server
   * @param whenCut called when a session has been cut
   */
  CutProxy(String uri, Scissors scissors, Runnable whenCut) throws IOException {
    URI server = URI.create(uri);
    this.serverHost = server.getHost();
    this.serverPort = server.getPort();
    this.scissors = scissors;
    this.whenCut = whenCut;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.uri = uri.replace(":" + serverPort + "/", ":" + listener.getLocalPort() + "/");
    start("accept", this::accept);
  }

  /** The URI that leads through here. */
  String uri() {
    return uri;
  }

  /** Ends all sessions and lets no other in, as for a client that is dead. */
  void refuse() {
    refusing = true;
    sockets.forEach(CutProxy::close);
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, "cut-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        if (refusing) {
          close(client);
        } else {
          new Link(client, new Socket(serverHost, serverPort)).start();
        }
      } catch (IOException e) {
        // Closed, or a server that takes nobody: the client sees its connection end.
      }
    }
  }

  /** One session. */
  private final class Link {
    private final Socket client;
    private final Socket server;
    private volatile boolean silenced;
    private final Map<String, String> prepared = new HashMap<>();
    private String sql = "";

    Link(Socket client, Socket server) throws IOException {
      this.client = client;
      this.server = server;
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      sockets.add(client);
      sockets.add(server);
    }

    void start() {
      CutProxy.start("requests", () -> pump(this::requests));
      CutProxy.start("answers", () -> pump(this::answers));
      if (refusing) {
        end();
      }
    }

    private void pump(Pump pump) {
      try {
        pump.run();
      } catch (IOException e) {
        // One end is gone, and so is the other.
      } finally {
        end();
      }
    }

    private void requests() throws IOException {
      DataInputStream in = buffered(client);
      OutputStream out = server.getOutputStream();
      int code;
      do {
        byte[] first = frame(in, in.readInt(), -1);
        code =
            (first[4] & 0xff) << 24
                | (first[5] & 0xff) << 16
                | (first[6] & 0xff) << 8
                | (first[7] & 0xff);
        out.write(first);
      } while (code == SSL_REQUEST || code == GSS_REQUEST);
      while (true) {
        int type = in.readUnsignedByte();
        byte[] message = frame(in, in.readInt(), type);
        understand(type, message);
        boolean last = asks(type) && scissors.isLast(sql);
        if (last && scissors.cut() == Scissors.Cut.BEFORE) {
          cutNow();
          return;
        }
        silenced |= last;
        out.write(message);
      }
    }

    // Parse tells a statement and its name, Bind the name of the one that is meant.
    private void understand(int type, byte[] message) {
      String[] texts = new String(message, 5, message.length - 5, UTF_8).split("\0", 3);
      if (type == 'Q') {
        sql = texts[0];
      } else if (type == 'P') {
        prepared.put(texts[0], texts[1]);
      } else if (type == 'B') {
        sql = prepared.getOrDefault(texts[1], "");
      }
    }

    private void answers() throws IOException {
      DataInputStream in = buffered(server);
      OutputStream out = client.getOutputStream();
      int type = in.readUnsignedByte();
      out.write(type);
      if (type == 'N') {
        type = in.readUnsignedByte();
        out.write(type);
      }
      byte[] first = frame(in, in.readInt(), -1);
      out.write(first);
      while (true) {
        type = in.readUnsignedByte();
        byte[] message = frame(in, in.readInt(), type);
        if (!silenced) {
          out.write(message);
        } else if (type == 'Z' || type == 'G' || type == 'H') {
          cutNow();
          return;
        }
      }
    }

    // Sync, Query, CopyDone: what the server answers and is ready again after.
    private boolean asks(int type) {
      return type == 'S' || type == 'Q' || type == 'c';
    }

    private DataInputStream buffered(Socket socket) throws IOException {
      return new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    private byte[] frame(DataInputStream in, int length, int type) throws IOException {
      if (length < 4) {
        throw new EOFException("no frame");
      }
      int front = type < 0 ? 0 : 1;
      byte[] frame = new byte[front + length];
      if (front == 1) {
        frame[0] = (byte) type;
      }
      for (int i = 0; i < 4; i++) {
        frame[front + i] = (byte) (length >>> (24 - 8 * i));
      }
      in.readFully(frame, front + 4, length - 4);
      return frame;
    }

    private void cutNow() {
      // First: the client may be done with its failure before this thread goes on.
      scissors.close();
      end();
      whenCut.run();
    }

    private void end() {
      close(client);
      close(server);
      sockets.remove(client);
      sockets.remove(server);
    }
  }

  @FunctionalInterface
  private interface Pump {
    void run() throws IOException;
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed all the same.
    }
  }

  @Override
  public void close() throws IOException {
    refusing = true;
    listener.close();
    sockets.forEach(CutProxy::close);
  }
}
