package dev.sluice.load;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.load.Journal.Call;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Queue;
import dev.sluice.queue.harel.HarelQueue;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.Router;
import dev.sluice.testing.TestDatabase;
import dev.sluice.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A target that takes longer for each message than a claim of it holds. */
@Isolated("measures, or starts processes")
class SlowTargetTest {
  /**
   * A claim is extended when a third of this is left: a machine that stands still for less than
   * that loses none.
   */
  private static final Duration VISIBILITY = Duration.ofSeconds(18);

  private static final Duration ANSWER = Duration.ofSeconds(Size.of(20, 60));
  private static final String TARGET = "http://t.example/hook";

  private final List<Case> cases = new ArrayList<>();

  /** Routers on a queue of their own, and what their target sees. */
  private static final class Case implements AutoCloseable {
    private final TestDatabase database = TestDatabase.fresh();
    private final SystemTime time = new SystemTime();
    private final Journal journal = new Journal();
    private final InProcessTarget target;
    private final List<Router> routers = new ArrayList<>();
    private final Queue queue;

    Case(int count, Function<DataSource, Queue> open) {
      this(count, open, ANSWER, (method, arguments, statement) -> statement.run());
    }

    Case(
        int count,
        Function<DataSource, Queue> open,
        Duration answer,
        AroundQueue.Around aroundTheFirst) {
      target = InProcessTarget.takingAll(journal, answer);
      queue = open.apply(database.dataSource());
      queue.initSchema();
      // The second of each group waits in a buffer meanwhile.
      Orders.publish(queue, Orders.groups("single", 40, 1), "", TARGET, DispatchMode.IMMEDIATE);
      Orders.publish(
          queue, Orders.groups("ordered", 10, 2), "", TARGET, DispatchMode.NEXT_ON_ERROR);
      for (int i = 0; i < count; i++) {
        Queue own = open.apply(database.dataSource(3));
        routers.add(
            Router.builder(target, time)
                .pool(PoolSettings.of(PoolSettings.DEFAULT_CODE, 50))
                .queue(i == 0 ? AroundQueue.of(own, aroundTheFirst) : own, VISIBILITY)
                .build());
      }
      routers.forEach(Router::start);
    }

    @Override
    public void close() {
      routers.forEach(Router::stop);
      target.close();
      time.close();
      database.close();
    }
  }

  @AfterEach
  void close() {
    cases.forEach(Case::close);
  }

  @Test
  void nothingIsDeliveredTwiceByOneRouterOrByThree() {
    cases.add(new Case(1, data -> legacy(data, LegacyQueue.Groups.RELAXED)));
    cases.add(new Case(3, data -> legacy(data, LegacyQueue.Groups.RELAXED)));
    cases.add(new Case(3, data -> legacy(data, LegacyQueue.Groups.EXCLUSIVE)));
    cases.add(
        new Case(
            3, data -> HarelQueue.builder(data).name("orders").visibility(VISIBILITY).build()));

    for (Case one : cases) {
      await().atMost(ANSWER.multipliedBy(8)).until(() -> one.queue.metrics().total() == 0);
      assertThat(one.journal.delivered()).isEqualTo(60);
      assertThat(one.journal.calls()).extracting(Call::id).doesNotHaveDuplicates();
    }
  }

  @Test
  void nothingIsDeliveredTwiceWhileAnAckHangs() {
    // Longer than a claim holds, as on a connection whose other end has gone silently.
    AtomicBoolean hangs = new AtomicBoolean(true);
    Case one =
        new Case(
            2,
            data -> legacy(data, LegacyQueue.Groups.RELAXED),
            Duration.ofSeconds(1),
            (method, arguments, statement) -> {
              if (method.equals("ackBatch") && hangs.getAndSet(false)) {
                Thread.sleep(VISIBILITY.multipliedBy(3).dividedBy(2).toMillis());
              }
              return statement.run();
            });
    cases.add(one);

    await().until(() -> one.queue.metrics().total() == 0);

    assertThat(one.journal.delivered()).isEqualTo(60);
    assertThat(one.journal.calls()).extracting(Call::id).doesNotHaveDuplicates();
  }

  private static Queue legacy(DataSource data, LegacyQueue.Groups groups) {
    return LegacyQueue.builder(data, "orders").visibility(VISIBILITY).groups(groups).build();
  }
}
