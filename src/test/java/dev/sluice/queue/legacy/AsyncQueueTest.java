package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.AsyncQueue;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.queue.QueueRow;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Rejection;
import dev.sluice.queue.Return;
import dev.sluice.queue.StaleReceiptException;
import dev.sluice.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class AsyncQueueTest {

  @Test
  void eachOperationDoesWhatItsBlockingTwinDoes() {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (TestDatabase database = TestDatabase.fresh();
        AsyncQueue queue =
            AsyncQueue.of(LegacyQueue.builder(database.dataSource(), "q").build(), threads)) {
      await(queue.initSchema());
      assertThat(await(queue.checkSchema()).usable()).isTrue();
      assertThat(await(queue.publish(message("a")))).isEqualTo("a");
      assertThat(await(queue.publishBatch(List.of(message("b"), message("c")))))
          .containsExactly("b", "c");
      List<QueueRow> rows =
          List.of(
              new QueueRow("q", message("d")),
              new QueueRow("q", message("e")),
              new QueueRow("q", message("f")),
              new QueueRow("q", message("g")));
      assertThat(await(queue.insertBatch(rows))).containsExactly("d", "e", "f", "g");

      List<Receipt> receipts =
          await(queue.poll(10)).deliveries().stream().map(Delivery::receipt).toList();
      assertThat(await(queue.extendVisibility(receipts, Duration.ofMinutes(1)))).isEmpty();
      await(queue.ack(receipts.get(0)));
      assertThat(await(queue.ackBatch(List.of(receipts.get(1))))).isEmpty();
      await(queue.nack(receipts.get(2), Duration.ofHours(1)));
      assertThat(await(queue.nackBatch(List.of(new Return(receipts.get(3), Duration.ofHours(1))))))
          .isEmpty();
      await(queue.defer(receipts.get(4), Duration.ofHours(1)));
      assertThat(await(queue.deferBatch(List.of(new Return(receipts.get(4), Duration.ZERO)))))
          .containsExactly(receipts.get(4));
      assertThat(await(queue.reject(receipts.get(5), "no"))).isTrue();
      assertThat(await(queue.rejectBatch(List.of(new Rejection(receipts.get(6), "no"))))).isEmpty();

      assertThat(await(queue.metrics())).isEqualTo(new QueueMetrics(0, 3, 0, 0, 2));
      assertThat(queue.counters().acked()).isEqualTo(2);
      assertThat(await(queue.healthy())).isTrue();
      assertThat(queue.identifier()).isEqualTo("q");
      assertThat(queue.honoursDelayedReturn()).isTrue();
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aFailureEndsTheStage() {
    try (TestDatabase database = TestDatabase.fresh();
        LegacyQueue blocking = LegacyQueue.builder(database.dataSource(), "q").build()) {
      blocking.initSchema();
      AsyncQueue queue = AsyncQueue.of(blocking, Runnable::run);

      assertThatThrownBy(() -> await(queue.ack(new Receipt("u:none"))))
          .hasCauseInstanceOf(StaleReceiptException.class);
      assertThatThrownBy(() -> await(queue.poll(0)))
          .hasCauseInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aCallCancelledBeforeItBeganNeverReachesTheDatabase() {
    Deque<Runnable> waiting = new ArrayDeque<>();
    try (TestDatabase database = TestDatabase.fresh();
        LegacyQueue blocking = LegacyQueue.builder(database.dataSource(), "q").build()) {
      blocking.initSchema();
      AsyncQueue queue = AsyncQueue.of(blocking, waiting::add);

      queue.publish(message("a")).toCompletableFuture().cancel(false);
      waiting.forEach(Runnable::run);

      assertThat(blocking.metrics().total()).isZero();
    }
  }

  private static Message message(String id) {
    return Message.of(id, "https://t.example/hook");
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
