package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.LegacyTable;
import dev.sluice.model.RandomTable;
import dev.sluice.model.Variant;
import dev.sluice.queue.Message;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.QueueRow;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Rejection;
import dev.sluice.queue.Return;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Statements that touch many rows never deadlock with each other. */
abstract class DeadlockContract extends LegacyContract {
  private static final int SESSIONS = 8;
  private static final int MESSAGES = 60;
  private static final long NANOS = Duration.ofSeconds(1).toNanos();

  @Property(tries = 2, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
  void batchesOverTheSameRowsDoNotDeadlock(@ForAll("variant") Variant variant, @ForAll long seed)
      throws Exception {
    assertThat(failures(arena(variant), seed, false)).isEmpty();
  }

  @Property(tries = 2, shrinking = ShrinkingMode.OFF, edgeCases = EdgeCasesMode.NONE)
  void publishersOfTheSameIdsDoNotDeadlock(@ForAll("variant") Variant variant, @ForAll long seed)
      throws Exception {
    assertThat(failures(arena(variant), seed, true)).isEmpty();
  }

  private static Set<String> failures(Arena arena, long seed, boolean allPublish) throws Exception {
    LegacyTable.clear(arena.own());
    Set<String> failures = ConcurrentHashMap.newKeySet();
    Shared shared = new Shared(failures, System.nanoTime() + NANOS);
    ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < SESSIONS; i++) {
        Queue queue =
            arena.open(RandomTable.QUEUE, () -> RandomTable.NOON, Duration.ofSeconds(30), false);
        Session session = new Session(queue, new Random(seed + i), shared, allPublish || i == 0);
        running.add(threads.submit(session::live));
      }
      for (Future<?> session : running) {
        session.get();
      }
    } finally {
      threads.shutdownNow();
    }
    return failures;
  }

  /** What the sessions have in common: the receipts of all, and what went wrong. */
  private record Shared(Set<String> failures, long deadline, List<Receipt> receipts) {
    Shared(Set<String> failures, long deadline) {
      this(failures, deadline, new ArrayList<>());
    }

    synchronized void add(Receipt receipt) {
      receipts.add(receipt);
      if (receipts.size() > 3 * MESSAGES) {
        receipts.subList(0, MESSAGES).clear();
      }
    }

    synchronized List<Receipt> some(Random random) {
      List<Receipt> some = new ArrayList<>(receipts);
      Collections.shuffle(some, random);
      return List.copyOf(some.subList(0, Math.min(some.size(), 40)));
    }
  }

  private static final class Session {
    private final Queue queue;
    private final Random random;
    private final Shared shared;
    private final boolean publishes;

    private Session(Queue queue, Random random, Shared shared, boolean publishes) {
      this.queue = queue;
      this.random = random;
      this.shared = shared;
      this.publishes = publishes;
    }

    private void live() {
      while (System.nanoTime() < shared.deadline()) {
        try {
          step();
        } catch (QueueException e) {
          shared.failures().add(e.sqlState().orElse("no state") + ": " + e.getMessage());
        }
      }
      queue.close();
    }

    private void step() {
      List<Receipt> some = shared.some(random);
      switch (random.nextInt(publishes ? 8 : 6)) {
        case 0 -> queue.ackBatch(some.subList(0, some.size() / 4));
        case 1 -> queue.nackBatch(returns(some.subList(0, some.size() / 2)));
        case 2 -> queue.deferBatch(returns(some.subList(0, some.size() / 2)));
        case 3 -> queue.rejectBatch(rejections(some.subList(0, some.size() / 8)));
        case 4 -> queue.extendVisibility(some, Duration.ofSeconds(30));
        case 5 -> queue.poll(40).deliveries().forEach(d -> shared.add(d.receipt()));
        default -> queue.insertBatch(rows());
      }
    }

    private static List<Return> returns(List<Receipt> receipts) {
      return receipts.stream().map(receipt -> new Return(receipt, Duration.ZERO)).toList();
    }

    private static List<Rejection> rejections(List<Receipt> receipts) {
      return receipts.stream().map(receipt -> new Rejection(receipt, "in the way")).toList();
    }

    private List<QueueRow> rows() {
      List<QueueRow> rows = new ArrayList<>();
      IntStream.range(0, MESSAGES)
          .mapToObj(n -> Message.of("m" + n, "https://t.example/hook"))
          .forEach(message -> rows.add(new QueueRow(RandomTable.QUEUE, message)));
      Collections.shuffle(rows, random);
      return rows;
    }
  }
}
