package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.Outcome;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Random lives of a router on a table, in which polls and statements interleave in any order. */
class RouterOnTablePropertyTest {
  private static final TestDatabase database = TestDatabase.fresh();

  @BeforeContainer
  static void createTable() {
    LegacyQueue.builder(database.dataSource(), "any").build().initSchema();
  }

  @AfterContainer
  static void dropDatabase() {
    database.close();
  }

  @Property(seed = "2026", tries = 40)
  void groupsKeepTheirOrderAndNothingIsLost(
      @ForAll long seed, @ForAll @IntRange(min = 10, max = 80) int steps) {
    Life life = new Life(new Random(seed));
    for (int i = 0; i < steps; i++) {
      life.step();
    }
    life.finish();
  }

  private static final class Life {
    private static final List<DispatchMode> MODES =
        List.of(DispatchMode.NEXT_ON_ERROR, DispatchMode.BLOCK_ON_ERROR, DispatchMode.IMMEDIATE);

    private final Random random;
    private final TableRig rig;
    private final Map<String, List<String>> published = new HashMap<>();
    private final Map<String, String> groupOf = new HashMap<>();
    private final Set<String> concluded = new LinkedHashSet<>();
    private final Set<String> rejected = new LinkedHashSet<>();
    private int callsChecked;

    Life(Random random) {
      this.random = random;
      this.rig =
          new TableRig(
              database,
              RouterOptions.DEFAULTS
                  .withBatch(1 + random.nextInt(4))
                  .withPollInterval(Duration.ofSeconds(10)),
              Duration.ofSeconds(30),
              1 + random.nextInt(4));
      rig.holdPolls(true).holdStatements(true).start();
    }

    void step() {
      switch (random.nextInt(12)) {
        case 0, 1 -> publish();
        case 2, 3 -> rig.runPoll();
        case 4, 5 -> rig.runStatement();
        case 6 -> rig.hear();
        case 7 -> rig.hearLatestFirst();
        case 8, 9 -> answer();
        case 10 -> pass();
        default -> fail();
      }
      check();
    }

    private void publish() {
      int kind = random.nextInt(MODES.size());
      String group = "g" + kind;
      String id = "m" + (1_000 + groupOf.size());
      groupOf.put(id, group);
      published.computeIfAbsent(group, g -> new ArrayList<>()).add(id);
      rig.publish(MODES.get(kind), group, id);
      if (random.nextBoolean()) {
        rig.wake();
      }
    }

    private void answer() {
      List<String> running = rig.running();
      if (running.isEmpty()) {
        return;
      }
      String id = running.get(random.nextInt(running.size()));
      switch (random.nextInt(8)) {
        case 0 -> rig.answer(id, TableRig.DOWN);
        case 1 -> rig.answer(id, new Outcome.Deferred(random.nextInt(20)));
        case 2 -> rig.answer(id, new Outcome.RateLimited(random.nextInt(5)));
        case 3 -> {
          concluded.add(id);
          rejected.add(id);
          rig.answer(id, TableRig.REFUSED);
        }
        case 4 -> rig.breakDown(id);
        default -> deliver(id);
      }
    }

    private void deliver(String id) {
      concluded.add(id);
      rig.answer(id, TableRig.OK);
    }

    // At times longer than a claim lasts, while the statement that would extend it waits.
    private void pass() {
      rig.seconds(random.nextInt(4) == 0 ? random.nextInt(45) : random.nextInt(3));
    }

    private void fail() {
      switch (random.nextInt(4)) {
        case 0 -> rig.queue.failBefore("", ScriptedQueue.connectionLost());
        case 1 ->
            rig.queue.failAfter(
                List.of("ack", "nack", "defer", "reject", "extend").get(random.nextInt(5)),
                ScriptedQueue.connectionLost());
        default -> rig.queue.heal();
      }
    }

    private void check() {
      rig.checkPlaces();
      List<String> calls = rig.calls();
      for (String id : calls.subList(callsChecked, calls.size())) {
        String group = groupOf.getOrDefault(id, "");
        if (!group.equals("g2")) {
          List<String> all = published.getOrDefault(group, List.of());
          assertThat(concluded).as("before %s", id).containsAll(all.subList(0, all.indexOf(id)));
        }
      }
      callsChecked = calls.size();
      for (String group : List.of("g0", "g1")) {
        assertThat(rig.running().stream().filter(id -> group.equals(groupOf.get(id))))
            .hasSizeLessThanOrEqualTo(1);
      }
    }

    void finish() {
      rig.queue.heal();
      rig.holdPolls(false).holdStatements(false).hear();
      check();
      for (int i = 0; i < 500 && !(rig.rows().isEmpty() && rig.core.held() == 0); i++) {
        for (String id : rig.running()) {
          deliver(id);
          check();
        }
        rig.seconds(5);
        check();
      }
      assertThat(rig.rows()).isEmpty();
      assertThat(rig.core.held()).isZero();
      List<String> quarantine = rig.quarantine();
      assertThat(ids(quarantine, false)).containsExactlyInAnyOrderElementsOf(rejected);
      concluded.addAll(ids(quarantine, true));
      assertThat(concluded).containsExactlyInAnyOrderElementsOf(groupOf.keySet());
    }

    private static List<String> ids(List<String> quarantine, boolean behindOthers) {
      return quarantine.stream()
          .filter(line -> line.contains(": BLOCKED: behind") == behindOthers)
          .map(line -> line.split(":", 2)[0])
          .toList();
    }
  }
}
