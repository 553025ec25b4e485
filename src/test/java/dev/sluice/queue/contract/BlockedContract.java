package dev.sluice.queue.contract;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Rejection;
import dev.sluice.queue.SchemaReport.Extra;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Groups that stand still behind a message in quarantine. */
abstract class BlockedContract extends QueueContract {
  private static final FailedFilter GROUP_A = new FailedFilter(List.of(), "a", null);

  @Test
  void aReasonThatSaysSoBlocksTheGroupOfItsMessage() {
    publish("a1", "b1", "c1");
    List<Receipt> receipts = receipts(queue().poll(3));
    queue()
        .rejectBatch(
            List.of(
                new Rejection(receipts.get(0), "BLOCKED: 404"),
                new Rejection(receipts.get(1), "malformed: BLOCKED: no"),
                new Rejection(receipts.get(2), "BLOCKED:404")));

    assertThat(queue().blockedGroups(List.of("a", "b", "c", "d", "A"))).containsExactly("a");
    assertThat(queue().blockedGroups(List.of("b", "c"))).isEmpty();
    assertThat(queue().blockedGroups(List.of())).isEmpty();
    assertThat(queue().blockedGroups(List.of("a", "a"))).containsExactly("a");
    assertThat(queue().admin().stats().blockedGroups()).isOne();
  }

  @Test
  void aGroupIsBlockedUntilItsLastRowIsGone() {
    blocked("a1", "a2");

    queue().admin().discardFailed(new FailedFilter(List.of(), null, "first"));
    assertThat(queue().blockedGroups(List.of("a"))).containsExactly("a");

    queue().admin().discardFailed(GROUP_A);
    assertThat(queue().blockedGroups(List.of("a"))).isEmpty();
  }

  @Test
  void aGroupOfTheSameNameInAnotherQueueIsNotBlocked() {
    assumeThat(backend().holdsManyQueues()).isTrue();
    blocked("a1");
    sql("UPDATE " + backend().quarantineTable() + " SET queue_name = 'other'");

    assertThat(queue().blockedGroups(List.of("a"))).isEmpty();
  }

  @Test
  void withoutAQuarantineNothingIsBlocked() {
    sql("DROP TABLE " + backend().quarantineTable());

    assertThat(queue().blockedGroups(List.of("a"))).isEmpty();
  }

  @Test
  void aQuarantineOfAnOlderVersionAnswersWithoutItsIndexAndGetsItWithTheOthers() {
    sql(
        """
        DO $$ DECLARE i text; BEGIN
          FOR i IN SELECT indexname FROM pg_indexes WHERE indexname LIKE '%sluice_blocked%' LOOP
            EXECUTE 'DROP INDEX ' || i;
          END LOOP;
        END $$""");
    assertThat(queue().checkSchema().usable()).isTrue();
    blocked("a1");
    publish("a2");
    queue().rejectBatch(List.of(behind(claimed())));

    assertThat(queue().blockedGroups(List.of("a", "b"))).containsExactly("a");
    assertThat(quarantinedIds()).containsExactly("a1", "a2");

    queue().admin().createExtra(Extra.CLAIM_INDEXES);
    assertThat(queue().checkSchema().extras()).containsExactly(Extra.CLAIM_INDEXES);
    assertThat(queue().blockedGroups(List.of("a", "b"))).containsExactly("a");
  }

  @Test
  void aMessageBehindABlockedHeadGoesToQuarantine() {
    blocked("a1");
    publish("a2");

    assertThat(queue().rejectBatch(List.of(behind(claim().receipt())))).isEmpty();

    assertThat(quarantine()).extracting("error").containsExactly("BLOCKED: first", "BLOCKED: a1");
    assertThat(waiting()).isZero();
    assertThat(queue().counters().rejected()).isEqualTo(2);
    assertThat(queue().counters().deferred()).isZero();
  }

  @Test
  void aMessageBehindNobodyGoesBackAtOnceInItsOldPlace() {
    publish("a1", "a2");
    Receipt receipt = claim().receipt();

    assertThat(queue().rejectBatch(List.of(behind(receipt)))).isEmpty();

    assertThat(quarantine()).isEmpty();
    assertThat(queue().counters().rejected()).isZero();
    assertThat(queue().counters().deferred()).isOne();
    assertThat(queue().ackBatch(List.of(receipt))).containsExactly(receipt);
    assertThat(drain()).containsExactly("a1", "a2");
  }

  @Test
  void oneBatchHoldsThoseThatGoBackThoseThatStayAndThoseThatHeldNothing() {
    blocked("a1");
    publish("a2", "b1", "c1");
    List<Receipt> receipts = receipts(queue().poll(3));
    Receipt unknown = new Receipt("nonsense");

    assertThat(
            queue()
                .rejectBatch(
                    List.of(
                        behind(receipts.get(0)),
                        behind(unknown),
                        behind(receipts.get(1)),
                        new Rejection(receipts.get(2), "no"))))
        .containsExactly(unknown);

    assertThat(quarantinedIds()).containsExactlyInAnyOrder("a1", "a2", "c1");
    assertThat(poll(10)).containsExactly("b1");
  }

  @Test
  void anOutdatedReceiptBehindOthersHeldNothing() {
    blocked("a1");
    publish("a2");
    Receipt outdated = outdated();

    assertThat(queue().rejectBatch(List.of(behind(outdated)))).containsExactly(outdated);

    assertThat(quarantinedIds()).containsExactly("a1");
  }

  @Test
  void aHeadBlocksThoseBehindItInTheSameBatch() {
    assumeThat(backend().successorsWaitForTheOneInFlight()).isFalse();
    publish("a1", "a2", "a3", "a4");
    List<Receipt> receipts = List.of(claimed(), claimed(), claimed(), claimed());

    queue()
        .rejectBatch(
            List.of(
                behind(receipts.get(0)),
                new Rejection(receipts.get(1), "BLOCKED: 404"),
                behind(receipts.get(2)),
                behind(receipts.get(3))));

    assertThat(quarantinedIds()).containsExactly("a2", "a3", "a4");
    assertThat(poll(10)).containsExactly("a1");
  }

  @Test
  void aPlainRejectionInTheSameBatchBlocksNobody() {
    assumeThat(backend().successorsWaitForTheOneInFlight()).isFalse();
    publish("a1", "a2");
    List<Receipt> receipts = List.of(claimed(), claimed());

    queue().rejectBatch(List.of(new Rejection(receipts.get(0), "404"), behind(receipts.get(1))));

    assertThat(quarantinedIds()).containsExactly("a1");
    assertThat(poll(10)).containsExactly("a2");
  }

  @Test
  void aRequeueRestoresTheOrderOfABlockedGroup() {
    publish("a1");
    advance(1);
    publish("a2", "a3");
    queue().reject(claim().receipt(), "BLOCKED: first");
    queue().rejectBatch(List.of(behind(claim().receipt())));
    advance(1);
    publish("a4");
    var inFlight = claim();
    advance(1);
    publish("a5");

    assertThat(queue().admin().requeueFailed(GROUP_A).requeued()).isEqualTo(2);
    queue().rejectBatch(List.of(behind(inFlight.receipt())));

    assertThat(queue().blockedGroups(List.of("a"))).isEmpty();
    assertThat(drain()).containsExactly("a1", "a2", "a3", "a4", "a5");
  }

  /** What ends the block of a group by hand. */
  enum Undo {
    REQUEUE,
    DISCARD
  }

  @ParameterizedTest
  @EnumSource
  void whoUndoesABlockTakesAlongARejectionThatCameFirst(Undo undo) throws Exception {
    blocked("a1");
    publish("a2");
    Receipt receipt = claim().receipt();

    inTurn(
        backend().lockOfTheClaimed(),
        () -> queue().rejectBatch(List.of(behind(receipt))),
        () -> undo(undo));

    assertThat(quarantine()).isEmpty();
    assertThat(drain()).isEqualTo(undo == Undo.REQUEUE ? List.of("a1", "a2") : List.<String>of());
  }

  /** The driver sends a statement otherwise once it has prepared it, after a few runs. */
  @ParameterizedTest
  @EnumSource
  void whatWasPreparedHoldsItsLockAsWhatRunsForTheFirstTime(Undo undo) throws Exception {
    for (int i = 0; i < 10; i++) {
      undo(undo);
    }
    aRejectionThatComesAfterTheUndoingGivesItsMessageBack(undo);
  }

  @ParameterizedTest
  @EnumSource
  void aRejectionThatComesAfterTheUndoingGivesItsMessageBack(Undo undo) throws Exception {
    blocked("a1");
    publish("a2");
    Receipt receipt = claim().receipt();

    inTurn(
        "SELECT 1 FROM " + backend().quarantineTable() + " FOR UPDATE",
        () -> undo(undo),
        () -> queue().rejectBatch(List.of(behind(receipt))));

    assertThat(quarantine()).isEmpty();
    assertThat(drain()).isEqualTo(undo == Undo.REQUEUE ? List.of("a1", "a2") : List.of("a2"));
  }

  @Test
  void aBlockedHeadThatComesAfterTheUndoingStaysBlocked() throws Exception {
    blocked("a1");
    publish("a2");
    Receipt receipt = claim().receipt();

    inTurn(
        "SELECT 1 FROM " + backend().quarantineTable() + " FOR UPDATE",
        () -> undo(Undo.REQUEUE),
        () -> queue().reject(receipt, "BLOCKED: second"));

    assertThat(quarantinedIds()).containsExactly("a2");
    assertThat(queue().blockedGroups(List.of("a"))).containsExactly("a");
  }

  /** Two rejections beside each other: neither waits for the other. */
  @Test
  void rejectionsDoNotWaitForEachOther() throws Exception {
    publish("a1", "b1");
    List<Receipt> receipts = receipts(queue().poll(2));
    try (Connection holder = connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute(backend().lockOfTheClaimed() + " SKIP LOCKED LIMIT 1");
      ExecutorService thread = Executors.newFixedThreadPool(2);
      try {
        List<Future<Boolean>> both =
            receipts.stream()
                .map(receipt -> thread.submit(() -> queue().reject(receipt, "BLOCKED: 404")))
                .toList();
        await().until(() -> quarantine().size() == 1);
        holder.rollback();
        for (Future<Boolean> one : both) {
          assertThat(one.get()).isTrue();
        }
      } finally {
        thread.shutdownNow();
      }
    }
  }

  private int undo(Undo undo) {
    return undo == Undo.REQUEUE
        ? queue().admin().requeueFailed(GROUP_A).requeued()
        : queue().admin().discardFailed(GROUP_A);
  }

  /** Has the first stop in its midst at a lock, begins the second, and lets both go on. */
  private void inTurn(String lock, Callable<?> first, Callable<?> second) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (Connection holder = connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute(lock);
      Future<?> one = threads.submit(first);
      awaitWaiting(1);
      Future<?> two = threads.submit(second);
      awaitWaiting(2);
      holder.rollback();
      one.get();
      two.get();
    } finally {
      threads.shutdownNow();
    }
  }

  private void awaitWaiting(int sessions) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      await()
          .pollInterval(Duration.ofMillis(5))
          .until(
              () -> {
                try (ResultSet row =
                    statement.executeQuery(
                        "SELECT count(*) FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND wait_event_type = 'Lock'")) {
                  row.next();
                  return row.getInt(1) == sessions;
                }
              });
    }
  }

  private Receipt claimed() {
    return claim().receipt();
  }

  private static Rejection behind(Receipt receipt) {
    return new Rejection(receipt, "BLOCKED: a1", true);
  }

  /** Publishes these and has them in quarantine, the first as the head. */
  private void blocked(String head, String... followers) {
    publish(head);
    queue().reject(claim().receipt(), "BLOCKED: first");
    for (String follower : followers) {
      publish(follower);
      queue().rejectBatch(List.of(behind(claim().receipt())));
    }
    assertThat(Set.copyOf(quarantinedIds())).hasSize(1 + followers.length);
  }
}
