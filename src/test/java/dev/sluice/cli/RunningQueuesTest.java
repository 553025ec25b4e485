package dev.sluice.cli;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.config.QueueConfig;
import dev.sluice.config.RouterConfig;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.SchemaException;
import dev.sluice.queue.uri.QueueUri;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.RoutedQueue;
import dev.sluice.testing.Patience;
import dev.sluice.time.ManualTime;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RunningQueuesTest {
  private final QueueException down =
      new QueueException("connecting", "db", new SQLException("refused", "08001"));

  private final ManualTime time = new ManualTime(Instant.EPOCH);
  private final Recorder router = new Recorder();
  private final Map<String, RuntimeException> failing = new HashMap<>();
  private final RunningQueues queues = new RunningQueues(router, this::open, time, Runnable::run);

  /** What the router was told, and what became of the queues, in order. */
  private static final class Recorder implements QueueSet {
    final List<String> events = new ArrayList<>();
    final Map<String, CompletableFuture<Void>> held = new HashMap<>();

    @Override
    public void add(RoutedQueue added) {
      events.add("add " + added.queue().identifier() + " " + added.visibility().toSeconds());
    }

    @Override
    public CompletionStage<Void> remove(Queue queue) {
      events.add("remove " + queue.identifier());
      return held.getOrDefault(queue.identifier(), CompletableFuture.completedFuture(null));
    }

    @Override
    public void setPools(List<PoolSettings> pools) {
      events.add("pools " + pools.stream().map(PoolSettings::code).toList());
    }

    List<String> take() {
      List<String> taken = List.copyOf(events);
      events.clear();
      return taken;
    }
  }

  private RunningQueues.Opened open(QueueConfig config) {
    RuntimeException failure = failing.get(config.name());
    if (failure != null) {
      router.events.add("try " + config.name());
      throw failure;
    }
    Queue queue =
        (Queue)
            Proxy.newProxyInstance(
                Queue.class.getClassLoader(),
                new Class<?>[] {Queue.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "identifier" -> config.name();
                      default -> throw new UnsupportedOperationException(method.getName());
                    });
    return new RunningQueues.Opened() {
      @Override
      public Queue queue() {
        return queue;
      }

      @Override
      public void close() {
        router.events.add("close " + config.name());
      }
    };
  }

  private static QueueConfig queue(String name, int seconds) {
    return new QueueConfig(
        name, QueueUri.parse("postgres://app@db/shop"), 1, Duration.ofSeconds(seconds));
  }

  private static RouterConfig config(QueueConfig... queues) {
    return new RouterConfig(List.of(PoolSettings.of("A", 1)), List.of(queues));
  }

  private static RouterConfig named(String... names) {
    return config(Stream.of(names).map(name -> queue(name, 60)).toArray(QueueConfig[]::new));
  }

  private void start(RouterConfig config) {
    queues.start(config, Optional.empty());
  }

  @Test
  void theFirstConfigIsServed() {
    start(config(queue("a", 60), queue("b", 90)));

    assertThat(router.take()).containsExactly("pools [A]", "add a 60", "add b 90");
  }

  @Test
  void whatIsNewIsAddedAndWhatIsGoneIsRemovedAndClosed() {
    start(named("a", "b"));
    router.take();

    queues.apply(named("b", "c"));

    assertThat(router.take()).containsExactly("pools [A]", "remove a", "close a", "add c 60");
  }

  @Test
  void aRemovedQueueIsClosedWhenNothingOfItIsHeld() {
    CompletableFuture<Void> held = new CompletableFuture<>();
    router.held.put("a", held);
    start(named("a", "b"));
    router.take();

    queues.apply(named("b"));
    assertThat(router.take()).containsExactly("pools [A]", "remove a");
    held.complete(null);

    assertThat(router.take()).containsExactly("close a");
  }

  @Test
  void aQueueWhoseSettingsChangeIsOpenedAnewWhenNothingOfTheOldOneIsHeld() {
    CompletableFuture<Void> held = new CompletableFuture<>();
    router.held.put("a", held);
    start(config(queue("a", 60)));
    router.take();

    queues.apply(config(queue("a", 90), queue("b", 60)));
    assertThat(router.take()).containsExactly("pools [A]", "remove a", "add b 60");
    held.complete(null);

    assertThat(router.take()).containsExactly("close a", "add a 90");
  }

  @Test
  void aQueueThatComesBackWhileItLeavesIsOpenedAnew() {
    CompletableFuture<Void> held = new CompletableFuture<>();
    router.held.put("a", held);
    start(named("a", "b"));
    queues.apply(named("b"));
    queues.apply(named("a", "b"));
    router.take();

    held.complete(null);

    assertThat(router.take()).containsExactly("close a", "add a 60");
  }

  @Test
  void aDatabaseThatIsDownHoldsUpNoOtherQueue() {
    failing.put("a", down);

    start(named("a", "b"));

    assertThat(router.take()).containsExactly("pools [A]", "try a", "add b 60");
    time.advance(Duration.ofSeconds(5));
    assertThat(router.take()).containsExactly("try a");
    failing.clear();
    time.advance(Duration.ofSeconds(5));
    assertThat(router.take()).containsExactly("add a 60");
    assertThat(time.waiting()).isEmpty();
  }

  @Test
  void aWrongSchemaAtTheStartIsTheEnd() {
    failing.put("b", new SchemaException(List.of("table queue_messages does not exist")));

    assertThatThrownBy(() -> start(named("a", "b")))
        .isInstanceOfSatisfying(CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(3))
        .hasMessage("queue 'b': table queue_messages does not exist");
  }

  @Test
  void aWrongSchemaLaterHoldsUpNoOtherQueueAndIsLookedAtAgain() {
    start(named("a"));
    failing.put("b", new SchemaException(List.of("table queue_messages does not exist")));
    router.take();

    queues.apply(named("a", "b", "c"));

    assertThat(router.take()).containsExactly("pools [A]", "try b", "add c 60");
    failing.clear();
    time.advance(Duration.ofMinutes(1));
    assertThat(router.take()).containsExactly("add b 60");
  }

  @Test
  void aQueueThatWaitedForItsDatabaseAndIsGoneIsNotOpened() {
    failing.put("a", down);
    start(named("a", "b"));
    queues.apply(named("b"));
    router.take();
    failing.clear();

    time.advance(Duration.ofMinutes(1));

    assertThat(router.take()).isEmpty();
    assertThat(time.waiting()).isEmpty();
  }

  @Test
  void withAPatienceEveryDatabaseIsWaitedForAndNoLonger() throws Exception {
    failing.put("a", down);
    CompletableFuture<Void> started =
        CompletableFuture.runAsync(
            () -> queues.start(named("a", "b"), Optional.of(Duration.ofSeconds(12))));
    await().until(() -> time.waiting().size() == 2);

    time.advance(Duration.ofMillis(11_999));
    assertThat(started).isNotDone();
    time.advance(Duration.ofMillis(1));

    assertThatThrownBy(started::join)
        .hasRootCauseMessage("refused")
        .hasMessageContaining(
            "queue 'a': no connection to postgres://app@db/shop: refused; check that PostgreSQL runs"
                + " there, and the host and port in queueUri");
  }

  @Test
  void aWrongSchemaIsToldBeforeThePatienceIsOver() {
    failing.put("a", down);
    failing.put("b", new SchemaException(List.of("table queue_messages does not exist")));

    assertThatThrownBy(() -> queues.start(named("a", "b"), Optional.of(Duration.ofHours(1))))
        .hasMessage("queue 'b': table queue_messages does not exist");
  }

  @Test
  void aQueueThatTheNextConfigLeavesOutIsNotWaitedFor() {
    failing.put("a", down);
    CompletableFuture<Void> started =
        CompletableFuture.runAsync(
            () -> queues.start(named("a", "b"), Optional.of(Duration.ofHours(1))));
    await().until(() -> time.waiting().size() == 2);

    queues.apply(named("b"));

    assertThat(started).succeedsWithin(Patience.LONGEST);
  }

  @Test
  void atTheEndAllAreClosedAndNothingIsTriedAgain() {
    router.held.put("a", new CompletableFuture<>());
    failing.put("c", down);
    start(named("a", "b", "c"));
    queues.apply(named("b", "c"));
    router.take();

    queues.close();

    assertThat(router.take()).containsExactlyInAnyOrder("close a", "close b");
    assertThat(time.waiting()).isEmpty();
    queues.apply(named("d"));
    assertThat(router.take()).isEmpty();
  }
}
