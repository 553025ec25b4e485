package dev.sluice.router;

import static dev.sluice.router.TableRig.DOWN;
import static dev.sluice.router.TableRig.OK;
import static dev.sluice.router.TableRig.REFUSED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.Outcome;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.testing.TestDatabase;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The router's rules, shown on the table that they are for. */
class RouterOnTableTest {
  private static TestDatabase database;

  @BeforeAll
  static void createTable() {
    database = TestDatabase.fresh();
    LegacyQueue.builder(database.dataSource(), "any").build().initSchema();
  }

  @AfterAll
  static void dropDatabase() {
    database.close();
  }

  private static TableRig rig() {
    return rig(RouterOptions.DEFAULTS, 20);
  }

  private static TableRig rig(RouterOptions options, int concurrency) {
    return new TableRig(database, options, Duration.ofMinutes(2), concurrency);
  }

  @Test
  void anOrderedGroupIsDeliveredOneByOneInTheOrderOfTheTable() {
    TableRig rig = rig().ordered("g", "a", "b", "c").start();

    rig.answer("a", OK).answer("b", OK).answer("c", OK).linger();

    assertThat(rig.calls()).containsExactly("a", "b", "c");
    assertThat(rig.rows()).isEmpty();
  }

  @Test
  void immediateMessagesOfAGroupAreDeliveredAtTheSameTime() {
    TableRig rig = rig().publish(DispatchMode.IMMEDIATE, "g", "a", "b", "c").start();

    assertThat(rig.running()).containsExactly("a", "b", "c");
  }

  @Test
  void aRetryIsCalledBeforeWhatWasNeverCalled() {
    TableRig rig = rig(RouterOptions.DEFAULTS, 1);
    rig.ordered("g", "a", "b").ordered("h", "x").ordered("i", "y").start();

    rig.answer("a", new Outcome.RateLimited(2)).seconds(3);
    assertThat(rig.running()).containsExactly("x");
    rig.answer("x", OK);

    assertThat(rig.running()).containsExactly("a");
  }

  @Test
  void followersGoBackBehindTheirHeadWithItsDelay() {
    TableRig rig = rig().ordered("g", "a", "b", "c").start();

    rig.answer("a", DOWN).linger();

    assertThat(rig.rows()).containsExactly("a delayed 30", "b delayed 30", "c delayed 30");
    assertThat(rig.settlements()).containsExactly("nack a+30", "defer b+30 c+30");
  }

  @Test
  void followersGoBackForTenSecondsAtLeast() {
    TableRig rig = rig().ordered("g", "a", "b").start();

    rig.answer("a", new Outcome.Deferred(3)).linger();

    assertThat(rig.rows()).containsExactly("a delayed 3", "b delayed 10");
  }

  @Test
  void theLongestDeferralIsStoredWithoutACap() {
    TableRig rig = rig().ordered("g", "a", "b").start();

    rig.answer("a", new Outcome.Deferred(4_294_967_295L)).linger();

    assertThat(rig.rows()).containsExactly("a delayed 4294967295", "b delayed 4294967295");
  }

  @Test
  void aPollThatLookedBeforeTheHandBackBringsInNothingToDeliver() {
    TableRig rig = rig().ordered("g", "a").start().holdPolls(true);
    rig.ordered("g", "b").wake().runPoll();

    rig.answer("a", DOWN).linger().hear().linger();

    assertThat(rig.calls()).containsExactly("a");
    assertThat(rig.rows()).containsExactly("a delayed 30", "b delayed 30");
  }

  @Test
  void aPollBeforeTheHandBackThatIsHeardOfAfterItBringsInNothingToDeliver() {
    TableRig rig = rig().ordered("g", "a").start().holdPolls(true).holdStatements(true);
    rig.ordered("g", "b").wake().runPoll();

    rig.answer("a", DOWN).linger().runStatement().hearLatestFirst();
    rig.holdStatements(false).holdPolls(false).linger();

    assertThat(rig.calls()).containsExactly("a");
    assertThat(rig.rows()).containsExactly("a delayed 30", "b delayed 30");
  }

  @Test
  void whatIsPublishedBehindAReturnedHeadWaitsForItInTheTable() {
    TableRig rig = rig().ordered("g", "a").start().answer("a", DOWN).linger();

    rig.ordered("g", "b").seconds(29);
    assertThat(rig.running()).isEmpty();
    rig.seconds(3).answer("a", OK).answer("b", OK).linger();

    assertThat(rig.calls()).containsExactly("a", "a", "b");
    assertThat(rig.rows()).isEmpty();
  }

  @Test
  void aRejectedHeadThatBlocksTakesItsFollowersIntoQuarantine() {
    TableRig rig = rig().publish(DispatchMode.BLOCK_ON_ERROR, "g", "a", "b", "c").start();

    rig.answer("a", REFUSED).linger();

    assertThat(rig.running()).isEmpty();
    assertThat(rig.quarantine())
        .containsExactly(
            "a: BLOCKED: 400 bad",
            "b: BLOCKED: behind an earlier message of its group",
            "c: BLOCKED: behind an earlier message of its group");
    assertThat(rig.settlements()).containsExactly("reject a", "reject b c");
  }

  @Test
  void theNextIsDeliveredAfterARejectedHead() {
    TableRig rig = rig().ordered("g", "a", "b").start();

    rig.answer("a", REFUSED).linger();

    assertThat(rig.running()).containsExactly("b");
    assertThat(rig.quarantine()).containsExactly("a: 400 bad");
  }

  @Test
  void aDroppedRejectLeavesNoTrace() {
    TableRig rig = rig(RouterOptions.DEFAULTS.withOnReject(RouterOptions.OnReject.DROP), 20);

    rig.ordered("g", "a").start().answer("a", REFUSED).linger();

    assertThat(rig.rows()).isEmpty();
    assertThat(rig.quarantine()).isEmpty();
  }

  @Test
  void aMessageIsQuarantinedAfterItsLastFailure() {
    TableRig rig = rig(RouterOptions.DEFAULTS.withMaxFailures(2), 20).ordered("g", "a").start();

    rig.answer("a", DOWN).seconds(32).answer("a", DOWN).linger();

    assertThat(rig.quarantine()).containsExactly("a: 2 failures, the last: 503");
  }

  @Test
  void aFlushedGroupIsAckedWithoutCalls() {
    TableRig rig = rig().ordered("g", "a", "b").ordered("h", "x").start();

    rig.answer("a", new Outcome.DeliveredAndFlush(20)).ordered("g", "c").seconds(2);

    assertThat(rig.calls()).containsExactly("a", "x");
    assertThat(rig.rows()).containsExactly("x claimed 118");
    assertThat(rig.tally.progress().suppressed()).isEqualTo(2);
  }

  @Test
  void allClaimsOfAGroupAreExtendedInOneCallToOneInstant() {
    TableRig rig = rig().ordered("g", "a").start().seconds(40).ordered("g", "b");

    rig.seconds(40);

    assertThat(rig.settlements()).containsExactly("extend a b");
    assertThat(rig.rows()).containsExactly("a claimed 120", "b claimed 120");
  }

  @Test
  void aSlowDeliveryIsCalledOnce() {
    TableRig rig = rig().ordered("g", "a", "b").start().seconds(900);

    assertThat(rig.calls()).containsExactly("a");
  }

  @Test
  void theAckOfARedeliveredMessageUsesItsNewestReceipt() {
    TableRig rig = rig().ordered("g", "a", "b").start();
    rig.queue.failBefore("extend", ScriptedQueue.connectionLost());

    rig.seconds(125);
    assertThat(rig.rows()).noneMatch(r -> r.endsWith("lapsed"));
    rig.answer("a", OK).answer("b", OK).linger();

    assertThat(rig.calls()).containsExactly("a", "b");
    assertThat(rig.rows()).isEmpty();
  }

  @Test
  void whatSomeoneElseTookIsNotDeliveredAndItsFollowersGoBack() {
    TableRig rig = rig().ordered("g", "a", "b", "c").start();
    rig.steal("b");

    rig.seconds(81).answer("a", OK).linger();

    assertThat(rig.calls()).containsExactly("a");
    assertThat(rig.rows()).containsExactly("b claimed 39", "c delayed 10");
  }

  @Test
  void aFailedBatchIsRetriedOneByOne() {
    TableRig rig = rig().ordered("g", "a").ordered("h", "b").ordered("i", "c").start();
    rig.queue.failBefore("ack a", ScriptedQueue.statementFails());

    rig.answer("a", OK).answer("b", OK).answer("c", OK).linger();

    assertThat(rig.settlements()).startsWith("ack a b c", "ack a", "ack b", "ack c");
    assertThat(rig.rows()).containsExactly("a claimed 120");
  }

  @Test
  void acksAreKeptWhileTheDatabaseIsGone() {
    TableRig rig = rig().ordered("g", "a", "b").start();
    rig.queue.failBefore("", ScriptedQueue.connectionLost());

    rig.answer("a", OK).seconds(60).answer("b", OK).seconds(10);
    assertThat(rig.rows()).hasSize(2);
    rig.queue.heal();
    rig.seconds(6);

    assertThat(rig.rows()).isEmpty();
    assertThat(rig.calls()).containsExactly("a", "b");
  }

  @Test
  void aHandBackWhoseAnswerWasLostIsFollowedInOrder() {
    TableRig rig = rig().ordered("g", "a", "b").start();
    rig.queue.failAfter("nack", ScriptedQueue.connectionLost());
    rig.answer("a", DOWN).linger();
    rig.queue.heal();

    rig.seconds(2);

    assertThat(rig.rows()).containsExactly("a delayed 28", "b delayed 28");
  }

  @Test
  void ourOwnExceptionMeansARetryAfterTenSeconds() {
    TableRig rig = rig().ordered("g", "a", "b").start().breakDown("a");

    rig.advance(Duration.ofMillis(9_999));
    assertThat(rig.running()).isEmpty();
    rig.advance(Duration.ofMillis(1));

    assertThat(rig.calls()).containsExactly("a", "a");
  }

  @Test
  void anErrorInAPollDoesNotEndPolling() {
    TableRig rig = rig().ordered("g", "a");
    rig.queue.failBefore("poll", ScriptedQueue.error());
    rig.start();
    rig.queue.heal();

    rig.seconds(2);

    assertThat(rig.running()).containsExactly("a");
  }

  @Test
  void anErrorInAnAckDoesNotEndSettling() {
    TableRig rig = rig().ordered("g", "a").start();
    rig.queue.failBefore("ack", ScriptedQueue.error());
    rig.answer("a", OK).linger();
    rig.queue.heal();

    rig.seconds(2);

    assertThat(rig.rows()).isEmpty();
    assertThat(rig.core.held()).isZero();
  }

  @Test
  void anErrorInAnExtensionDoesNotEndExtending() {
    TableRig rig = rig().ordered("g", "a").start();
    rig.queue.failBefore("extend", ScriptedQueue.error());
    rig.seconds(81);
    rig.queue.heal();

    rig.seconds(20);

    assertThat(rig.settlements()).containsExactly("extend a", "extend a");
    assertThat(rig.rows()).containsExactly("a claimed 109");
  }

  @Test
  void aPollAsksForNoMoreThanThereIsRoomFor() {
    TableRig rig = rig(RouterOptions.DEFAULTS, 1);
    rig.publish(
        DispatchMode.IMMEDIATE,
        "",
        IntStream.range(0, 150).mapToObj(i -> "m" + (100 + i)).toArray(String[]::new));

    rig.start();

    assertThat(rig.queue.log()).containsExactly("poll 101");
    assertThat(rig.core.held()).isEqualTo(101);
  }

  @Test
  void bufferedMessagesGoBackAtOnceInOrderWhenTheRouterStops() {
    TableRig rig = rig(RouterOptions.DEFAULTS, 1);
    rig.ordered("a", "a").ordered("g", "x", "y", "z").start().stop();

    assertThat(rig.rows()).containsExactly("a claimed 120", "x pending", "y pending", "z pending");
    assertThat(rig.settlements()).containsExactly("defer x+0 y+0 z+0");
    rig.answer("a", OK);
    assertThat(rig.core.stopped()).isDone();
  }

  @Test
  void aTailWaitsForTheSettlementOfItsHeadWhenTheRouterStops() {
    TableRig rig = rig().ordered("g", "a", "b", "c").start().stop();
    assertThat(rig.rows()).containsExactly("a claimed 120", "b claimed 120", "c claimed 120");

    rig.answer("a", DOWN);

    assertThat(rig.rows()).containsExactly("a delayed 30", "b delayed 30", "c delayed 30");
    assertThat(rig.core.stopped()).isDone();
  }

  @Test
  void headsStayClaimedAtTheEndOfTheDrainTimeAndTailsAreDueNoEarlier() {
    TableRig rig = rig().ordered("g", "a", "b").start().stop();

    rig.seconds(60);

    assertThat(rig.core.stopped()).isDone();
    assertThat(rig.rows()).containsExactly("a claimed 60", "b delayed 120");
  }

  @Test
  void whatAPollUnderWayBringsInGoesBackWhenTheRouterStops() {
    TableRig rig = rig().start().holdPolls(true).ordered("g", "a").wake().runPoll().stop();
    assertThat(rig.core.stopped()).isNotDone();

    rig.hear();

    assertThat(rig.core.stopped()).isDone();
    assertThat(rig.calls()).isEmpty();
    assertThat(rig.rows()).containsExactly("a pending");
  }

  @Test
  void aDrainEndsWhenNothingIsClaimableAndReportsCounts() {
    TableRig rig = rig().ordered("g", "a", "b").ordered("h", "x", "y").drain(Duration.ZERO);

    rig.answer("a", OK).answer("b", REFUSED);
    assertThat(rig.drained).isNotDone();
    rig.answer("x", DOWN).linger();

    assertThat(rig.drained).isDone();
    assertThat(rig.rows()).containsExactly("x delayed 30", "y delayed 30");
    assertThat(rig.tally.progress()).isEqualTo(new RouterProgress(4, 1, 1, 1, 1, 0));
  }

  @Test
  void aDrainThatWaitsDeliversWhatWasDelayed() {
    TableRig rig = rig().ordered("g", "a").drain(Duration.ofSeconds(90));
    rig.answer("a", new Outcome.Deferred(60)).seconds(59);
    assertThat(rig.drained).isNotDone();

    rig.seconds(2).answer("a", OK).seconds(2);

    assertThat(rig.drained).isDone();
    assertThat(rig.rows()).isEmpty();
  }
}
