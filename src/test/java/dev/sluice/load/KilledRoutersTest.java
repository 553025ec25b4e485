package dev.sluice.load;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.SluiceProcess;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.testing.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("measures, or starts processes")
class KilledRoutersTest {
  private static final int ROUTERS = 3;
  private static final int KILLS = Size.of(3, 20);
  private static final Duration BETWEEN_KILLS = Duration.ofSeconds(Size.of(4, 10));
  private static final int GROUPS = 100;
  private static final int PER_GROUP = Size.of(60, 400);
  private static final Duration LATENCY = Duration.ofMillis(50);

  private final Journal journal = new Journal();

  @Test
  void orderPerGroupHoldsAndNothingIsLostWhileOneOfThreeIsKilledAgainAndAgain() throws Exception {
    Map<String, List<String>> groups = Orders.groups("g", GROUPS, PER_GROUP);
    int total = GROUPS * PER_GROUP;
    Deque<SluiceProcess> routers = new ArrayDeque<>();
    try (TestDatabase database = TestDatabase.fresh();
        HttpTarget target = HttpTarget.taking(journal, LATENCY)) {
      LegacyQueue queue = LegacyQueue.builder(database.dataSource(), "orders").build();
      queue.initSchema();
      queue.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
      Orders.publish(queue, groups, "", target.url(), DispatchMode.NEXT_ON_ERROR);
      int inFlight = 0;
      try {
        for (int i = 0; i < ROUTERS; i++) {
          routers.add(start(database));
        }
        await().until(() -> journal.delivered() > 0);
        for (int kill = 0; kill < KILLS; kill++) {
          pause(BETWEEN_KILLS);
          try (SluiceProcess oldest = routers.remove()) {
            assertThat(oldest.runs()).as("router: %s", oldest.stderr()).isTrue();
            oldest.kill();
          }
          inFlight += Math.toIntExact(queue.metrics().inFlight() + queue.metrics().lapsed());
          routers.add(start(database));
        }
        await().atMost(Duration.ofMinutes(10)).until(() -> queue.metrics().total() == 0);
      } finally {
        for (SluiceProcess router : routers) {
          router.close();
        }
      }
      int repeats = journal.calls().size() - total;
      System.out.printf(
          "%d kills of one of %d routers: %d messages, %d repeats, at most %d in flight then%n",
          KILLS, ROUTERS, total, repeats, inFlight);
      assertThat(queue.metrics().quarantined()).hasValue(0);
      assertThat(journal.delivered()).isEqualTo(total);
      assertThat(journal.firstSeen()).isEqualTo(groups);
      assertThat(repeats).isBetween(0, inFlight);
    }
  }

  private static SluiceProcess start(TestDatabase database) throws IOException {
    return SluiceProcess.start(
        List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        List.of(
            "run",
            "--http",
            "off",
            "--uri",
            database.uri(),
            "--queue",
            "orders",
            "--groups",
            "exclusive",
            "--visibility",
            "10",
            "--concurrency",
            "10"));
  }

  // The time between two kills is what the test is about: nothing is waited for.
  private static void pause(Duration duration) throws InterruptedException {
    Thread.sleep(duration.toMillis());
  }
}
