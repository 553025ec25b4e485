package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.LegacyTable;
import dev.sluice.queue.legacy.History;
import dev.sluice.queue.legacy.HistoryCheck;
import dev.sluice.testing.Patience;
import dev.sluice.testing.ScaledTries;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Go processes and our sessions write and read one queue at once, ack, hand back with delays,
 * forget what they hold, and crash. All of them note what they did by the clock of this host.
 */
@Isolated("measures, or starts processes")
class GoBesideUsTest {
  private static final int MESSAGES = 400 * ScaledTries.SCALE;
  private static final int VISIBILITY = 2;

  private GoProgram go;
  private Orders orders;

  private final History history =
      new History(() -> Instant.now().getEpochSecond(), GoBesideUsTest::nanos);
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger crashed = new AtomicInteger();

  @BeforeEach
  void createTables() throws Exception {
    go = GoProgram.build();
    orders = new Orders();
  }

  @AfterEach
  void dropDatabase() {
    if (orders != null) {
      orders.close();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nothingIsLostAndNothingOvertakes(boolean indexed) throws Exception {
    if (indexed) {
      orders.index();
    }
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<Integer>> theirs =
          List.of(threads.submit(() -> consume(1)), threads.submit(() -> consume(2)));
      List<Future<Integer>> ours =
          List.of(
              threads.submit(() -> session(3).consume()),
              threads.submit(() -> session(4).consume()));
      produce(threads);
      produceUntilGoCrashed();
      awaitAnEmptyTable();
      over.set(true);
      assertCrashed(sum(theirs), sum(ours));
    } finally {
      over.set(true);
      threads.shutdownNow();
    }
    check();
  }

  private void produce(ExecutorService threads) throws Exception {
    List<Future<Integer>> producers =
        List.of(
            threads.submit(() -> produce("go-one", "1")),
            threads.submit(() -> produce("go-ten", "10")),
            threads.submit(() -> session(5).produce(MESSAGES)));
    for (Future<Integer> producer : producers) {
      producer.get();
    }
  }

  /** However late Go starts and however little we leave to it. */
  private void produceUntilGoCrashed() throws Exception {
    long patience = System.nanoTime() + Patience.LONGEST.toNanos();
    for (int round = 0; crashed.get() == 0 && System.nanoTime() < patience; round++) {
      produce("go-more-" + round, "10");
    }
  }

  private void awaitAnEmptyTable() {
    Patience.await()
        .atMost(Patience.LONGEST.multipliedBy(ScaledTries.SCALE))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> orders.rows().isEmpty());
  }

  private static int sum(List<Future<Integer>> crashes) throws Exception {
    int sum = 0;
    for (Future<Integer> one : crashes) {
      sum += one.get();
    }
    return sum;
  }

  private void assertCrashed(int theirs, int ours) {
    System.out.printf(
        "beside Go: %,d messages, %,d polls, %,d settlements, %d crashes of Go, %d of ours%n",
        history.published().size(),
        history.polls().size(),
        history.settlements().size(),
        theirs,
        ours);
    assertThat(theirs).as("crashes of Go, or nothing is proved").isPositive();
    assertThat(ours).as("our crashes, or nothing is proved").isPositive();
  }

  private void check() throws Exception {
    List<String> ids = history.published().stream().map(History.Published::id).toList();
    HistoryCheck check;
    try (Connection connection = orders.dataSource(1).getConnection()) {
      check = new HistoryCheck(history, LegacyTable.idOrder(connection, ids));
    }
    check.nothingIsLost(Set.of(), Set.of());
    check.eachClaimIsSettledOnce();
    check.everyClaimIsCounted(Map.of(), Map.of());
    check.noMessageHasTwoHolders();
    check.whatIsSettledStaysSettled();
    check.aPollTakesHeads();
    check.nothingOvertakesAWaitingMessage();
    assertThat(orders.failed()).isEmpty();
  }

  private OurSession session(int seed) {
    return new OurSession(orders, history, over, VISIBILITY, new Random(seed));
  }

  private int produce(String prefix, String batch) throws Exception {
    try (GoProcess producer =
        go.start(
            "produce",
            "-uri",
            orders.uri(),
            "-queue",
            Orders.QUEUE,
            "-prefix",
            prefix,
            "-n",
            Integer.toString(MESSAGES / 2),
            "-batch",
            batch,
            "-pause",
            batch.equals("1") ? "5ms" : "50ms",
            "-groups",
            Integer.toString(OurSession.GROUPS))) {
      producer.finish().addTo(history, Orders.QUEUE);
      return 0;
    }
  }

  /** Consumes, dies, comes back; says how often it died. */
  private int consume(int seed) throws Exception {
    int crashes = 0;
    Random random = new Random(seed);
    while (!over.get()) {
      try (GoProcess consumer = startConsumer(random)) {
        Patience.await().atMost(Duration.ofMinutes(10)).until(() -> over.get() || !consumer.runs());
        consumer.terminate();
        int exitCode = consumer.exitCode();
        assertThat(exitCode).isIn(0, GoProcess.CRASHED, GoProcess.STOPPED_WHILE_STARTING);
        if (exitCode == GoProcess.CRASHED) {
          crashes++;
          crashed.incrementAndGet();
        }
        consumer.events().addTo(history, Orders.QUEUE);
      }
    }
    return crashes;
  }

  private GoProcess startConsumer(Random random) throws Exception {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("consume", "-uri", orders.uri(), "-queue", Orders.QUEUE, "-shuffle"));
    arguments.addAll(List.of("-visibility", Integer.toString(VISIBILITY), "-max-delay", "1"));
    arguments.addAll(List.of("-ack-rate", "0.7", "-nack-rate", "0.15", "-defer-rate", "0.1"));
    arguments.addAll(List.of("-crash-after", Integer.toString(20 + random.nextInt(80))));
    arguments.addAll(List.of("-seed", Integer.toString(random.nextInt(1_000))));
    return go.start(arguments.toArray(String[]::new));
  }

  private static long nanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000 + now.getNano();
  }
}
