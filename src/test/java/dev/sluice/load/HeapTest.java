package dev.sluice.load;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Message;
import dev.sluice.queue.QueueRow;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.RoutedQueue;
import dev.sluice.router.Router;
import dev.sluice.router.RouterOptions;
import dev.sluice.testing.TestDatabase;
import dev.sluice.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What messages in the buffers cost. */
@Isolated("measures, or starts processes")
class HeapTest {
  private static final int WORKERS = 250;
  private static final int MESSAGES = 10_000 + WORKERS;
  private static final int GROUPS = 2_000;
  private static final long MIB = 1 << 20;

  @Test
  void tenThousandMessagesInTheBuffersCostLessThan50MibOfHeap() throws Exception {
    try (TestDatabase database = TestDatabase.fresh();
        SystemTime time = new SystemTime()) {
      LegacyQueue queue = LegacyQueue.builder(database.dataSource(), "orders").build();
      queue.initSchema();
      queue.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
      publish(queue);
      Router router =
          Router.builder(delivery -> new CompletableFuture<>(), time)
              .options(RouterOptions.DEFAULTS.withDrainTime(Duration.ZERO))
              .pool(PoolSettings.of(PoolSettings.DEFAULT_CODE, WORKERS))
              .queue(queue, RoutedQueue.DEFAULT_VISIBILITY)
              .build();
      long before = usedAfterCollection();
      router.start();
      await().until(() -> router.status().inPipeline() == MESSAGES);
      assertThat(router.status().pools().get(0).buffered()).isEqualTo(MESSAGES - WORKERS);
      long with = usedAfterCollection();

      System.out.printf(
          "%d messages in the buffers cost %.1f MiB of heap%n",
          MESSAGES - WORKERS, (with - before) / (double) MIB);
      assertThat(with - before).isLessThan(50 * MIB);
      router.stop();
    }
  }

  /** Payloads of about 300 bytes, in ordered groups, with secrets. */
  private static void publish(LegacyQueue queue) {
    for (int from = 0; from < MESSAGES; from += 1_000) {
      List<QueueRow> batch = new ArrayList<>();
      for (int i = from; i < Math.min(MESSAGES, from + 1_000); i++) {
        batch.add(
            new QueueRow(
                "orders",
                new Message(
                    "order-2026-11-29-%08d".formatted(i),
                    "",
                    "token-0123456789abcdef0123456789",
                    "secret-0123456789abcdef",
                    "HTTP",
                    "https://shop.example/hooks/orders/created?tenant=4711",
                    "customer-%06d".formatted(i % GROUPS),
                    false,
                    DispatchMode.NEXT_ON_ERROR.name())));
      }
      queue.insertBatch(batch);
    }
  }

  private static long usedAfterCollection() throws InterruptedException {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      Thread.sleep(100);
      Runtime runtime = Runtime.getRuntime();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}
