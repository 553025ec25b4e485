package dev.sluice.queue.harel;

import dev.sluice.queue.jdbc.Texts;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/** Makes lease tokens as Python workers do: {@code <worker>:<uuid hex>}. Thread-safe. */
final class Tokens {
  private final String worker;

  Tokens(String worker) {
    this.worker = Texts.requireNoNul("worker", worker);
  }

  static String defaultWorker() {
    return HarelQueue.WORKER_PREFIX + "-" + host() + "-" + ProcessHandle.current().pid();
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "host";
    }
  }

  String next() {
    return worker + ":" + UUID.randomUUID().toString().replace("-", "");
  }
}
