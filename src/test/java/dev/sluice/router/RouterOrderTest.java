package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.Outcome;
import dev.sluice.queue.DispatchMode;
import dev.sluice.router.FakeQueue.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Random schedules of publishing, polling, answering, settling, time, faults and lapses: every
 * statement and the news of it are steps of their own, so that they interleave in any order.
 */
class RouterOrderTest {

  @Property(seed = "2026", tries = 300)
  void orderedGroupsKeepTheirOrderAndNothingIsLostOrDoubled(
      @ForAll long seed, @ForAll @IntRange(min = 20, max = 250) int steps) {
    Schedule schedule = new Schedule(seed);
    for (int i = 0; i < steps; i++) {
      schedule.step();
    }
    schedule.finish();
  }

  @Property(seed = "2026", tries = 200)
  void aStopAtAnyMomentLeavesExactlyWhatIsNotConcluded(
      @ForAll long seed, @ForAll @IntRange(min = 5, max = 150) int steps) {
    Schedule schedule = new Schedule(seed);
    for (int i = 0; i < steps; i++) {
      schedule.step();
    }
    schedule.stop();
  }

  /** One run, and what it must never do. */
  private static final class Schedule {
    private static final int MAX_FAILURES = 4;
    private static final List<String> GROUPS = List.of("g", "h", "k");

    private final Random random;
    private final Rig rig;
    private final Map<String, String> groupOf = new HashMap<>();
    private final Map<String, List<String>> published = new HashMap<>();
    private final Map<String, Integer> failures = new HashMap<>();
    private final Set<String> concluded = new HashSet<>();
    private int callsChecked;
    private int messages;

    Schedule(long seed) {
      this.random = new Random(seed);
      this.rig =
          new Rig(
              RouterOptions.DEFAULTS.withMaxFailures(MAX_FAILURES),
              PoolSettings.of(PoolSettings.DEFAULT_CODE, 1 + random.nextInt(4)));
      rig.holdPolls().holdStatements();
      rig.start();
    }

    void step() {
      switch (random.nextInt(13)) {
        case 0, 1 -> publish();
        case 2 -> rig.runPoll();
        case 3 -> rig.bringIn();
        case 4 -> rig.runStatement();
        case 5 -> rig.tellStatement();
        case 6, 7, 8 -> answer();
        case 9 -> rig.advance(Duration.ofMillis(random.nextInt(2_000)));
        case 10 -> pass();
        case 11 -> requeue();
        default -> fail();
      }
      rig.settleDown().checkPlaces();
      checkCalls();
    }

    private void publish() {
      String group = GROUPS.get(random.nextInt(GROUPS.size()));
      // A name per group, so that all messages of one are of one mode.
      DispatchMode mode =
          switch (group) {
            case "g" -> DispatchMode.NEXT_ON_ERROR;
            case "h" -> DispatchMode.BLOCK_ON_ERROR;
            default -> DispatchMode.IMMEDIATE;
          };
      String id = "m" + ++messages;
      rig.with(mode, group, id);
      groupOf.put(id, group);
      published.computeIfAbsent(group, g -> new ArrayList<>()).add(id);
      if (random.nextBoolean()) {
        rig.wake();
      }
    }

    private void answer() {
      List<String> running = rig.target.running();
      if (running.isEmpty()) {
        return;
      }
      String id = running.get(random.nextInt(running.size()));
      Outcome outcome =
          switch (random.nextInt(8)) {
            case 0 -> Rig.DOWN;
            case 1 -> new Outcome.Deferred(random.nextInt(20));
            case 2 -> new Outcome.RateLimited(random.nextInt(5));
            case 3 -> Rig.REFUSED;
            default -> Rig.OK;
          };
      rig.answer(id, outcome);
      boolean failed = outcome.equals(Rig.DOWN);
      if (outcome.equals(Rig.OK)
          || outcome.equals(Rig.REFUSED)
          || (failed && failures.merge(id, 1, Integer::sum) == MAX_FAILURES)) {
        concluded.add(id);
      }
    }

    // Somebody has looked at what blocks a group, and has it tried again.
    private void requeue() {
      if (random.nextInt(4) == 0) {
        concluded.removeAll(rig.queue.requeueBlocked());
        rig.wake();
      }
    }

    // Long enough for claims to lapse while statements hang.
    private void pass() {
      if (random.nextInt(4) == 0) {
        rig.advance(Duration.ofSeconds(random.nextInt(150)));
      }
    }

    private void fail() {
      switch (random.nextInt(6)) {
        case 0 -> rig.queue.fail(Fault.CONNECTION_LOST, "");
        case 1 -> rig.queue.fail(Fault.ANSWER_LOST, random.nextBoolean() ? "ack" : "defer");
        default -> rig.queue.heal();
      }
    }

    /** Every call since the last look went to a message whose predecessors were all concluded. */
    private void checkCalls() {
      List<String> calls = rig.calls();
      for (String id : calls.subList(callsChecked, calls.size())) {
        String group = groupOf.getOrDefault(id, "?");
        if (!group.equals("k")) {
          List<String> all = published.getOrDefault(group, List.of());
          assertThat(concluded).as("before %s", id).containsAll(all.subList(0, all.indexOf(id)));
          assertThat(rig.target.running().stream().filter(r -> group.equals(groupOf.get(r))))
              .as("of group %s", group)
              .hasSizeLessThanOrEqualTo(1);
        }
      }
      callsChecked = calls.size();
    }

    /** With the faults over and every target well, all is delivered, in order. */
    void finish() {
      rig.queue.heal();
      rig.releasePolls().releaseStatements();
      for (int i = 0; i < 2_000 && !(rig.queue.isEmpty() && rig.core().held() == 0); i++) {
        for (String id : rig.target.running()) {
          concluded.add(id);
          rig.answer(id, Rig.OK);
          checkCalls();
        }
        rig.advance(Duration.ofSeconds(1)).checkPlaces();
        checkCalls();
      }
      assertThat(rig.queue.rows()).isEmpty();
      concluded.addAll(blockedBehind());
      assertThat(concluded).hasSize(messages);
      assertThat(rig.core().held()).isZero();
    }

    private List<String> blockedBehind() {
      return rig.queue.quarantine().entrySet().stream()
          .filter(e -> e.getValue().startsWith("BLOCKED: behind"))
          .map(Map.Entry::getKey)
          .toList();
    }

    void stop() {
      rig.queue.heal();
      Set<String> held = new HashSet<>();
      rig.core().places().forEach(p -> held.add(p.id()));
      rig.stop();
      rig.releasePolls().releaseStatements();
      rig.checkPlaces();
      for (String id : rig.target.running()) {
        if (random.nextBoolean()) {
          concluded.add(id);
          rig.answer(id, Rig.OK);
        }
      }
      rig.advance(RouterOptions.DEFAULTS.drainTime());
      assertThat(rig.core().stopped()).isDone();
      List<String> left = new ArrayList<>(groupOf.keySet());
      left.removeAll(concluded);
      left.removeAll(blockedBehind());
      assertThat(rig.queue.rows().stream().map(r -> r.split(" ", 2)[0]))
          .containsExactlyInAnyOrderElementsOf(left);
      checkVisibility(held);
    }

    /** Of what was held, nothing is due before a message ahead of it that is still claimed. */
    private void checkVisibility(Set<String> held) {
      Map<String, Long> latestClaim = new HashMap<>();
      for (String row : rig.queue.rows()) {
        String[] words = row.split(" ", -1);
        String group = groupOf.getOrDefault(words[0], "k");
        long due = words.length > 2 ? Long.parseLong(words[2]) : 0;
        if (group.equals("k") || !held.contains(words[0])) {
          continue;
        }
        assertThat(due).as(row).isGreaterThanOrEqualTo(latestClaim.getOrDefault(group, 0L));
        if (words[1].equals("claimed")) {
          latestClaim.merge(group, due, Math::max);
        }
      }
    }
  }
}
