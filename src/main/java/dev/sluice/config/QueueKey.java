package dev.sluice.config;

import dev.sluice.queue.uri.QueueUri;

/** By what two mentions of a queue are known to be the same. */
record QueueKey(QueueUri uri, String name) {

  static QueueKey of(QueueConfig queue) {
    return new QueueKey(queue.uri(), queue.name());
  }
}
