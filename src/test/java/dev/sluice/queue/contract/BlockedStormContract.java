package dev.sluice.queue.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.FailedMessage;
import dev.sluice.queue.Message;
import dev.sluice.queue.Queue;
import dev.sluice.queue.Rejection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Routers that block groups, and operators who undo it, at the same time. */
abstract class BlockedStormContract extends QueueContract {
  private static final long NANOS = Duration.ofSeconds(2).toNanos();
  private static final String HEAD = "BLOCKED: head";
  private static final int GROUPS = 6;
  private static final int MESSAGES = 600;

  @Test
  void nothingFailsAndNothingIsLostOrOutOfOrder() throws Exception {
    List<Message> all = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      all.add(message("m%04d".formatted(i)).withGroup("g" + i % GROUPS));
    }
    queue().publishBatch(all);
    Set<String> acked = ConcurrentHashMap.newKeySet();
    long end = System.nanoTime() + NANOS;
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Random random = new Random(i);
        Queue router = another();
        running.add(
            threads.submit(
                () -> {
                  while (System.nanoTime() < end) {
                    route(router, random, acked);
                  }
                }));
      }
      for (int i = 0; i < 2; i++) {
        Random random = new Random(10 + i);
        Queue operated = another();
        running.add(
            threads.submit(
                () -> {
                  while (System.nanoTime() < end) {
                    operated.admin().requeueFailed(some(random));
                  }
                }));
      }
      Queue watched = another();
      running.add(
          threads.submit(
              () -> {
                while (System.nanoTime() < end) {
                  everyBlockedGroupHasItsHead(watched);
                }
              }));
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }

    Set<String> blocked = everyBlockedGroupHasItsHead(queue());
    assertThat(queue().blockedGroups(groups())).isEqualTo(blocked);

    queue().admin().requeueFailed(FailedFilter.ALL);
    advance(PAST_VISIBILITY);
    List<String> drained = drain();
    assertThat(drained).doesNotContainAnyElementsOf(acked);
    assertThat(drained.size() + acked.size()).isEqualTo(MESSAGES);
    for (int g = 0; g < GROUPS; g++) {
      int group = g;
      List<String> ofGroup =
          drained.stream()
              .filter(id -> Integer.parseInt(id.substring(1)) % GROUPS == group)
              .toList();
      assertThat(ofGroup).isSorted();
    }
  }

  /** Of one instant. Tells the groups. */
  private static Set<String> everyBlockedGroupHasItsHead(Queue queue) {
    Map<String, List<FailedMessage>> blocked =
        queue.admin().listFailed(FailedFilter.ALL, MESSAGES).stream()
            .collect(Collectors.groupingBy(failed -> failed.group().orElseThrow()));
    assertThat(blocked.values())
        .allSatisfy(group -> assertThat(group).extracting("error").contains(HEAD));
    return blocked.keySet();
  }

  private static List<String> groups() {
    List<String> groups = new ArrayList<>();
    for (int i = 0; i < GROUPS; i++) {
      groups.add("g" + i);
    }
    return groups;
  }

  private static FailedFilter some(Random random) {
    return random.nextInt(4) == 0
        ? FailedFilter.ALL
        : new FailedFilter(List.of(), "g" + random.nextInt(GROUPS), null);
  }

  private static void route(Queue router, Random random, Set<String> acked) {
    List<Delivery> deliveries = router.poll(1 + random.nextInt(GROUPS)).deliveries();
    Set<String> blocked =
        router.blockedGroups(deliveries.stream().map(Delivery::claimGroup).toList());
    List<Rejection> rejections = new ArrayList<>();
    List<Delivery> good = new ArrayList<>();
    for (Delivery delivery : deliveries) {
      if (blocked.contains(delivery.claimGroup())) {
        rejections.add(new Rejection(delivery.receipt(), "BLOCKED: behind", true));
      } else if (random.nextInt(3) == 0) {
        rejections.add(new Rejection(delivery.receipt(), HEAD));
      } else if (random.nextInt(20) == 0) {
        good.add(delivery);
      } else {
        router.defer(delivery.receipt(), Duration.ZERO);
      }
    }
    router.rejectBatch(rejections);
    var stale = router.ackBatch(good.stream().map(Delivery::receipt).toList());
    assertThat(stale).isEmpty();
    good.forEach(delivery -> acked.add(delivery.message().id()));
  }
}
