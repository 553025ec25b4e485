package dev.sluice.monitor;

import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueMetrics;
import java.lang.reflect.Proxy;
import java.util.function.Supplier;

/** A queue that has a name and can be counted, and nothing else. */
final class CountedQueue {
  private CountedQueue() {}

  static Queue of(String name, Supplier<QueueMetrics> metrics) {
    return (Queue)
        Proxy.newProxyInstance(
            Queue.class.getClassLoader(),
            new Class<?>[] {Queue.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "identifier" -> name;
                  case "metrics" -> metrics.get();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
