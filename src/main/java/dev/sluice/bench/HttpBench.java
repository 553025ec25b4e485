package dev.sluice.bench;

import dev.sluice.bench.Contest.Entrant;
import dev.sluice.delivery.HttpMediator;
import dev.sluice.delivery.HttpOptions;
import dev.sluice.delivery.Mediator;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.Router;
import dev.sluice.time.SystemTime;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Whole routers, with an HTTP target in this process. */
final class HttpBench {
  private static final int WORKERS = 64;
  private static final long MOST_ROWS = 100_000;
  private static final int IDLE_MESSAGES = 5;
  private static final long IDLE_MILLIS = 200;
  private static final long LATEST_SECONDS = 30;

  private final Contest contest;
  private final Consumer<String> progress;

  HttpBench(Contest contest, Consumer<String> progress) {
    this.contest = contest;
    this.progress = progress;
  }

  /** Drains a table; of more than 100,000 rows only so many. */
  void throughput(long rows, LegacyTable table, Consumer<List<Result>> results)
      throws SQLException {
    long messages = Math.min(rows, MOST_ROWS);
    progress.accept("%s, %s, %,d rows".formatted(Operation.HTTP, LegacyShape.GROUPS, messages));
    try (BenchTarget target = new BenchTarget(() -> {})) {
      results.accept(
          contest.hold(
              Operation.HTTP,
              LegacyShape.GROUPS.label(),
              messages,
              List.of(
                  new Entrant(Entrants.OURS, () -> drain(table, messages, target)),
                  new Entrant(Entrants.BARE, () -> generate(messages, target)))));
    }
  }

  private static double drain(LegacyTable table, long messages, BenchTarget target)
      throws SQLException {
    table.fill(LegacyShape.GROUPS, messages, target.url());
    try (SystemTime time = new SystemTime();
        HttpMediator mediator = new HttpMediator(time, HttpOptions.DEFAULT);
        Router router = router(mediator, time, table)) {
      long began = System.nanoTime();
      router.drain();
      return Contest.secondsSince(began) / messages;
    }
  }

  private static Router router(Mediator mediator, SystemTime time, LegacyTable table) {
    return Router.builder(mediator, time)
        .pool(PoolSettings.of(PoolSettings.DEFAULT_CODE, WORKERS))
        .queue(table.queue(), Scratch.VISIBILITY)
        .build();
  }

  /** The same client and the same calls without a queue. */
  private static double generate(long messages, BenchTarget target) {
    Delivery delivery = delivery(Message.of("0000000000000", target.url()));
    Semaphore free = new Semaphore(WORKERS);
    try (SystemTime time = new SystemTime();
        HttpMediator mediator = new HttpMediator(time, HttpOptions.DEFAULT)) {
      long began = System.nanoTime();
      for (long i = 0; i < messages; i++) {
        free.acquireUninterruptibly();
        var unused = mediator.deliver(delivery).whenComplete((outcome, failure) -> free.release());
      }
      free.acquireUninterruptibly(WORKERS);
      return Contest.secondsSince(began) / messages;
    }
  }

  private static Delivery delivery(Message message) {
    return new Delivery(
        message,
        Delivery.Kind.MESSAGE,
        MessageJson.write(message),
        new Receipt("none"),
        message.id(),
        Scratch.QUEUE,
        message.id(),
        1,
        Instant.EPOCH,
        Instant.EPOCH);
  }

  /** From publish to delivery by a router that is idle. */
  void latency(long rows, LegacyTable plain, LegacyTable notified, Consumer<List<Result>> results)
      throws SQLException {
    progress.accept("%s, %d messages a run".formatted(Operation.LATENCY, IDLE_MESSAGES));
    notified.queue().admin().createExtra(Extra.NOTIFY);
    try (IdleRouter polling = new IdleRouter(plain);
        IdleRouter woken = new IdleRouter(notified)) {
      results.accept(
          contest.hold(
              Operation.LATENCY,
              LegacyShape.SINGLETONS.label(),
              rows,
              List.of(
                  new Entrant(Entrants.OURS_PLAIN, polling::latency),
                  new Entrant(Entrants.OURS_NOTIFIED, woken::latency))));
    }
  }

  /** A router on an empty table. */
  private static final class IdleRouter implements AutoCloseable {
    private final SynchronousQueue<Long> arrivals = new SynchronousQueue<>();
    private final BenchTarget target = new BenchTarget(this::arrived);
    private final SystemTime time = new SystemTime();
    private final HttpMediator mediator = new HttpMediator(time, HttpOptions.DEFAULT);
    private final LegacyTable table;
    private final Router router;
    private int published;

    IdleRouter(LegacyTable table) throws SQLException {
      this.table = table;
      table.scratch().execute("TRUNCATE queue_messages");
      this.router = router(mediator, time, table);
      router.start();
    }

    private void arrived() {
      long now = System.nanoTime();
      try {
        arrivals.offer(now, LATEST_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** The median of several messages, each published when the router has nothing to do. */
    double latency() {
      double[] seconds = new double[IDLE_MESSAGES];
      try {
        for (int i = 0; i < seconds.length; i++) {
          Thread.sleep(IDLE_MILLIS);
          long began = System.nanoTime();
          table.queue().publish(Message.of("idle-" + published++, target.url()));
          Long arrival = arrivals.poll(LATEST_SECONDS, TimeUnit.SECONDS);
          if (arrival == null) {
            throw new IllegalStateException("a message was not delivered");
          }
          seconds[i] = (arrival - began) / 1e9;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
      Arrays.sort(seconds);
      return seconds[seconds.length / 2];
    }

    @Override
    public void close() {
      router.close();
      mediator.close();
      time.close();
      target.close();
    }
  }
}
