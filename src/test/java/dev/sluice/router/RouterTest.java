package dev.sluice.router;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.sluice.delivery.Mediator;
import dev.sluice.delivery.Outcome;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.DispatchMode;
import dev.sluice.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The router on its real threads; what it decides is in {@link RouterCoreTest}. */
@Timeout(300)
class RouterTest {
  private static final Duration VISIBILITY = Duration.ofMinutes(2);

  private final SystemTime time = new SystemTime();
  private final FakeQueue queue = new FakeQueue(time, VISIBILITY);
  private final ExecutorService targets = Executors.newFixedThreadPool(4);
  private final Map<String, List<String>> seen = new ConcurrentHashMap<>();

  @AfterEach
  void end() {
    targets.shutdownNow();
    time.close();
  }

  private Mediator target(Function<Delivery, Outcome> answer) {
    return delivery ->
        CompletableFuture.supplyAsync(
            () -> {
              String group = delivery.message().messageGroupId().orElse("");
              seen.computeIfAbsent(group, g -> new CopyOnWriteArrayList<>())
                  .add(delivery.brokerId());
              return answer.apply(delivery);
            },
            targets);
  }

  @Test
  void aDrainDeliversAllInGroupOrderAndReportsIt() {
    for (int i = 0; i < 5_000; i++) {
      queue.put(String.format("m%05d", i), "g" + i % 100, DispatchMode.NEXT_ON_ERROR);
    }

    RouterReport report =
        Router.builder(target(d -> new Outcome.Delivered()), time)
            .queue(queue, RoutedQueue.DEFAULT_VISIBILITY)
            .build()
            .drain();

    assertThat(report.queue()).isEqualTo("orders");
    assertThat(report.progress()).isEqualTo(new RouterProgress(5_000, 5_000, 0, 0, 0, 0));
    assertThat(report.remaining()).isZero();
    assertThat(report.perSecond()).isPositive();
    assertThat(seen).hasSize(100);
    assertThat(seen.values()).allSatisfy(ids -> assertThat(ids).hasSize(50).isSorted());
  }

  @Test
  void aMediatorThatThrowsDoesNotStopTheRouter() {
    queue.put("bad", "g", DispatchMode.NEXT_ON_ERROR);
    queue.put("good", "h", DispatchMode.NEXT_ON_ERROR);
    Mediator ok = target(d -> new Outcome.Delivered());
    Mediator mediator =
        delivery -> {
          if (delivery.brokerId().equals("bad")) {
            throw new IllegalStateException("bug");
          }
          return ok.deliver(delivery);
        };

    Router router =
        Router.builder(mediator, time).queue(queue, RoutedQueue.DEFAULT_VISIBILITY).build();
    router.start();
    await().untilAsserted(() -> assertThat(router.progress().delivered()).isEqualTo(1));
    router.stop();

    assertThat(queue.rows()).singleElement().asString().startsWith("bad delayed ");
  }

  @Test
  void aDrainThatIsStoppedEndsCleanly() throws Exception {
    CompletableFuture<Outcome> answer = new CompletableFuture<>();
    queue.put("a", "g", DispatchMode.NEXT_ON_ERROR);
    queue.put("b", "g", DispatchMode.NEXT_ON_ERROR);
    Router router =
        Router.builder(d -> answer, time).queue(queue, RoutedQueue.DEFAULT_VISIBILITY).build();
    CompletableFuture<RouterReport> report = CompletableFuture.supplyAsync(router::drain);
    await().until(() -> router.progress().polled() == 2);

    CompletableFuture<Void> stop = CompletableFuture.runAsync(router::stop);
    answer.complete(new Outcome.Delivered());
    stop.get();

    assertThat(report.get().remaining()).isLessThanOrEqualTo(1);
    assertThat(report.get().progress().delivered()).isPositive();
  }

  @Test
  void aDrainWhoseThreadIsInterruptedEndsCleanly() throws Exception {
    queue.put("a", "g", DispatchMode.NEXT_ON_ERROR);
    RouterOptions options = RouterOptions.DEFAULTS.withDrainTime(Duration.ofMillis(50));
    Router router =
        Router.builder(d -> new CompletableFuture<>(), time)
            .queue(queue, RoutedQueue.DEFAULT_VISIBILITY)
            .options(options)
            .build();
    CompletableFuture<RouterReport> report = new CompletableFuture<>();
    Thread caller = new Thread(() -> report.complete(router.drain()));
    caller.start();
    await().until(() -> router.progress().polled() == 1);

    caller.interrupt();

    assertThat(report.get().remaining()).isEqualTo(1);
  }

  @Test
  void aRouterRunsOnce() {
    Router router =
        Router.builder(target(d -> new Outcome.Delivered()), time)
            .queue(queue, RoutedQueue.DEFAULT_VISIBILITY)
            .build();
    router.start();

    assertThatIllegalStateException().isThrownBy(router::start);

    router.stop();
    router.stop();
    router.awaitStopped();
    assertThatIllegalStateException().isThrownBy(router::drain);
  }

  @Test
  void aRouterThatNeverStartedCanBeStopped() {
    Router router =
        Router.builder(target(d -> new Outcome.Delivered()), time)
            .queue(queue, RoutedQueue.DEFAULT_VISIBILITY)
            .build();

    router.close();

    assertThat(queue.log()).isEmpty();
  }

  @Test
  void aNegativeWaitIsRefused() {
    Router router =
        Router.builder(target(d -> new Outcome.Delivered()), time)
            .queue(queue, RoutedQueue.DEFAULT_VISIBILITY)
            .build();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> router.drain(Duration.ofSeconds(-1)))
        .withMessageContaining("wait");
    router.close();
  }
}
