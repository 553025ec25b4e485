package dev.sluice.queue.harel;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.UUID;

/** Makes lease tokens as Python workers do: {@code <worker>:<uuid hex>}. Thread-safe. */
final class Tokens {
  private final String worker;

  Tokens(String worker) {
    if (worker.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("worker: must not hold a NUL character");
    }
    this.worker = worker;
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
