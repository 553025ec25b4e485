package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.Mediator;
import dev.sluice.delivery.Outcome;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Message;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.router.RouterCore.Placed;
import dev.sluice.testing.Patience;
import dev.sluice.testing.TestDatabase;
import dev.sluice.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Looks at a router on its own threads, at moments that nobody chose. */
class PlacesUnderLoadTest {
  private static final Duration TIME =
      Duration.ofSeconds(Boolean.getBoolean("sluice.load.full") ? 300 : 8);
  private static final Duration VISIBILITY = Duration.ofSeconds(5);
  private static final List<String> POOLS = List.of("narrow", "wide");
  private static final List<DispatchMode> MODES = List.of(DispatchMode.values());
  private static final int GROUPS = 150;

  /** What one look found. */
  private record Look(List<Placed> places, int held) {}

  @Test
  void eachMessageIsInOnePlaceAtAnyMoment() throws Exception {
    Map<Place, Integer> seen = new EnumMap<>(Place.class);
    int looks = 0;
    try (TestDatabase database = TestDatabase.fresh();
        SystemTime time = new SystemTime()) {
      LegacyQueue queue =
          LegacyQueue.builder(database.dataSource(), "orders").visibility(VISIBILITY).build();
      queue.initSchema();
      Router router =
          Router.builder(target(), time)
              .pool(PoolSettings.of("narrow", 2))
              .pool(PoolSettings.of("wide", 30))
              .queue(queue, VISIBILITY)
              .build();
      router.start();
      long end = System.nanoTime() + TIME.toNanos();
      long patience = end + Patience.LONGEST.toNanos();
      for (int round = 0;
          System.nanoTime() < end
              || (seen.size() < Place.values().length && System.nanoTime() < patience);
          round++) {
        if (round % 20 == 0) {
          queue.publishBatch(messages(round));
        }
        Thread.sleep(ThreadLocalRandom.current().nextInt(10));
        Look look = router.ask(core -> new Look(core.places(), core.held()));
        assertThat(look.places()).extracting(Placed::id).doesNotHaveDuplicates();
        assertThat(look.places()).hasSize(look.held());
        look.places().forEach(placed -> seen.merge(placed.place(), 1, Integer::sum));
        looks++;
      }
      router.stop();
      assertThat(queue.metrics().inFlight() + queue.metrics().lapsed()).isZero();
    }
    System.out.printf("%d looks found %s%n", looks, seen);
    assertThat(seen).containsOnlyKeys(Place.values());
  }

  private static List<Message> messages(int round) {
    List<Message> batch = new ArrayList<>();
    for (int g = 0; g < GROUPS; g++) {
      batch.add(
          Message.of("g%03d-%05d".formatted(g, round), "http://t.example/hook")
              .withGroup("g%03d".formatted(g))
              .withPool(POOLS.get(g % POOLS.size()))
              .withMode(MODES.get(g % MODES.size())));
    }
    return batch;
  }

  private static Mediator target() {
    return delivery -> {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      Outcome outcome =
          switch (random.nextInt(12)) {
            case 0 -> new Outcome.Unavailable("503", 1);
            case 1 -> new Outcome.Deferred(1);
            case 2 -> new Outcome.RateLimited(1);
            case 3 -> new Outcome.DeliveredAndFlush(1);
            default -> new Outcome.Delivered();
          };
      return CompletableFuture.supplyAsync(
          () -> outcome,
          CompletableFuture.delayedExecutor(random.nextInt(60), TimeUnit.MILLISECONDS));
    };
  }
}
