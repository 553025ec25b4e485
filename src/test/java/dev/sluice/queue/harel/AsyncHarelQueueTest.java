package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Delivery;
import dev.sluice.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AsyncHarelQueueTest {
  private final ExecutorService threads = Executors.newFixedThreadPool(2);
  private TestDatabase database;
  private HarelQueue queue;
  private AsyncHarelQueue async;

  @BeforeEach
  void open() {
    database = TestDatabase.fresh();
    queue = HarelQueue.builder(database.dataSource()).eventTarget("http://target.example/").build();
    queue.initSchema();
    async = AsyncHarelQueue.of(queue, threads);
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    database.close();
  }

  @Test
  void itDoesWhatTheBlockingOneDoes() {
    List<Long> seqs =
        async
            .publishEvents(List.of(new Event("a", "{}", 0), new Event("b", "{}", 3)))
            .toCompletableFuture()
            .join();

    List<Delivery> urgent = async.poll(10, 3).toCompletableFuture().join().deliveries();

    assertThat(seqs).hasSize(2);
    assertThat(urgent).extracting(Delivery::claimGroup).containsExactly("b");
    async.ack(urgent.get(0).receipt()).toCompletableFuture().join();
    assertThat(async.metrics().toCompletableFuture().join().total()).isOne();
  }

  @Test
  void aCallThatIsCancelledBeforeItBeginsNeverReachesTheDatabase() {
    List<Runnable> waiting = new ArrayList<>();
    AsyncHarelQueue held = AsyncHarelQueue.of(queue, waiting::add);
    CompletableFuture<List<Long>> publish =
        held.publishEvents(List.of(new Event("a", "{}", 0))).toCompletableFuture();

    publish.cancel(true);
    waiting.forEach(Runnable::run);

    assertThat(queue.metrics().total()).isZero();
  }
}
