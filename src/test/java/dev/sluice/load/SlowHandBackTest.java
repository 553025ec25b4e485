package dev.sluice.load;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.Outcome;
import dev.sluice.load.InProcessTarget.Answer;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Return;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.RoutedQueue;
import dev.sluice.router.Router;
import dev.sluice.router.RouterOptions;
import dev.sluice.testing.Patience;
import dev.sluice.testing.TestDatabase;
import dev.sluice.time.SystemTime;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Hand-backs that take long, while polls bring in the messages behind them. */
class SlowHandBackTest {
  private static final int GROUPS = Size.of(40, 400);
  private static final int PER_GROUP = Size.of(4, 20);
  private static final Duration SLOWNESS = Duration.ofMillis(300);

  private final Set<String> returning = ConcurrentHashMap.newKeySet();
  private final AtomicInteger crossings = new AtomicInteger();

  @Test
  void whatAPollBringsInBehindAMessageOnItsWayBackIsNotDeliveredBeforeIt() {
    Journal journal = new Journal();
    Map<String, List<String>> groups = Orders.groups("g", GROUPS, PER_GROUP);
    try (TestDatabase database = TestDatabase.fresh();
        SystemTime time = new SystemTime();
        InProcessTarget target = new InProcessTarget(journal, SlowHandBackTest::answer)) {
      LegacyQueue queue = LegacyQueue.builder(database.dataSource(), "orders").build();
      queue.initSchema();
      Orders.publish(queue, groups, "", "http://t.example/hook", DispatchMode.NEXT_ON_ERROR);

      // Polls of few, so that there always is one under way.
      Router router =
          Router.builder(target, time)
              .options(RouterOptions.DEFAULTS.withBatch(10))
              .pool(PoolSettings.of(PoolSettings.DEFAULT_CODE, 50))
              .queue(AroundQueue.of(queue, this::slowly), RoutedQueue.DEFAULT_VISIBILITY)
              .build();
      router.start();
      await().atMost(Duration.ofMinutes(10)).until(() -> queue.metrics().total() == 0);
      router.stop();

      System.out.printf(
          "%d messages came in while one before them was on its way back%n", crossings.get());
      assertThat(crossings).hasPositiveValue();
      assertThat(journal.delivered()).isEqualTo(GROUPS * PER_GROUP);
      assertThat(journal.takenTwice()).isEmpty();
      assertThat(journal.outOfTurn(groups)).isEmpty();
    }
  }

  private static Answer answer(Delivery delivery, int call) {
    // The first of each group fails or is deferred once.
    String id = delivery.message().id();
    Outcome outcome =
        call > 1 || !id.endsWith("-00000")
            ? new Outcome.Delivered()
            : InProcessTarget.chance(50, id, call)
                ? new Outcome.Unavailable("503", 1)
                : new Outcome.Deferred(1);
    return new Answer(outcome, Duration.ofMillis(20));
  }

  private @Nullable Object slowly(
      String method, @Nullable Object[] arguments, AroundQueue.Statement statement)
      throws Throwable {
    if (method.equals("poll")) {
      PollResult result = (PollResult) Objects.requireNonNull(statement.run());
      result.deliveries().stream()
          .filter(d -> returning.contains(d.claimGroup()))
          .forEach(d -> crossings.incrementAndGet());
      return result;
    }
    if (!method.equals("nackBatch") && !method.equals("deferBatch")) {
      return statement.run();
    }
    Collection<?> returns = (Collection<?>) Objects.requireNonNull(arguments[0]);
    List<String> groups =
        returns.stream().map(r -> Orders.group(id(((Return) r).receipt()))).toList();
    returning.addAll(groups);
    // Before the statement the group is open to polls; after it, the router does not know yet.
    Thread.sleep(SLOWNESS.toMillis());
    Object stale = statement.run();
    long patience = System.nanoTime() + Patience.LONGEST.toNanos();
    do {
      Thread.sleep(SLOWNESS.toMillis());
    } while (crossings.get() == 0 && System.nanoTime() < patience);
    groups.forEach(returning::remove);
    return stale;
  }

  private static String id(Receipt receipt) {
    return receipt.value().substring(receipt.value().indexOf(':') + 1);
  }
}
