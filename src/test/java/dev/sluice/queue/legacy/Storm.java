package dev.sluice.queue.legacy;

import dev.sluice.model.LegacyRow;
import dev.sluice.model.LegacyTable;
import dev.sluice.model.RandomTable;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Rejection;
import dev.sluice.queue.Return;
import dev.sluice.queue.legacy.History.Settlement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Sessions that do random things to one queue at the same time, and the history of it. */
final class Storm {
  private static final int LOADED = 120;
  private static final int STEPS = 100;
  private static final List<String> GROUPS = List.of("g", "h", "i", "G", "", "m3");

  private final Arena arena;
  private final long seed;
  private final boolean clockMoves;
  private final boolean farBack;
  private final AtomicLong now = new AtomicLong(RandomTable.NOON);
  private final History history = new History(now::get);
  private final List<Receipt> everyReceipt = new CopyOnWriteArrayList<>();
  private final Map<String, Integer> receivesBefore = new HashMap<>();

  /**
   * @param farBack whether producers date rows back further than by a few seconds
   */
  Storm(Arena arena, long seed, boolean clockMoves, boolean farBack) {
    this.arena = arena;
    this.seed = seed;
    this.clockMoves = clockMoves;
    this.farBack = farBack;
  }

  long now() {
    return now.get();
  }

  /** How long a claim holds: past the end where the clock stands, else for a few of its steps. */
  Duration visibility() {
    return Duration.ofSeconds(clockMoves ? 2 : 30);
  }

  /** Fills the table with messages of a few groups, many created in the same second. */
  void load() throws SQLException {
    Random random = new Random(seed);
    List<LegacyRow> rows = new ArrayList<>();
    for (int i = 0; i < LOADED; i++) {
      String id = (random.nextBoolean() ? "m" : "M") + i;
      String group = random.nextInt(5) == 0 ? null : GROUPS.get(random.nextInt(GROUPS.size()));
      Integer receives = random.nextInt(5) == 0 ? null : random.nextInt(3);
      long created = RandomTable.NOON - random.nextInt(4);
      rows.add(
          new LegacyRow(
              RandomTable.QUEUE,
              id,
              group,
              null,
              created,
              LegacyRow.WELL_FORMED,
              created,
              receives));
      receivesBefore.put(id, receives == null ? 0 : receives);
      history.there(id, group == null ? id : group, created);
    }
    LegacyTable.clear(arena.own());
    LegacyTable.load(arena.own(), rows);
  }

  /** Runs one thread for each queue. */
  void rage(List<Queue> sessions) throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(sessions.size());
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < sessions.size(); i++) {
        Session session = new Session(i, sessions.get(i));
        running.add(threads.submit(session::live));
      }
      for (Future<?> session : running) {
        session.get();
      }
    } catch (ExecutionException e) {
      throw new AssertionError("a session failed", e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  /** Long after everything has lapsed and every delay is over, acks all that is left. */
  void drain(Queue queue) {
    now.addAndGet(1_000_000);
    while (true) {
      PollResult polled = history.poll(() -> queue.poll(50));
      List<Delivery> rest = polled.deliveries();
      if (rest.isEmpty() && !polled.inDoubt()) {
        return;
      }
      history.settle(
          Settlement.ACK, rest.stream().map(Delivery::receipt).toList(), 0, queue::ackBatch);
    }
  }

  History history() {
    return history;
  }

  Map<String, Integer> receivesBefore() {
    return receivesBefore;
  }

  /** One of the sessions. */
  private final class Session {
    private final int number;
    private final Queue queue;
    private final Random random;
    private final List<Receipt> held = new ArrayList<>();

    private Session(int number, Queue queue) {
      this.number = number;
      this.queue = queue;
      this.random = new Random(seed * 31 + number);
    }

    private void live() {
      for (int step = 0; step < STEPS; step++) {
        step(step);
        if (clockMoves && number == 0 && step % 10 == 0) {
          now.incrementAndGet();
        }
      }
    }

    private void step(int step) {
      int dice = random.nextInt(100);
      if (held.isEmpty() || dice < 35) {
        poll();
      } else if (dice < 55) {
        history.settle(Settlement.ACK, someHeld(), 0, queue::ackBatch);
      } else if (dice < 73) {
        handBack();
      } else if (dice < 76) {
        history.settle(Settlement.REJECT, someHeld(), 0, r -> queue.rejectBatch(rejections(r)));
      } else if (dice < 86) {
        extend();
      } else if (dice < 91) {
        ackAnybodysClaim();
      } else if (dice < 95) {
        publish(step);
      } else {
        publishDatedBack(step);
      }
    }

    private void poll() {
      history
          .poll(() -> queue.poll(1 + random.nextInt(6)))
          .deliveries()
          .forEach(
              delivery -> {
                held.add(delivery.receipt());
                everyReceipt.add(delivery.receipt());
              });
    }

    private void handBack() {
      Duration delay = Duration.ofSeconds(random.nextInt(3) == 0 ? 1 : 0);
      boolean failed = random.nextBoolean();
      history.settle(
          Settlement.HAND_BACK,
          someHeld(),
          0,
          receipts -> {
            List<Return> returns = receipts.stream().map(r -> new Return(r, delay)).toList();
            return failed ? queue.nackBatch(returns) : queue.deferBatch(returns);
          });
    }

    private void extend() {
      List<Receipt> all = List.copyOf(held);
      Duration lease = visibility();
      history.settle(
          Settlement.EXTEND, all, lease.toSeconds(), r -> queue.extendVisibility(r, lease));
    }

    private void ackAnybodysClaim() {
      Receipt receipt = everyReceipt.get(random.nextInt(everyReceipt.size()));
      history.settle(Settlement.ACK, List.of(receipt), 0, queue::ackBatch);
    }

    private void publish(int step) {
      String id = (random.nextBoolean() ? "m" : "M") + "-" + number + "-" + step;
      boolean grouped = random.nextInt(4) > 0;
      String group = GROUPS.get(random.nextInt(GROUPS.size()));
      Message message = Message.of(id, "https://t.example/hook");
      history.publish(
          id,
          grouped ? group : id,
          () -> queue.publish(grouped ? message.withGroup(group) : message));
    }

    /** As a producer does whose clock is behind, or who commits late. */
    private void publishDatedBack(int step) {
      String id = "back-" + number + "-" + step;
      String group = GROUPS.get(random.nextInt(GROUPS.size()));
      long created =
          farBack ? RandomTable.NOON - 10 - random.nextInt(100) : now() - random.nextInt(3);
      LegacyRow row =
          new LegacyRow(
              RandomTable.QUEUE, id, group, null, created, LegacyRow.WELL_FORMED, created, 0);
      history.publish(id, group, () -> insert(row));
    }

    private void insert(LegacyRow row) {
      try (Connection connection = arena.dataSource().getConnection()) {
        LegacyTable.load(connection, List.of(row));
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    private List<Receipt> someHeld() {
      List<Receipt> some = new ArrayList<>();
      int count = 1 + random.nextInt(Math.min(4, held.size()));
      for (int i = 0; i < count; i++) {
        some.add(held.remove(random.nextInt(held.size())));
      }
      return some;
    }

    private List<Rejection> rejections(Iterable<Receipt> receipts) {
      List<Rejection> rejections = new ArrayList<>();
      receipts.forEach(receipt -> rejections.add(new Rejection(receipt, "of the storm")));
      return rejections;
    }
  }
}
