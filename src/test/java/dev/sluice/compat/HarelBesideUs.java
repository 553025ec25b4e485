package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Python and we publish to the same groups and take from them, and both die at times. */
final class HarelBesideUs implements AutoCloseable {
  private static final int SCALE = Math.max(1, Integer.getInteger("sluice.test.scale", 1));
  private static final int MESSAGES = 150 * SCALE;
  private static final int GROUPS = 12;
  private static final int VISIBILITY = 3;
  private static final long PAUSE_NANOS = 50_000_000;
  private static final int LIVES = 2 * SCALE;

  private final HarelTables tables;
  private final PeerHistory history = new PeerHistory(VISIBILITY);
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicInteger kills = new AtomicInteger();
  private final AtomicInteger replaced = new AtomicInteger();
  private boolean replacing;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<Integer>> consumers = new ArrayList<>();
  private final List<Future<Integer>> producers = new ArrayList<>();

  HarelBesideUs(HarelTables tables) {
    this.tables = tables;
  }

  /**
   * What came of it.
   *
   * @param stranded how often a group was seen that nobody could claim
   * @param longest how long one stayed so
   */
  record Outcome(int stranded, Duration longest) {}

  /** Works until all that was published is gone, and checks what everybody saw. */
  Outcome run() throws Exception {
    try (StrandedGroups stranded = tables.watchStranded()) {
      start();
      for (Future<Integer> producer : producers) {
        producer.get();
      }
      produceUntilSomethingIsProved();
      await(() -> tables.waiting() == 0);
      over.set(true);
      int forgotten = 0;
      for (Future<Integer> consumer : consumers) {
        forgotten += consumer.get();
      }
      check();
      Outcome outcome = new Outcome(stranded.episodes(), stranded.longest());
      print(outcome, forgotten);
      return outcome;
    }
  }

  /** However late Python starts: until a worker of its was killed, and what else is to happen. */
  private void produceUntilSomethingIsProved() {
    long patience = System.nanoTime() + Patience.LONGEST.toNanos();
    for (int round = 0; !isProved() && System.nanoTime() < patience; round++) {
      new HarelSession("more" + round, tables.queue(), Duration.ofSeconds(VISIBILITY))
          .produce(history, MESSAGES, GROUPS);
    }
  }

  private boolean isProved() {
    return kills.get() > 0 && (!replacing || replaced.get() > 1);
  }

  private void start() {
    consumers.add(threads.submit(() -> work("blocking", 1, "--tasks", "0")));
    consumers.add(threads.submit(() -> work("async", 2, "--tasks", "4")));
    for (String name : List.of("we-1", "we-2")) {
      consumers.add(threads.submit(() -> session(name).consume(history, over)));
    }
    producers.add(threads.submit(() -> produce("py-blocking", MESSAGES, 3, "--tasks", "0")));
    producers.add(threads.submit(() -> produce("py-async", MESSAGES, 4, "--tasks", "1")));
    producers.add(threads.submit(this::produceAndDie));
    producers.add(threads.submit(() -> session("ours").produce(history, MESSAGES, GROUPS)));
  }

  /** Replaces Python's functions by ours whenever a worker has done the opposite at its start. */
  void replacingFunctions() {
    replacing = true;
    consumers.add(
        threads.submit(
            () -> {
              while (!over.get()) {
                if (!tables.hasOurFunctions()) {
                  tables.replaceFunctions();
                  replaced.incrementAndGet();
                }
                LockSupport.parkNanos(PAUSE_NANOS);
              }
              return 0;
            }));
  }

  int replaced() {
    return replaced.get();
  }

  private HarelSession session(String name) {
    return tables.session(name, Duration.ofSeconds(VISIBILITY));
  }

  private int produce(String name, int messages, int seed, String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(options));
    arguments.addAll(List.of("--name", name, "--seed", Integer.toString(seed)));
    arguments.addAll(List.of("--messages", Integer.toString(messages), "--pause", "0.002"));
    arguments.addAll(List.of("--groups", Integer.toString(GROUPS)));
    try (PeerProcess producer = tables.start("produce", arguments.toArray(String[]::new))) {
      int exitCode = producer.exitCode();
      history.addAll(producer.events());
      return exitCode;
    }
  }

  private int produceAndDie() throws Exception {
    int exitCode = produce("py-mortal", Integer.MAX_VALUE, 5, "--tasks", "0", "--die-after", "0.8");
    assertThat(exitCode).as("a producer was killed").isEqualTo(PeerProcess.KILLED);
    return exitCode;
  }

  /** Consumes, is killed, comes back under another name; the last one is not killed. */
  private int work(String name, int seed, String... options) throws Exception {
    Random random = new Random(seed);
    for (int life = 0; !over.get(); life++) {
      List<String> arguments = new ArrayList<>(List.of(options));
      arguments.addAll(List.of("--name", name + life, "--visibility", "" + VISIBILITY));
      arguments.addAll(List.of("--nack-rate", "0.15", "--max-delay", "0.3", "--pause", "0.003"));
      arguments.addAll(List.of("--seed", Integer.toString(life)));
      if (life < LIVES) {
        arguments.addAll(List.of("--die-after", Double.toString(0.2 + random.nextDouble())));
      }
      work(name, arguments);
    }
    return 0;
  }

  private void work(String name, List<String> arguments) throws Exception {
    try (PeerProcess worker = tables.start("work", arguments.toArray(String[]::new))) {
      await(() -> over.get() || !worker.runs());
      worker.terminate();
      int exitCode = worker.exitCode();
      assertThat(exitCode)
          .as("exit code of %s: %s", name, worker.errors())
          .isIn(0, PeerProcess.KILLED, PeerProcess.TERMINATED);
      kills.addAndGet(exitCode == PeerProcess.KILLED ? 1 : 0);
      history.addAll(worker.events());
    }
  }

  private static void await(Callable<Boolean> condition) {
    Patience.await()
        .atMost(Patience.LONGEST.multipliedBy(SCALE))
        .pollInterval(Duration.ofMillis(20))
        .until(condition);
  }

  private void check() {
    history.oneIsInFlightPerGroup();
    history.orderHolds();
    history.nothingIsLostOrDoubled(1);
    assertThat(kills.get()).as("killed Python workers, or nothing is proved").isPositive();
  }

  private void print(Outcome outcome, int forgotten) {
    System.out.printf(
        "beside %s: %,d published, %,d claims, %,d acks, %d workers of Python killed, %d claims of"
            + " ours forgotten, %d claims left; stranded %d times, at most %d ms%n",
        tables.harel(),
        history.count("publish"),
        history.count("claim"),
        history.count("ack"),
        kills.get(),
        forgotten,
        history.left(),
        outcome.stranded(),
        outcome.longest().toMillis());
  }

  @Override
  public void close() {
    over.set(true);
    threads.shutdownNow();
  }
}
