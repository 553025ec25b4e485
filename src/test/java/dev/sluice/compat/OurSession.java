package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.Queue;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Return;
import dev.sluice.queue.legacy.History;
import dev.sluice.queue.legacy.History.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** One of our sessions beside Go's: what it does is random, and noted. */
final class OurSession {
  /** How many groups all producers share. */
  static final int GROUPS = 20;

  private static final long PAUSE_NANOS = 5_000_000;

  private final Orders orders;
  private final History history;
  private final AtomicBoolean over;
  private final Duration visibility;
  private final Random random;
  private final List<Receipt> held = new ArrayList<>();

  OurSession(
      Orders orders, History history, AtomicBoolean over, int visibilitySeconds, Random random) {
    this.orders = orders;
    this.history = history;
    this.over = over;
    this.visibility = Duration.ofSeconds(visibilitySeconds);
    this.random = random;
  }

  /** Publishes so many messages in small batches; a tenth has no group. */
  int produce(int messages) {
    Queue queue = orders.queue(visibility);
    for (int i = 0; i < messages; i++) {
      String id = "ours-%08d".formatted(i);
      String group = random.nextInt(10) == 0 ? id : "group-%04d".formatted(i % GROUPS);
      Message message = Message.of(id, "https://t.example/hook");
      history.publish(
          id, group, () -> queue.publish(group.equals(id) ? message : message.withGroup(group)));
      pause();
    }
    return 0;
  }

  /** Polls and settles until it is over; says how often it forgot all that it held. */
  int consume() {
    int crashes = 0;
    while (!over.get()) {
      Queue queue = orders.queue(visibility);
      for (int left = 50 + random.nextInt(150); left > 0 && !over.get(); left--) {
        step(queue);
        pause();
      }
      queue.close();
      held.clear();
      crashes++;
    }
    return crashes;
  }

  private void step(Queue queue) {
    int dice = random.nextInt(100);
    if (held.isEmpty() || dice < 30) {
      poll(queue);
    } else if (dice < 75) {
      history.settle(Settlement.ACK, some(), 0, queue::ackBatch);
    } else if (dice < 90) {
      handBack(queue);
    } else {
      history.settle(
          Settlement.EXTEND,
          List.copyOf(held),
          visibility.toSeconds(),
          receipts -> queue.extendVisibility(receipts, visibility));
    }
  }

  private void poll(Queue queue) {
    List<Delivery> deliveries = history.poll(() -> queue.poll(1 + random.nextInt(4))).deliveries();
    assertThat(deliveries)
        .isSortedAccordingTo(
            Comparator.comparing(Delivery::createdAt).thenComparing(Delivery::brokerId));
    deliveries.forEach(delivery -> held.add(delivery.receipt()));
  }

  private void handBack(Queue queue) {
    Duration delay = Duration.ofSeconds(random.nextInt(2));
    boolean failed = random.nextBoolean();
    history.settle(
        Settlement.HAND_BACK,
        some(),
        0,
        receipts -> {
          List<Return> returns = receipts.stream().map(r -> new Return(r, delay)).toList();
          return failed ? queue.nackBatch(returns) : queue.deferBatch(returns);
        });
  }

  private List<Receipt> some() {
    List<Receipt> some = new ArrayList<>();
    for (int left = 1 + random.nextInt(Math.min(4, held.size())); left > 0; left--) {
      some.add(held.remove(random.nextInt(held.size())));
    }
    return some;
  }

  // The tempo of a session, so that Go has its share; nobody waits for what happens in it.
  private static void pause() {
    LockSupport.parkNanos(PAUSE_NANOS);
  }
}
