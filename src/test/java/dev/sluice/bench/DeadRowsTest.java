package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.uri.QueueUri;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A transaction is open elsewhere, so that vacuum removes nothing, while 500 messages a second
 * pass, through ours and through the seed's statements side by side. For some seconds, and with
 * {@code -Dsluice.load.full=true} for ten minutes.
 */
@Isolated("measures, or starts processes")
class DeadRowsTest {
  private static final boolean FULL = Boolean.getBoolean("sluice.load.full");
  private static final Duration TIME = FULL ? Duration.ofMinutes(10) : Duration.ofSeconds(5);
  private static final int AT_ONCE = 10;
  private static final Duration TICK = Duration.ofMillis(20);
  private static final int PARTS = 10;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final String TARGET = "http://127.0.0.1:9/";

  /** One way to take messages out of a table. */
  private interface Way {
    /** Polls ten, acknowledges them, and says how long the poll took. */
    double take(List<String> taken) throws SQLException;
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 1_000})
  void polledMessagesDoNotSlowDownTheNextPolls(int groups) throws Exception {
    try (TestDatabase database = TestDatabase.fresh();
        LegacyTable ours = LegacyTable.create(QueueUri.parse(database.uri()), true);
        LegacyTable seeds = LegacyTable.create(QueueUri.parse(database.uri()), false);
        Connection open = database.connect();
        Connection ofSeed = seeds.scratch().connect()) {
      holdBackVacuum(open);
      SeedLegacy seed = new SeedLegacy(ofSeed, PATIENCE);
      ExecutorService threads = Executors.newFixedThreadPool(2);
      Future<double[]> byOurs = threads.submit(() -> pass(ours, groups, t -> take(ours, t)));
      Future<double[]> bySeed = threads.submit(() -> pass(seeds, groups, t -> take(seed, t)));
      threads.shutdown();

      report("ours", groups, byOurs.get());
      report("seed", groups, bySeed.get());
      double[] medians = byOurs.get();
      if (FULL) {
        assertThat(medians[PARTS - 1]).isLessThan(3 * medians[0]);
      }
    }
  }

  private static void holdBackVacuum(Connection open) throws SQLException {
    open.setAutoCommit(false);
    try (Statement statement = open.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      statement.execute("SELECT count(*) FROM pg_class");
    }
  }

  /** Publishes at its pace and takes as much, and gives the median of the polls of each part. */
  private static double[] pass(LegacyTable table, int groups, Way way) throws SQLException {
    List<List<Double>> polls = new ArrayList<>();
    for (int part = 0; part < PARTS; part++) {
      polls.add(new ArrayList<>());
    }
    List<String> taken = new ArrayList<>();
    IntFunction<Message> message =
        i -> Message.of("%013d".formatted(i), TARGET).withGroup("g" + i % groups);
    int published = 0;
    long began = System.nanoTime();
    for (long tick = 0; tick * TICK.toNanos() < TIME.toNanos(); tick++) {
      long late = System.nanoTime() - began - tick * TICK.toNanos();
      LockSupport.parkNanos(-late);
      if (System.nanoTime() - began > TIME.toNanos()) {
        break;
      }
      List<Message> some = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        some.add(message.apply(published++));
      }
      table.queue().publishBatch(some);
      int part = (int) (PARTS * (System.nanoTime() - began) / TIME.toNanos());
      polls.get(Math.min(PARTS - 1, part)).add(way.take(taken));
    }
    assertThat(taken).doesNotHaveDuplicates();
    return polls.stream()
        .mapToDouble(
            part -> part.stream().sorted().skip(part.size() / 2).findFirst().orElse(Double.NaN))
        .toArray();
  }

  private static double take(LegacyTable table, List<String> taken) {
    long began = System.nanoTime();
    List<Delivery> polled = table.queue().poll(AT_ONCE).deliveries();
    double seconds = Contest.secondsSince(began);
    table.queue().ackBatch(polled.stream().map(Delivery::receipt).toList());
    polled.forEach(delivery -> taken.add(delivery.brokerId()));
    return seconds;
  }

  private static double take(SeedLegacy seed, List<String> taken) throws SQLException {
    long began = System.nanoTime();
    List<Receipt> polled = seed.poll(AT_ONCE);
    double seconds = Contest.secondsSince(began);
    for (Receipt receipt : polled) {
      seed.ack(receipt);
      taken.add(receipt.value());
    }
    return seconds;
  }

  private static void report(String who, int groups, double[] medians) {
    StringBuilder line = new StringBuilder();
    for (double median : medians) {
      line.append(String.format(Locale.ROOT, " %.1f", median * 1e3));
    }
    System.out.printf(
        "dead rows, %d groups, %s: poll's median in each tenth of %d s, ms:%s%n",
        groups, who, TIME.toSeconds(), line);
  }
}
