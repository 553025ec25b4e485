package dev.sluice.router;

import static dev.sluice.router.Rig.BUSY;
import static dev.sluice.router.Rig.DOWN;
import static dev.sluice.router.Rig.OK;
import static dev.sluice.router.Rig.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.sluice.delivery.Outcome;
import dev.sluice.queue.DispatchMode;
import dev.sluice.router.FakeQueue.Fault;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RouterCoreTest {
  private static final String BEHIND = "BLOCKED: behind an earlier message of its group";

  private static String[] ids(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> "m" + i).toArray(String[]::new);
  }

  @Nested
  class Order {
    @Test
    void immediateMessagesAreDeliveredAtTheSameTime() {
      Rig rig = new Rig().with(DispatchMode.IMMEDIATE, "g", "a", "b", "c").start();

      assertThat(rig.target.running()).containsExactly("a", "b", "c");
    }

    @Test
    void anOrderedGroupIsDeliveredOneAtATimeWithoutWaitingForAcks() {
      Rig rig = new Rig().holdStatements().ordered("g", "a", "b", "c").start();
      assertThat(rig.target.running()).containsExactly("a");

      rig.answer("a", OK);
      assertThat(rig.target.running()).containsExactly("b");
      rig.answer("b", OK);
      assertThat(rig.target.running()).containsExactly("c");
      assertThat(rig.queue.log()).noneMatch(s -> s.startsWith("ack"));
    }

    @Test
    void anOrderedModeWithoutAGroupIsImmediate() {
      Rig rig = new Rig().ordered("", "a", "b").start();

      assertThat(rig.target.running()).containsExactly("a", "b");
    }

    @Test
    void theNextIsDeliveredAfterARejectedHead() {
      Rig rig = new Rig().ordered("g", "a", "b").start();

      rig.answer("a", REFUSED).linger();

      assertThat(rig.target.running()).containsExactly("b");
      assertThat(rig.queue.quarantine()).containsExactly(entry("a", "400 bad"));
    }

    @Test
    void aRejectedHeadThatBlocksTakesItsFollowersIntoQuarantineBehindIt() {
      Rig rig = new Rig().with(DispatchMode.BLOCK_ON_ERROR, "g", "a", "b", "c").start();

      rig.holdStatements().answer("a", REFUSED).linger();
      assertThat(rig.target.running()).isEmpty();
      rig.releaseStatements().linger();

      assertThat(rig.target.running()).isEmpty();
      assertThat(rig.queue.quarantine())
          .containsOnly(entry("a", "BLOCKED: 400 bad"), entry("b", BEHIND), entry("c", BEHIND));
      assertThat(rig.settlements()).endsWith("reject a", "reject b c");
    }

    @Test
    void aReleasedHeadTakesItsFollowersBackBehindIt() {
      Rig rig = new Rig().ordered("g", "a", "b", "c").start();

      rig.answer("a", DOWN).linger().linger();

      assertThat(rig.queue.rows()).containsExactly("a delayed 30", "b delayed 30", "c delayed 30");
      assertThat(rig.settlements()).endsWith("nack a+30", "defer b+30 c+30");
      assertThat(rig.tally.progress()).isEqualTo(new RouterProgress(3, 0, 2, 1, 0, 0));
    }

    @Test
    void followersOfADeferredHeadStayAwayForTenSecondsAtLeast() {
      Rig rig = new Rig().ordered("g", "a", "b").start();

      rig.answer("a", new Outcome.Deferred(3)).linger().linger();

      assertThat(rig.queue.rows()).containsExactly("a delayed 3", "b delayed 10");
    }

    @Test
    void theGroupGoesOnInOrderWhenItsDelayIsOver() {
      Rig rig = new Rig().ordered("g", "a", "b").start();
      rig.answer("a", DOWN).linger().linger();

      rig.advance(Duration.ofSeconds(31)).answer("a", OK).answer("b", OK).linger();

      assertThat(rig.calls()).containsExactly("a", "a", "b");
      assertThat(rig.queue.isEmpty()).isTrue();
    }

    @Test
    void otherGroupsGoOnWhileOneIsBack() {
      Rig rig = new Rig().ordered("g", "a", "b").ordered("h", "x", "y").start();

      rig.answer("a", DOWN).answer("x", OK).linger();

      assertThat(rig.target.running()).containsExactly("y");
    }

    @Test
    void aPollThatLookedBeforeTheHandBackBringsInNothingToDeliver() {
      Rig rig = new Rig().ordered("g", "a").start().holdPolls();
      rig.queue.put("b", "g", DispatchMode.NEXT_ON_ERROR);
      rig.wake().runPoll();

      rig.answer("a", DOWN).linger().bringIn().linger();

      assertThat(rig.calls()).containsExactly("a");
      assertThat(rig.queue.rows()).containsExactly("a delayed 30", "b delayed 30");
      rig.checkPlaces();
    }

    @Test
    void aPollThatComesInBeforeTheHandBackIsCommittedBringsInNothingToDeliver() {
      Rig rig = new Rig().ordered("g", "a").start().holdStatements();
      rig.answer("a", DOWN).linger();

      rig.queue.put("b", "g", DispatchMode.NEXT_ON_ERROR);
      rig.wake();
      assertThat(rig.target.running()).isEmpty();
      rig.checkPlaces();
      rig.releaseStatements().linger();

      assertThat(rig.calls()).containsExactly("a");
      assertThat(rig.settlements()).endsWith("nack a+30", "defer b+30");
    }

    @Test
    void followersWaitUntilTheirHeadsHandBackSucceeds() {
      Rig rig = new Rig().ordered("g", "a", "b").start();
      rig.queue.fail(Fault.STATEMENT, "nack");

      rig.answer("a", DOWN).linger();
      assertThat(rig.queue.rows()).containsExactly("a claimed 120", "b claimed 120");
      rig.queue.heal();
      rig.advance(Duration.ofSeconds(1));

      assertThat(rig.settlements()).endsWith("nack a+30", "defer b+30");
    }

    @Test
    void aGroupStaysClosedWhileTheHandBackOfItsHeadIsRefused() {
      Rig rig = new Rig().ordered("g", "a").start();
      rig.queue.fail(Fault.STATEMENT, "nack a");
      rig.answer("a", DOWN).advance(Duration.ofSeconds(30));
      rig.ordered("g", "b").advance(Duration.ofMinutes(5));
      assertThat(rig.calls()).containsExactly("a");

      rig.queue.heal();
      rig.advance(Duration.ofSeconds(31));

      assertThat(rig.calls()).containsExactly("a");
      assertThat(rig.settlements()).endsWith("nack a+30", "defer b+30");
    }

    @Test
    void followersThatFailOneByOneNeverOvertakeEachOther() {
      Rig rig = new Rig().ordered("g", "a", "b", "c").start();
      rig.queue.fail(Fault.STATEMENT, "defer b");

      rig.answer("a", DOWN).linger().linger();
      assertThat(rig.queue.rows())
          .containsExactly("a delayed 30", "b claimed 120", "c claimed 120");
      rig.queue.heal();
      rig.advance(Duration.ofSeconds(1));

      assertThat(rig.settlements()).endsWith("nack a+30", "defer b+30 c+30");
    }
  }

  @Nested
  class Retries {
    @Test
    void aRetryInPlaceHoldsNoWorkerButItsGroup() {
      Rig rig = Rig.workers(1);
      rig.ordered("g", "a", "b").ordered("h", "x").start();

      rig.answer("a", BUSY);
      assertThat(rig.target.running()).containsExactly("x");
      rig.checkPlaces();
      rig.answer("x", OK).advance(Duration.ofMillis(1900));
      assertThat(rig.target.running()).isEmpty();
      rig.advance(Duration.ofMillis(100));

      assertThat(rig.target.running()).containsExactly("a");
      rig.answer("a", OK);
      assertThat(rig.calls()).containsExactly("a", "x", "a", "b");
    }

    @Test
    void theTenthCallIsTheLastInPlace() {
      Rig rig = new Rig().ordered("g", "a").start();

      for (int call = 1; call < 10; call++) {
        rig.answer("a", new Outcome.Deferred(0)).advance(Duration.ofSeconds(60));
      }
      rig.answer("a", new Outcome.Deferred(0)).linger();

      assertThat(rig.calls()).hasSize(10);
      assertThat(rig.queue.rows()).containsExactly("a delayed 60");
    }

    @Test
    void failuresAreRememberedFromClaimToClaim() {
      Rig rig = new Rig().immediate("a").start();

      for (int failure = 1; failure <= 4; failure++) {
        rig.answer("a", DOWN).advance(Duration.ofSeconds(32));
      }

      assertThat(rig.queue.log()).containsSubsequence("nack a+30", "nack a+30", "nack a+60");
    }

    @Test
    void aMessageIsRejectedAfterItsLastFailure() {
      Rig rig = new Rig(RouterOptions.DEFAULTS.withMaxFailures(2)).immediate("a").start();

      rig.answer("a", DOWN).advance(Duration.ofSeconds(32)).answer("a", DOWN).linger();

      assertThat(rig.queue.quarantine()).containsExactly(entry("a", "2 failures, the last: 503"));
    }

    @Test
    void whatWeBreakOurselvesIsCalledAgainAfterTenSeconds() {
      Rig rig = new Rig().ordered("g", "a", "b").start();

      rig.breakDown("a", new IllegalStateException("bug")).advance(Duration.ofMillis(9900));
      assertThat(rig.target.running()).isEmpty();
      rig.advance(Duration.ofMillis(100));

      assertThat(rig.target.running()).containsExactly("a");
    }

    @Test
    void aDroppedRejectIsAcked() {
      Rig rig = new Rig(RouterOptions.DEFAULTS.withOnReject(RouterOptions.OnReject.DROP));
      rig.immediate("a").start();

      rig.answer("a", REFUSED).linger();

      assertThat(rig.settlements()).endsWith("ack a");
      assertThat(rig.tally.progress().rejected()).isEqualTo(1);
    }

    @Test
    void aDeferralWaitsInPlaceWhereTheQueueKeepsNoOrderOfDelayed() {
      Rig rig = new Rig();
      rig.queue.honourNoDelayedReturn();
      rig.rebuilt().ordered("g", "a", "b").start();

      rig.answer("a", new Outcome.Deferred(15)).advance(Duration.ofSeconds(15));

      assertThat(rig.calls()).containsExactly("a", "a");
      assertThat(rig.queue.log()).noneMatch(s -> s.startsWith("defer"));
    }
  }

  @Nested
  class Flush {
    @Test
    void aFlushedGroupIsAckedWithoutCallsUntilItsTimeIsOver() {
      Rig rig = new Rig().ordered("g", "a", "b").with(DispatchMode.IMMEDIATE, "h", "x").start();

      rig.answer("a", new Outcome.DeliveredAndFlush(20)).linger();
      rig.with(DispatchMode.IMMEDIATE, "g", "c").advance(Duration.ofSeconds(2));
      assertThat(rig.queue.rows()).containsExactly("x claimed 118");
      assertThat(rig.tally.progress().suppressed()).isEqualTo(2);

      rig.advance(Duration.ofSeconds(20)).ordered("g", "d").advance(Duration.ofSeconds(1));
      assertThat(rig.calls()).containsExactly("a", "x", "d");
      rig.answer("d", OK).advance(Duration.ofSeconds(2));
      assertThat(rig.core().rememberedGroups()).isZero();
    }

    @Test
    void aMessageWithoutAGroupFlushesNothing() {
      Rig rig = new Rig().with(DispatchMode.IMMEDIATE, "", "a").start();

      rig.answer("a", new Outcome.DeliveredAndFlush(20));
      rig.with(DispatchMode.IMMEDIATE, "", "b").advance(Duration.ofSeconds(1));

      assertThat(rig.calls()).containsExactly("a", "b");
    }
  }

  @Nested
  class Claims {
    @Test
    void claimsThatAreStillHeldAreExtendedBeforeTheyLapse() {
      Rig rig = new Rig().ordered("g", "a", "b").start();

      rig.advance(Duration.ofMinutes(30));

      assertThat(rig.calls()).containsExactly("a");
      assertThat(rig.queue.rows()).noneMatch(r -> r.endsWith("lapsed"));
      assertThat(rig.queue.log()).contains("extend a b");
    }

    @Test
    void aClaimIsExtendedWithAThirdOfItsTimeLeft() {
      Rig rig = new Rig().immediate("a").start();

      rig.advance(Duration.ofMillis(79_900));
      assertThat(rig.queue.log()).doesNotContain("extend a");
      rig.advance(Duration.ofMillis(100));

      assertThat(rig.queue.rows()).containsExactly("a claimed 120");
    }

    @Test
    void aLaterClaimOfTheGroupIsExtendedTogetherWithTheEarlier() {
      Rig rig = new Rig().ordered("g", "a").start();
      rig.advance(Duration.ofSeconds(40)).ordered("g", "b").advance(Duration.ofSeconds(40));

      assertThat(rig.queue.rows()).containsExactly("a claimed 120", "b claimed 120");
    }

    @Test
    void aRedeliveryOfWhatIsHeldOnlyReplacesItsReceipt() {
      Rig rig = new Rig().ordered("g", "a", "b").start();
      rig.queue.fail(Fault.CONNECTION_LOST, "extend");

      rig.advance(Duration.ofSeconds(125));
      assertThat(rig.queue.rows()).noneMatch(r -> r.endsWith("lapsed"));
      rig.checkPlaces().answer("a", OK).answer("b", OK).linger();

      assertThat(rig.calls()).containsExactly("a", "b");
      assertThat(rig.queue.isEmpty()).isTrue();
    }

    @Test
    void anAckWhoseClaimLapsedIsRepeatedForTheNewClaim() {
      Rig rig = new Rig().immediate("a").start();
      rig.queue.fail(Fault.CONNECTION_LOST, "");
      rig.answer("a", OK).advance(Duration.ofSeconds(125)).holdStatements();
      rig.queue.heal();

      // The poll looks before the ack, and is heard of after it.
      rig.holdPolls().advance(Duration.ofSeconds(30)).runPoll();
      rig.runStatement();
      rig.tellStatement().checkPlaces();
      rig.bringIn().releasePolls().releaseStatements().linger();

      assertThat(rig.calls()).containsExactly("a");
      assertThat(rig.queue.isEmpty()).isTrue();
    }

    @Test
    void aMessagePublishedAnewUnderAnAckedIdIsDelivered() {
      Rig rig = new Rig().immediate("a").start().holdStatements();
      rig.answer("a", OK).linger().runStatement();
      rig.advance(Duration.ofSeconds(2)).immediate("a").advance(Duration.ofSeconds(2));
      assertThat(rig.calls()).containsExactly("a");

      rig.releaseStatements();

      assertThat(rig.calls()).containsExactly("a", "a");
    }

    @Test
    void aBufferedMessageThatSomeoneElseTookIsNotDeliveredAndItsFollowersGoBack() {
      Rig rig = new Rig().ordered("g", "a", "b", "c").start();
      rig.queue.steal("b");

      rig.advance(Duration.ofSeconds(81)).answer("a", OK).linger().linger();

      assertThat(rig.calls()).containsExactly("a");
      assertThat(rig.queue.rows()).containsExactly("b claimed 39", "c delayed 10");
      rig.checkPlaces();
    }
  }

  @Nested
  class Settling {
    @Test
    void settlementsOfAMomentShareAStatement() {
      Rig rig = new Rig().immediate("a", "b", "c", "d").start();

      rig.answer("a", OK).answer("b", OK).answer("c", DOWN).answer("d", REFUSED).linger();

      assertThat(rig.settlements()).endsWith("ack a b", "reject d", "nack c+30");
    }

    @Test
    void whatComesDuringARoundGoesIntoTheNext() {
      Rig rig = new Rig().immediate("a", "b", "c").start().holdStatements();
      rig.answer("a", OK).linger();

      rig.answer("b", OK).answer("c", OK).linger().releaseStatements().linger();

      assertThat(rig.settlements()).endsWith("ack a", "ack b c");
    }

    @Test
    void acksAreKeptWhileTheDatabaseIsGone() {
      Rig rig = new Rig().immediate("a", "b").start();
      rig.queue.fail(Fault.CONNECTION_LOST, "");

      rig.answer("a", OK).advance(Duration.ofMinutes(1)).answer("b", OK).checkPlaces();
      rig.queue.heal();
      rig.advance(Duration.ofSeconds(6));

      assertThat(rig.queue.isEmpty()).isTrue();
      assertThat(rig.calls()).containsExactly("a", "b");
    }

    @Test
    void anAckWhoseAnswerWasLostIsNotAnError() {
      Rig rig = new Rig().immediate("a").start();
      rig.queue.fail(Fault.ANSWER_LOST, "ack");
      rig.answer("a", OK).linger();
      rig.queue.heal();

      rig.advance(Duration.ofSeconds(1));

      assertThat(rig.core().held()).isZero();
      assertThat(rig.calls()).containsExactly("a");
    }

    @Test
    void aFailedBatchIsRetriedOneByOne() {
      Rig rig = new Rig().immediate("a", "b", "c").start();
      rig.queue.fail(Fault.STATEMENT, "ack a");

      rig.answer("a", OK).answer("b", OK).answer("c", OK).linger();

      assertThat(rig.settlements()).endsWith("ack b", "ack c");
      assertThat(rig.queue.rows()).containsExactly("a claimed 120");
    }

    @Test
    void whatTheDatabaseRefusesIsKeptAndDelaysNothingElse() {
      Rig rig = new Rig().immediate("a", "b").start();
      rig.queue.fail(Fault.STATEMENT, "ack a");
      rig.answer("a", OK).advance(Duration.ofMinutes(5));
      rig.answer("b", OK).linger();
      assertThat(rig.checkPlaces().core().held()).isEqualTo(1);
      assertThat(rig.calls()).containsExactly("a", "b");
      assertThat(rig.settlements()).endsWith("ack b");

      rig.queue.heal();
      rig.advance(Duration.ofSeconds(30));

      assertThat(rig.queue.isEmpty()).isTrue();
      assertThat(rig.core().held()).isZero();
    }

    @Test
    void whatTheDatabaseRefusesIsLeftToLapseAtTheEndOfTheDrainTime() {
      Rig rig = new Rig().immediate("a").start();
      rig.queue.fail(Fault.STATEMENT, "ack");
      rig.answer("a", OK).advance(Duration.ofSeconds(10)).stop();

      rig.advance(Duration.ofSeconds(59));
      assertThat(rig.core().stopped()).isNotDone();
      rig.advance(Duration.ofSeconds(1));

      assertThat(rig.core().stopped()).isDone();
      assertThat(rig.queue.rows()).containsExactly("a claimed 50");
    }

    @Test
    void aStatementThatHangsHoldsTheStopNoLongerThanFiveSeconds() {
      Rig rig = new Rig().immediate("a").start().holdStatements();
      rig.answer("a", OK).stop().advance(Duration.ofMillis(64_900));
      assertThat(rig.core().stopped()).isNotDone();
      rig.advance(Duration.ofMillis(100));
      assertThat(rig.core().stopped()).isDone();
    }
  }

  @Nested
  class Polling {
    @Test
    void aPollAsksForNoMoreThanThereIsRoomFor() {
      Rig rig = Rig.workers(1).immediate(ids(300)).start();
      rig.advance(Duration.ofSeconds(1));

      assertThat(rig.core().held()).isEqualTo(101);
      rig.checkPlaces();
    }

    @Test
    void aQueueThatGivesIsPolledAtOnceAndAnIdleOneEachInterval() {
      Rig rig = new Rig().ordered("g", "a", "b", "c").start();
      assertThat(rig.queue.log()).containsExactly("poll", "poll", "poll", "poll");

      rig.advance(Duration.ofSeconds(3));

      assertThat(rig.queue.log()).hasSize(7);
    }

    @Test
    void aPollThatHasNotLookedEverywhereIsFollowedAtOnce() {
      Rig rig = new Rig().immediate("a");
      rig.queue.unseen(3);
      rig.start();
      assertThat(rig.queue.log()).containsExactly("poll");

      rig.advance(Duration.ofMillis(5)).advance(Duration.ofMillis(5)).advance(Duration.ofMillis(5));

      assertThat(rig.calls()).containsExactly("a");
    }

    @Test
    void whoLooksForSomethingInVainDoesSoForHalfOfTheTimeAtMost() {
      Rig rig = new Rig();
      rig.queue.unseen(100);
      rig.holdPolls().start();
      rig.advance(Duration.ofMillis(40)).runPoll();
      rig.bringIn();

      rig.advance(Duration.ofMillis(39));
      assertThat(rig.runPoll()).isFalse();
      rig.advance(Duration.ofMillis(1));
      assertThat(rig.runPoll()).isTrue();
    }

    @Test
    void malformedRowsDoNotMakeAQueueIdle() {
      Rig rig = new Rig();
      rig.queue.malformed(5);

      rig.start();

      assertThat(rig.queue.log()).containsExactly("poll", "poll");
      assertThat(rig.tally.progress()).isEqualTo(new RouterProgress(5, 0, 0, 0, 5, 0));
    }

    @Test
    void anIdleQueueIsPolledAtOnceWhenWakened() {
      Rig rig = new Rig().start().immediate("a");

      rig.wake();

      assertThat(rig.target.running()).containsExactly("a");
    }

    @Test
    void anExclusiveQueueIsPolledSoonHoweverOftenItsGroupsBecomeFree() {
      Rig rig = new Rig().start();
      rig.queue.exclusiveGroups = true;
      rig.immediate("a");

      for (int i = 0; i < 3; i++) {
        rig.coreSteps.execute(rig.lane()::roundOver);
        rig.settleDown().advance(Duration.ofMillis(3));
      }

      assertThat(rig.target.running()).containsExactly("a");
    }

    @Test
    void aLittleRoomIsUsedAfterAMoment() {
      Rig rig = Rig.workers(1).immediate(ids(300)).start();
      rig.answer("m1", OK).linger();
      assertThat(rig.core().held()).isEqualTo(100);

      rig.advance(Duration.ofMillis(100));

      assertThat(rig.core().held()).isEqualTo(101);
    }

    @Test
    void pollingBacksOffWhileTheDatabaseIsGoneAndResumes() {
      Rig rig = new Rig();
      rig.queue.fail(Fault.CONNECTION_LOST, "poll");
      rig.start().advance(Duration.ofMinutes(2)).immediate("a");
      rig.queue.heal();

      rig.advance(Duration.ofSeconds(30));

      assertThat(rig.target.running()).containsExactly("a");
    }

    @Test
    void exclusiveGroupsArePolledAgainWhenSettlementsAreCommitted() {
      Rig rig = new Rig();
      rig.queue.exclusiveGroups = true;
      rig.immediate("a").start();
      rig.immediate("b");

      rig.answer("a", OK).linger().advance(Duration.ofMillis(5));

      assertThat(rig.target.running()).containsExactly("b");
    }

    @Test
    void groupsThatAreDoneAreForgotten() {
      Rig rig = new Rig().ordered("g", "a", "b").ordered("h", "x").start();

      rig.answer("a", OK).answer("b", OK).answer("x", DOWN).advance(Duration.ofSeconds(2));

      assertThat(rig.core().rememberedGroups()).isZero();
    }
  }

  @Nested
  class Draining {
    private final CompletableFuture<Void> drained = new CompletableFuture<>();

    private Rig draining(Rig rig, Duration wait) {
      rig.coreSteps.execute(() -> rig.lane().drain(wait, drained));
      return rig.start();
    }

    @Test
    void anEmptyQueueIsDrainedWithOnePoll() {
      Rig rig = draining(new Rig(), Duration.ZERO);

      assertThat(drained.isDone()).isTrue();
      assertThat(rig.queue.log()).containsExactly("poll");
    }

    @Test
    void pollsThatKeepFailingThoughTheDatabaseAnswersEndADrain() {
      Rig rig = new Rig().ordered("g", "a");
      rig.queue.fail(FakeQueue.Fault.STATEMENT, "poll");
      draining(rig, Duration.ZERO);
      assertThat(drained.isDone()).isFalse();

      rig.advance(Duration.ofMinutes(1));

      assertThat(drained).isCompletedExceptionally();
    }

    @Test
    void aPollThatHasNotLookedEverywhereDoesNotEndADrain() {
      Rig rig = new Rig().ordered("g", "a");
      rig.queue.unseen(2);
      draining(rig, Duration.ZERO).advance(Duration.ofMillis(200));
      assertThat(drained.isDone()).isFalse();

      rig.answer("a", OK).linger();

      assertThat(drained.isDone()).isTrue();
      assertThat(rig.queue.isEmpty()).isTrue();
    }

    @Test
    void aPollThatFoundOnlyLockedRowsDoesNotEndADrain() {
      Rig rig = new Rig().ordered("g", "a");
      rig.queue.lockRows(true);
      draining(rig, Duration.ZERO);
      assertThat(drained.isDone()).isFalse();

      rig.queue.lockRows(false);
      rig.advance(Duration.ofMillis(100));

      assertThat(rig.calls()).containsExactly("a");
    }

    @Test
    void threeEmptyPollsEndADrainWhateverTheCountsSay() {
      Rig rig = new Rig().ordered("g", "a");
      rig.queue.lockRows(true);
      draining(rig, Duration.ZERO).advance(Duration.ofMillis(100));
      assertThat(drained.isDone()).isFalse();

      rig.advance(Duration.ofMillis(100));

      assertThat(drained.isDone()).isTrue();
      assertThat(rig.queue.log()).containsExactly("poll", "poll", "poll");
    }

    @Test
    void aDrainEndsWhenNothingIsHeldAndNothingIsClaimable() {
      Rig rig = draining(new Rig().ordered("g", "a", "b"), Duration.ZERO);
      rig.answer("a", OK).answer("b", OK);
      assertThat(drained.isDone()).isFalse();

      rig.linger();

      assertThat(drained.isDone()).isTrue();
      assertThat(rig.queue.isEmpty()).isTrue();
    }

    @Test
    void aDrainDoesNotWaitForDelaysThatTargetsAskedFor() {
      Rig rig = draining(new Rig().ordered("g", "a", "b"), Duration.ZERO);

      rig.answer("a", new Outcome.Deferred(60)).linger().linger();

      assertThat(drained.isDone()).isTrue();
      assertThat(rig.queue.rows()).containsExactly("a delayed 60", "b delayed 60");
    }

    @Test
    void aDrainThatWaitsGoesOnUntilTheQueueIsEmpty() {
      Rig rig = draining(new Rig().ordered("g", "a"), Duration.ofSeconds(90));
      rig.answer("a", new Outcome.Deferred(60)).advance(Duration.ofSeconds(59));
      assertThat(drained.isDone()).isFalse();

      rig.advance(Duration.ofSeconds(2)).answer("a", OK).advance(Duration.ofSeconds(1));

      assertThat(drained.isDone()).isTrue();
    }

    @Test
    void aDrainWaitsNoLongerThanItWasTold() {
      Rig rig = draining(new Rig().ordered("g", "a"), Duration.ofSeconds(20));
      rig.answer("a", new Outcome.Deferred(60)).advance(Duration.ofSeconds(19));
      assertThat(drained.isDone()).isFalse();

      rig.advance(Duration.ofMillis(1100));

      assertThat(drained.isDone()).isTrue();
    }
  }

  @Nested
  class Stopping {
    private boolean stopped(Rig rig) {
      return rig.core().stopped().isDone();
    }

    @Test
    void bufferedMessagesGoBackAtOnceInOrder() {
      Rig rig = Rig.workers(1);
      rig.immediate("a").ordered("g", "x", "y", "z").start();

      rig.stop();

      assertThat(rig.queue.rows())
          .containsExactly("a claimed 120", "x pending", "y pending", "z pending");
      assertThat(rig.settlements()).endsWith("defer x+0 y+0 z+0");
      assertThat(stopped(rig)).isFalse();
      rig.answer("a", OK);
      assertThat(stopped(rig)).isTrue();
      assertThat(rig.queue.rows()).hasSize(3);
    }

    @Test
    void aTailWaitsForTheSettlementOfItsHead() {
      Rig rig = new Rig().ordered("g", "a", "b", "c").start().stop();
      assertThat(rig.queue.rows()).allMatch(r -> r.endsWith("claimed 120"));

      rig.holdStatements().answer("a", OK);
      assertThat(rig.queue.rows()).hasSize(3);
      rig.releaseStatements();

      assertThat(rig.queue.rows()).containsExactly("b pending", "c pending");
      assertThat(stopped(rig)).isTrue();
    }

    @Test
    void aTailGoesBackBehindAHeadThatFails() {
      Rig rig = new Rig().ordered("g", "a", "b").start().stop();

      rig.answer("a", DOWN);

      assertThat(rig.queue.rows()).containsExactly("a delayed 30", "b delayed 30");
    }

    @Test
    void aHeadBetweenTwoCallsGoesBackWithWhatIsLeftOfItsWait() {
      Rig rig = new Rig().ordered("g", "a", "b").start();
      rig.answer("a", new Outcome.RateLimited(30)).advance(Duration.ofSeconds(10)).stop();

      assertThat(rig.queue.rows()).containsExactly("a delayed 20", "b delayed 20");
      assertThat(stopped(rig)).isTrue();
    }

    @Test
    void aRetryThatFallsIntoTheStopGoesBackInstead() {
      Rig rig = new Rig().ordered("g", "a", "b").start().stop();

      rig.answer("a", BUSY);

      assertThat(rig.queue.rows()).containsExactly("a delayed 2", "b delayed 10");
      assertThat(stopped(rig)).isTrue();
    }

    @Test
    void atTheEndOfTheDrainTimeHeadsStayClaimedAndTailsAreDueNoEarlier() {
      Rig rig = new Rig().ordered("g", "a", "b").immediate("x").start().stop();

      rig.advance(Duration.ofSeconds(60));

      assertThat(stopped(rig)).isTrue();
      assertThat(rig.queue.rows()).containsExactly("a claimed 60", "b delayed 120", "x claimed 60");
    }

    @Test
    void anAnswerAfterTheDrainTimeChangesNothing() {
      Rig rig = new Rig().ordered("g", "a").start().stop().advance(Duration.ofSeconds(60));

      rig.answer("a", OK);

      assertThat(rig.queue.rows()).containsExactly("a claimed 60");
    }

    @Test
    void whatAPollUnderWayBringsInGoesBack() {
      Rig rig = new Rig().start().ordered("g", "a").immediate("x").holdPolls();
      rig.wake().runPoll();

      rig.stop();
      assertThat(stopped(rig)).isFalse();
      rig.bringIn();

      assertThat(stopped(rig)).isTrue();
      assertThat(rig.calls()).isEmpty();
      assertThat(rig.queue.rows()).containsExactly("a pending", "x pending");
    }

    @Test
    void settlementsAreRetriedUntilTheEndOfTheDrainTime() {
      Rig rig = new Rig().immediate("a").start();
      rig.queue.fail(Fault.CONNECTION_LOST, "");
      rig.answer("a", OK).stop().advance(Duration.ofSeconds(59));
      assertThat(stopped(rig)).isFalse();

      rig.advance(Duration.ofSeconds(1));

      assertThat(stopped(rig)).isTrue();
      assertThat(rig.queue.rows()).containsExactly("a claimed 60");
    }

    @Test
    void theLastTryAtTheEndOfTheDrainTimeMaySucceed() {
      Rig rig = new Rig().immediate("a").start();
      rig.queue.fail(Fault.CONNECTION_LOST, "");
      rig.answer("a", OK).stop().advance(Duration.ofMillis(59_900));
      rig.queue.heal();

      rig.advance(Duration.ofMillis(100));

      assertThat(stopped(rig)).isTrue();
      assertThat(rig.queue.isEmpty()).isTrue();
    }

    @Test
    void nothingIsPolledAfterTheStop() {
      Rig rig = new Rig().start().stop();
      int polls = rig.queue.log().size();

      rig.immediate("a").wake().advance(Duration.ofSeconds(10));

      assertThat(rig.queue.log()).hasSize(polls);
    }
  }
}
