package dev.sluice.migrate;

import dev.sluice.delivery.Mediator;
import dev.sluice.delivery.Outcome;
import dev.sluice.model.SeedQueue;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Message;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueRow;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.Router;
import dev.sluice.router.RouterOptions;
import dev.sluice.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A producer that goes from one queue to another, routers on both, and what they delivered. */
final class Traffic implements AutoCloseable {
  private static final int PER_BATCH = 10;

  static final int GROUPS = 300;

  /**
   * With so few workers a router holds a hundred messages at most: most groups are not in flight.
   */
  private static final int WORKERS = 4;

  private final SystemTime time = new SystemTime();
  private final List<Router> routers = new ArrayList<>();
  private final java.util.Queue<String> delivered = new ConcurrentLinkedQueue<>();
  private final Map<String, List<String>> published = new TreeMap<>();
  private final List<GoConsumer> goConsumers = new ArrayList<>();
  private final AtomicInteger byGo = new AtomicInteger();
  private final Map<String, Integer> handledByGo = new ConcurrentHashMap<>();
  private final java.util.Queue<String> overlaps = new ConcurrentLinkedQueue<>();
  private int count;

  /** Has a consumer like Go's claim from this queue until the end, each batch for milliseconds. */
  AtomicInteger consumeLikeGo(SeedQueue queue, int millis) {
    goConsumers.add(new GoConsumer(queue, this, millis));
    return byGo;
  }

  void claimedElsewhere(String id) {
    handledByGo.merge(group(id), 1, Integer::sum);
    delivered.add(id);
    byGo.incrementAndGet();
  }

  /** Before it is acked: from then on the group may move. */
  void handledElsewhere(String id) {
    handledByGo.computeIfPresent(group(id), (group, n) -> n == 1 ? null : Integer.valueOf(n - 1));
  }

  /** What a router delivered while the consumer like Go's handled a message of its group. */
  List<String> overlaps() {
    return List.copyOf(overlaps);
  }

  private static String group(String id) {
    return id.substring(0, id.indexOf('-'));
  }

  /** Delivers from this queue until the end, each message in so many milliseconds. */
  AtomicInteger deliverFrom(Queue queue, int millis) {
    AtomicInteger deliveries = new AtomicInteger();
    Executor later = CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
    Mediator mediator =
        delivery -> {
          String id = delivery.message().id();
          delivered.add(id);
          if (handledByGo.containsKey(group(id))) {
            overlaps.add(id);
          }
          deliveries.incrementAndGet();
          return CompletableFuture.supplyAsync(Outcome.Delivered::new, later);
        };
    Router router =
        Router.builder(mediator, time)
            .pool(PoolSettings.of(PoolSettings.DEFAULT_CODE, WORKERS))
            .queue(queue, Duration.ofSeconds(20))
            .options(RouterOptions.DEFAULTS.withBatch(40).withPollInterval(Duration.ofMillis(50)))
            .build();
    router.start();
    routers.add(router);
    return deliveries;
  }

  /** Writes at a rate until it is stopped. */
  private final class Producer {
    private final Queue queue;
    private final int perSecond;
    private final Thread thread = new Thread(this::produce, "producer");
    private volatile boolean stopped;

    Producer(Queue queue, int perSecond) {
      this.queue = queue;
      this.perSecond = perSecond;
      thread.start();
    }

    // The pace of a producer is a part of what is simulated, not a wait for something to happen.
    private void produce() {
      long began = System.nanoTime();
      long written = 0;
      while (!stopped) {
        publish(queue, PER_BATCH);
        written += PER_BATCH;
        long due = began + written * 1_000_000_000L / perSecond;
        LockSupport.parkNanos(due - System.nanoTime());
      }
    }

    void stop() {
      stopped = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** What happens while a producer writes. */
  @FunctionalInterface
  interface Meanwhile {
    void happens() throws Exception;
  }

  /** Has a producer write into this queue for as long as something else happens. */
  void produceInto(Queue queue, int perSecond, Meanwhile meanwhile) throws Exception {
    Producer producer = new Producer(queue, perSecond);
    try {
      meanwhile.happens();
    } finally {
      producer.stop();
    }
  }

  /** Publishes messages of groups in turn; ids ascend, as those of careful producers do. */
  void publish(Queue queue, int messages) {
    List<QueueRow> rows = new ArrayList<>();
    synchronized (published) {
      for (int n = 0; n < messages; n++) {
        String group = "g%03d".formatted(count % GROUPS);
        String id = "%s-%07d".formatted(group, count++);
        published.computeIfAbsent(group, g -> new ArrayList<>()).add(id);
        rows.add(
            new QueueRow(
                queue.identifier(),
                Message.of(id, "https://" + Snapshot.MARK + "/hook")
                    .withGroup(group)
                    .withMode(DispatchMode.NEXT_ON_ERROR)));
      }
    }
    queue.insertBatch(rows);
  }

  int publishedCount() {
    synchronized (published) {
      return count;
    }
  }

  int deliveredCount() {
    return delivered.size();
  }

  Map<String, List<String>> published() {
    synchronized (published) {
      return new TreeMap<>(published);
    }
  }

  /** The ids of each group in the order of their deliveries, repeats included. */
  Map<String, List<String>> deliveredByGroup() {
    Map<String, List<String>> groups = new TreeMap<>();
    delivered.forEach(id -> groups.computeIfAbsent(group(id), g -> new ArrayList<>()).add(id));
    return groups;
  }

  /** The ids that were delivered more than once. */
  Set<String> repeats() {
    Set<String> once = new HashSet<>();
    Set<String> repeats = new HashSet<>();
    delivered.forEach(
        id -> {
          if (!once.add(id)) {
            repeats.add(id);
          }
        });
    return repeats;
  }

  @Override
  public void close() {
    goConsumers.forEach(GoConsumer::close);
    routers.forEach(Router::close);
    time.close();
  }
}
