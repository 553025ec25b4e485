package dev.sluice.router;

import static dev.sluice.router.Rig.DOWN;
import static dev.sluice.router.Rig.OK;
import static dev.sluice.router.Rig.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.queue.DispatchMode;
import dev.sluice.router.RouterOptions.OnBlock;
import dev.sluice.router.RouterStatus.PoolStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RouterPoolsTest {
  private static final PoolSettings SLOW = PoolSettings.of("slow", 1);
  private static final PoolSettings FAST = PoolSettings.of("fast", 5);

  private static String[] ids(String prefix, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> prefix + i).toArray(String[]::new);
  }

  private static Rig rig(PoolSettings... pools) {
    return new Rig(RouterOptions.DEFAULTS, pools);
  }

  private static PoolStatus pool(Rig rig, String code) {
    return rig.core().status().pools().stream()
        .filter(p -> p.code().equals(code))
        .findFirst()
        .orElseThrow();
  }

  @Nested
  class Workers {
    @Test
    void eachPoolHasItsOwnWorkers() {
      Rig rig = rig(SLOW, FAST).inPool("slow", ids("s", 3)).inPool("fast", ids("f", 3)).start();

      assertThat(rig.target.running()).containsExactlyInAnyOrder("s1", "f1", "f2", "f3");
    }

    @Test
    void aMessageForAPoolThatIsNotThereGoesToTheDefaultOne() {
      Rig rig = rig(SLOW, PoolSettings.of(PoolSettings.DEFAULT_CODE, 1));

      rig.inPool("other", "a").inPool("", "b").start();

      assertThat(rig.target.running()).containsExactly("a");
      assertThat(pool(rig, PoolSettings.DEFAULT_CODE).buffered()).isEqualTo(1);
    }

    @Test
    void aPoolStartsNoMoreInAMinuteThanItsRate() {
      Rig rig = rig(PoolSettings.of("slow", 10).perMinute(2)).inPool("slow", ids("s", 5)).start();
      assertThat(rig.target.running()).containsExactly("s1", "s2");

      rig.answer("s1", OK).answer("s2", OK).advance(Duration.ofSeconds(29));
      assertThat(rig.target.running()).isEmpty();
      rig.advance(Duration.ofSeconds(1));
      assertThat(rig.target.running()).containsExactly("s3");
      rig.advance(Duration.ofSeconds(30));
      assertThat(rig.target.running()).containsExactly("s3", "s4");
    }

    @Test
    void theSameGroupGoesOnInTwoPoolsAtATime() {
      Rig rig =
          rig(SLOW, FAST).orderedInPool("slow", "g", "a").orderedInPool("fast", "g", "b").start();

      rig.advance(Duration.ofSeconds(1));

      assertThat(rig.target.running()).containsExactly("a", "b");
    }
  }

  @Nested
  class Room {
    @Test
    void whatFindsNoRoomGoesBackForAWhile() {
      Rig rig = rig(SLOW, FAST).inPool("slow", ids("s", 102)).inPool("fast", "f").start();

      rig.advance(Duration.ofSeconds(1)).linger();

      assertThat(pool(rig, "slow").buffered()).isEqualTo(100);
      assertThat(rig.queue.rows()).filteredOn(r -> r.contains("delayed")).hasSize(1);
      assertThat(rig.target.running()).containsExactly("s1", "f");
      assertThat(rig.tally.progress().deferred()).isEqualTo(1);
      assertThat(rig.tally.progress().released()).isZero();
    }

    @Test
    void aQueueIsNotPolledWhileAllPoolsAreFull() {
      Rig rig = Rig.workers(1).immediate(ids("m", 300)).start().linger();

      assertThat(rig.queue.rows()).filteredOn(r -> r.contains("claimed")).hasSize(101);
      rig.advance(Duration.ofSeconds(5));
      assertThat(rig.queue.rows()).filteredOn(r -> r.contains("claimed")).hasSize(101);
      assertThat(rig.tally.progress().deferred()).isZero();
    }

    @Test
    void whatWaitsBehindAFullPoolIsFoundAllTheSame() {
      Rig rig = rig(SLOW, FAST).inPool("slow", ids("s", 10_000)).start().linger();
      rig.inPool("fast", "f");

      rig.advance(Duration.ofSeconds(30));

      assertThat(rig.calls()).contains("f");
    }

    @Test
    void whatWaitsBehindTheBacklogOfABusyPoolIsFoundAllTheSame() {
      PoolSettings busy = PoolSettings.of("busy", 5);
      Rig rig = rig(busy, FAST).inPool("busy", ids("b", 10_000)).start().linger();
      rig.inPool("fast", "f");

      // Twenty-five a second: there always is a little room, and it is for what waits in front.
      for (int i = 0; i < 150 && !rig.calls().contains("f"); i++) {
        rig.target.running().forEach(id -> rig.answer(id, OK));
        rig.advance(Duration.ofMillis(200));
      }

      assertThat(rig.calls()).contains("f");
    }

    @Test
    void aBacklogThatIsWalkedFastIsNotSentAway() {
      Rig rig = rig(FAST).inPool("fast", ids("f", 3_000)).start();

      for (int i = 0; i < 500; i++) {
        rig.target.running().forEach(id -> rig.answer(id, OK));
        rig.advance(Duration.ofMillis(5));
      }

      assertThat(rig.tally.progress().delivered()).isGreaterThan(2_400);
      assertThat(rig.tally.progress().deferred()).isZero();
    }

    @Test
    void anOrderedMessageThatFindsNoRoomHoldsBackThoseBehindIt() {
      Rig rig =
          new Rig(RouterOptions.DEFAULTS.withBatch(2), SLOW, FAST)
              .inPool("slow", ids("s", 101))
              .start()
              .linger();
      rig.orderedInPool("slow", "g", "a").holdStatements().wake();
      rig.advance(Duration.ofSeconds(2));
      assertThat(rig.queue.rows()).contains("a claimed 119");

      rig.answer("s1", OK).answer("s2", OK).answer("s3", OK).answer("s4", OK);
      rig.orderedInPool("slow", "g", "b").advance(Duration.ofSeconds(2));
      rig.releaseStatements().linger();

      assertThat(rig.queue.rows())
          .filteredOn(r -> r.startsWith("a "))
          .first()
          .asString()
          .startsWith("a delayed");
      assertThat(rig.queue.rows())
          .filteredOn(r -> r.startsWith("b "))
          .first()
          .asString()
          .startsWith("b delayed");
      assertThat(rig.calls()).doesNotContain("a", "b");
    }

    @Test
    void aDrainWaitsForWhatItSentAwayForLackOfRoom() {
      Rig rig = rig(SLOW, FAST).inPool("slow", ids("s", 110)).inPool("fast", "f");
      CompletableFuture<Void> drained = new CompletableFuture<>();
      rig.coreSteps.execute(() -> rig.lane().drain(Duration.ZERO, drained));
      rig.start();

      for (int i = 0; i < 1_000 && !drained.isDone(); i++) {
        rig.target.running().forEach(id -> rig.answer(id, OK));
        rig.advance(Duration.ofMillis(500));
      }

      assertThat(drained).isDone();
      assertThat(rig.queue.isEmpty()).isTrue();
      assertThat(rig.tally.progress().deferred()).isPositive();
    }
  }

  @Nested
  class Reload {
    @Test
    void aPoolThatGrowsStartsMoreAtOnce() {
      Rig rig = rig(SLOW).inPool("slow", ids("s", 3)).start();

      rig.pools(PoolSettings.of("slow", 2));

      assertThat(rig.target.running()).containsExactly("s1", "s2");
    }

    @Test
    void aPoolThatShrinksStartsNothingUntilItIsBelow() {
      Rig rig = rig(FAST).inPool("fast", ids("f", 7)).start();

      rig.pools(PoolSettings.of("fast", 1));
      rig.answer("f1", OK).answer("f2", OK).answer("f3", OK).answer("f4", OK);
      assertThat(rig.target.running()).containsExactly("f5");

      rig.answer("f5", OK);
      assertThat(rig.target.running()).containsExactly("f6");
    }

    @Test
    void aRemovedPoolDeliversWhatItHasAndIsGoneThen() {
      Rig rig = rig(SLOW).inPool("slow", ids("s", 2)).start();

      rig.pools(FAST);
      assertThat(pool(rig, "slow").active()).isEqualTo(1);
      rig.answer("s1", OK).answer("s2", OK).linger();

      assertThat(rig.core().status().pools())
          .extracting(PoolStatus::code)
          .containsExactlyInAnyOrder(PoolSettings.DEFAULT_CODE, "fast");
    }

    @Test
    void aGroupKeepsItsOrderWhenItsPoolGoes() {
      Rig rig = rig(SLOW).orderedInPool("slow", "g", "a", "b").start();

      rig.pools();
      rig.orderedInPool("slow", "g", "c").wake().linger();
      assertThat(rig.target.running()).containsExactly("a");
      rig.answer("a", OK).answer("b", OK).linger();
      rig.advance(Duration.ofSeconds(12));

      assertThat(rig.calls()).containsExactly("a", "b", "c");
    }

    @Test
    void aGroupKeepsItsOrderWhenItsPoolComes() {
      Rig rig = rig().orderedInPool("slow", "g", "a", "b").start();

      rig.pools(SLOW);
      rig.orderedInPool("slow", "g", "c").wake().linger();
      assertThat(rig.target.running()).containsExactly("a");
      rig.answer("a", OK).answer("b", OK).linger();
      rig.advance(Duration.ofSeconds(12));

      assertThat(rig.calls()).containsExactly("a", "b", "c");
    }
  }

  @Nested
  class Blocked {
    private Rig blocked() {
      return new Rig().with(DispatchMode.BLOCK_ON_ERROR, "g", "a", "b").start();
    }

    @Test
    void whatArrivesForABlockedGroupGoesIntoQuarantineUndelivered() {
      Rig rig = blocked().answer("a", REFUSED).linger().linger();
      rig.advance(Duration.ofSeconds(5));

      rig.with(DispatchMode.NEXT_ON_ERROR, "g", "c").wake().linger();

      assertThat(rig.calls()).containsExactly("a");
      assertThat(rig.queue.quarantine()).containsOnlyKeys("a", "b", "c");
    }

    @Test
    void anImmediateMessageOfItsGroupIsDelivered() {
      Rig rig = blocked().answer("a", REFUSED).linger().linger();

      rig.with(DispatchMode.IMMEDIATE, "g", "c").wake().linger();

      assertThat(rig.target.running()).containsExactly("c");
    }

    @Test
    void aRequeuedGroupIsDeliveredInItsOrder() {
      Rig rig = blocked().answer("a", REFUSED).linger().linger();
      rig.with(DispatchMode.BLOCK_ON_ERROR, "g", "c").wake().linger();

      assertThat(rig.queue.requeueBlocked()).containsExactlyInAnyOrder("a", "b", "c");
      rig.advance(Duration.ofSeconds(2)).answer("a", OK).answer("b", OK).answer("c", OK);

      assertThat(rig.calls()).containsExactly("a", "a", "b", "c");
    }

    @Test
    void whatFollowsARequeueThatOvertookItsQuarantineGoesBack() {
      Rig rig = blocked().holdStatements().answer("a", REFUSED);
      rig.advance(Settler.LINGER).runStatement();
      rig.queue.requeueBlocked();

      rig.releaseStatements().linger();
      rig.advance(Duration.ofSeconds(2)).answer("a", OK).answer("b", OK);

      assertThat(rig.calls()).containsExactly("a", "a", "b");
      assertThat(rig.queue.quarantine()).isEmpty();
    }

    @Test
    void aReleasedHeadBlocksNothing() {
      Rig rig = blocked().answer("a", DOWN).linger().linger();

      assertThat(rig.queue.quarantine()).isEmpty();
      assertThat(rig.queue.rows()).containsExactly("a delayed 30", "b delayed 30");
    }

    @Test
    void whereThatIsAskedForFollowersAreAckedAway() {
      Rig rig =
          new Rig(RouterOptions.DEFAULTS.withOnBlock(OnBlock.ACK))
              .with(DispatchMode.BLOCK_ON_ERROR, "g", "a", "b", "c")
              .start();

      rig.answer("a", REFUSED).linger();
      rig.with(DispatchMode.BLOCK_ON_ERROR, "g", "d").wake().linger();

      assertThat(rig.calls()).containsExactly("a", "d");
      assertThat(rig.queue.quarantine()).containsExactly(entry("a", "400 bad"));
      assertThat(rig.tally.progress().suppressed()).isEqualTo(2);
    }
  }

  @Nested
  class Queues {
    private final List<String> ends = new java.util.ArrayList<>();

    private Lane add(Rig rig, FakeQueue queue) {
      Lane lane =
          rig.core()
              .add(
                  new RoutedQueue(queue, Rig.VISIBILITY),
                  rig.polls,
                  rig.statements,
                  rig.statements,
                  () -> ends.add("ended"));
      rig.settleDown();
      return lane;
    }

    @Test
    void twoQueuesShareAPoolAndKeepTheirGroupsApart() {
      Rig rig = new Rig().ordered("g", "a", "b").start();
      FakeQueue other = new FakeQueue(rig.time, Rig.VISIBILITY);
      other.put("x", "g", DispatchMode.NEXT_ON_ERROR);
      other.put("y", "g", DispatchMode.NEXT_ON_ERROR);

      Lane unused = add(rig, other);

      assertThat(rig.target.running()).containsExactly("a", "x");
      rig.checkPlaces();
    }

    @Test
    void aRemovedQueueGetsBackWhatIsBufferedAndTheOthersGoOn() {
      Rig rig = Rig.workers(2).immediate("a", "b").start();
      FakeQueue other = new FakeQueue(rig.time, Rig.VISIBILITY);
      other.put("x", "g", DispatchMode.NEXT_ON_ERROR);
      Lane lane = add(rig, other);
      assertThat(other.rows()).containsExactly("x claimed 120");

      rig.coreSteps.execute(lane::stop);
      rig.settleDown();

      assertThat(other.rows()).containsExactly("x pending");
      assertThat(ends).containsExactly("ended");
      rig.immediate("c").wake().answer("a", OK);
      assertThat(rig.target.running()).containsExactly("b", "c");
      assertThat(rig.core().status().queues()).hasSize(1);
    }

    @Test
    void aBusyQueueLeavesRoomToTheOthers() {
      Rig rig = Rig.workers(1).immediate(ids("m", 1_000)).start();
      FakeQueue other = new FakeQueue(rig.time, Rig.VISIBILITY);
      for (String id : ids("x", 1_000)) {
        other.put(id, "g-" + id, DispatchMode.IMMEDIATE);
      }
      Lane unused = add(rig, other);

      for (int i = 0; i < 400; i++) {
        rig.answer(rig.target.running().get(0), OK).advance(Duration.ofMillis(100));
      }

      assertThat(rig.calls()).filteredOn(id -> id.startsWith("x")).hasSizeGreaterThan(100);
    }
  }
}
