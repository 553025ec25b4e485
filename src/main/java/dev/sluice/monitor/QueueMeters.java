package dev.sluice.monitor;

import dev.sluice.router.RouterListener.End;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.stream.Stream;

/** What is counted of one queue. Safe for use by many threads. */
record QueueMeters(
    Counter received, Counter acked, Counter nacked, Counter deferred, Counter quarantined) {

  static QueueMeters of(String queue, MeterRegistry registry) {
    return new QueueMeters(
        Counter.builder("fc.consumer.messages.received")
            .description("Messages that polls brought in.")
            .tag("consumer", queue)
            .register(registry),
        settled(queue, "acked", registry),
        settled(queue, "nacked", registry),
        settled(queue, "deferred", registry),
        Counter.builder("sluice.quarantined")
            .description("Messages that were moved to quarantine.")
            .tag("queue", queue)
            .register(registry));
  }

  private static Counter settled(String queue, String outcome, MeterRegistry registry) {
    return Counter.builder("fc.queue.messages")
        .description("Claims that ended in the database, by how.")
        .tag("queue", queue)
        .tag("outcome", outcome)
        .register(registry);
  }

  Counter settled(End end) {
    return switch (end) {
      case ACKED -> acked;
      case NACKED -> nacked;
      case DEFERRED -> deferred;
      case REJECTED -> quarantined;
    };
  }

  void remove(MeterRegistry registry) {
    Stream.of(received, acked, nacked, deferred, quarantined).forEach(registry::remove);
  }
}
