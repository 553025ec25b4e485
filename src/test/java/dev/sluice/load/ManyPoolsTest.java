package dev.sluice.load;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.Outcome;
import dev.sluice.load.InProcessTarget.Answer;
import dev.sluice.load.Journal.Call;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Queue;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.RoutedQueue;
import dev.sluice.router.Router;
import dev.sluice.router.RouterOptions;
import dev.sluice.testing.TestDatabase;
import dev.sluice.time.SystemTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("measures, or starts processes")
class ManyPoolsTest {
  private static final int PER_GROUP = Size.of(4, 50);
  private static final int GROUPS_PER_MODE = Size.of(150, 222);
  private static final int SLOW_WORKERS = 10;
  private static final Duration SLOW = Duration.ofMillis(100);
  private static final Duration QUICK = Duration.ofMillis(2);

  // What finds a pool full that has not delivered anything yet comes back after half a minute and a
  // second for each before it; how many do depends on how fast the first polls are.
  private static final Duration MAX_DEFERRAL = Duration.ofSeconds(10);

  private static final List<String> POOLS = List.of("slow", "failing", "deferring");

  private final Map<String, List<String>> ordered = new HashMap<>();
  private final Map<String, String> poolOf = new HashMap<>();

  @Test
  void poolsThatAreSlowOrFailOrDeferDeliverAllInOrderAndStarveNoOther() {
    Journal journal = new Journal();
    try (TestDatabase database = TestDatabase.fresh();
        SystemTime time = new SystemTime();
        InProcessTarget target = new InProcessTarget(journal, ManyPoolsTest::answer)) {
      LegacyQueue queue = LegacyQueue.builder(database.dataSource(), "orders").build();
      queue.initSchema();
      queue.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
      POOLS.forEach(pool -> publish(queue, pool));
      int total = poolOf.size() * PER_GROUP;

      Router router =
          Router.builder(target, time)
              .options(RouterOptions.DEFAULTS.withMaxDeferral(MAX_DEFERRAL))
              .pool(PoolSettings.of("slow", SLOW_WORKERS))
              .pool(PoolSettings.of("failing", 20))
              .pool(PoolSettings.of("deferring", 20))
              .queue(queue, RoutedQueue.DEFAULT_VISIBILITY)
              .build();
      router.start();
      await()
          .atMost(Duration.ofMinutes(Size.of(4, 30)))
          .until(() -> journal.delivered() == total && queue.metrics().total() == 0);
      router.stop();

      report(journal);
      assertThat(journal.takenTwice()).isEmpty();
      assertThat(queue.metrics().quarantined()).hasValue(0);
      assertThat(journal.outOfTurn(ordered)).isEmpty();
      assertThat(journal.simultaneousOfOneGroup(ordered.keySet())).isEmpty();
      assertThat(journal.simultaneousOfOneMessage()).isEmpty();
      assertNoneStarves(journal);
    }
  }

  private void publish(Queue queue, String pool) {
    for (DispatchMode mode : DispatchMode.values()) {
      Map<String, List<String>> groups =
          Orders.groups(pool + "." + mode + ".", GROUPS_PER_MODE, PER_GROUP);
      groups.keySet().forEach(group -> poolOf.put(group, pool));
      if (mode != DispatchMode.IMMEDIATE) {
        ordered.putAll(groups);
      }
      Orders.publish(queue, groups, pool, "http://t.example/hook", mode);
    }
  }

  private static Answer answer(Delivery delivery, int call) {
    String id = delivery.message().id();
    return switch (delivery.message().poolCode()) {
      case "slow" -> Answer.taken(SLOW);
      case "failing" ->
          InProcessTarget.chance(20, id, call)
              ? new Answer(new Outcome.Unavailable("503", 1), QUICK)
              : Answer.taken(QUICK);
      default ->
          InProcessTarget.chance(20, id, call)
              ? new Answer(new Outcome.Deferred(1 + call % 3), QUICK)
              : Answer.taken(QUICK);
    };
  }

  /**
   * The quick pools, which have as many messages as the slow one, have delivered most of them
   * before it has delivered half of its own; and its workers are busy as long as it has more than a
   * few.
   */
  private void assertNoneStarves(Journal journal) {
    List<Call> slow = taken(journal, "slow");
    List<Call> most = slow.subList(0, slow.size() * 9 / 10);
    Call last = most.get(most.size() - 1);
    for (String pool : List.of("failing", "deferring")) {
      List<Call> quick = taken(journal, pool);
      assertThat(quick.get(quick.size() * 8 / 10).from()).as(pool).isLessThan(last.from());
    }
    double busy = most.stream().mapToLong(c -> c.to() - c.from()).sum();
    double time = last.to() - most.get(0).from();
    System.out.printf("slow: %.2f of %d workers busy%n", busy / time, SLOW_WORKERS);
    assertThat(busy / time).isGreaterThan(SLOW_WORKERS * 0.5);
  }

  private List<Call> taken(Journal journal, String pool) {
    return journal.calls().stream()
        .filter(call -> call.taken() && pool.equals(poolOf.get(call.group())))
        .toList();
  }

  private void report(Journal journal) {
    List<Call> calls = journal.calls();
    long began = calls.get(0).from();
    for (String pool : POOLS) {
      List<Call> taken = taken(journal, pool);
      System.out.printf(
          "%s: %d taken, 50 %% after %.1f s, 90 %% after %.1f s, all after %.1f s%n",
          pool,
          taken.size(),
          (taken.get(taken.size() / 2).to() - began) / 1e9,
          (taken.get(taken.size() * 9 / 10).to() - began) / 1e9,
          (taken.get(taken.size() - 1).to() - began) / 1e9);
    }
    System.out.printf("%d calls of %d messages%n", calls.size(), journal.delivered());
  }
}
