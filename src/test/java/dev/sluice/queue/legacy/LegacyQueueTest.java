package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.Counters;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.FailedMessage;
import dev.sluice.queue.Message;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.QueueAdmin.PublishPreview;
import dev.sluice.queue.QueueClosedException;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.queue.QueueRow;
import dev.sluice.queue.QueueStats;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Rejection;
import dev.sluice.queue.Return;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.StaleReceiptException;
import dev.sluice.testing.OneConnection;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LegacyQueueTest {
  private static final long START = 1_800_000_000L;

  private final AtomicLong now = new AtomicLong(START);
  private TestDatabase database;
  private LegacyQueue queue;

  @BeforeEach
  void createTable() {
    database = TestDatabase.fresh();
    queue = queue("orders");
    queue.initSchema();
  }

  @AfterEach
  void dropDatabase() {
    database.close();
  }

  // ---- poll

  @Test
  void aPollClaimsTheOldestFirstAndReturnsThemInOrder() {
    publishAt(START, message("c"), message("a"));
    publishAt(START - 5, message("z"));

    assertThat(ids(queue.poll(2))).containsExactly("z", "a");
    assertThat(ids(queue.poll(2))).containsExactly("c");
  }

  @Test
  void aClaimedMessageCarriesItsReceiptAndTimes() {
    queue.publish(message("m1").withGroup("g"));

    Delivery delivery = queue.poll(1).deliveries().get(0);

    assertThat(delivery.brokerId()).isEqualTo("m1");
    assertThat(delivery.queue()).isEqualTo("orders");
    assertThat(delivery.claimGroup()).isEqualTo("g");
    assertThat(delivery.receiveCount()).hasValue(1);
    assertThat(delivery.receipt().value()).matches("[0-9a-f-]{36}:m1");
    assertThat(delivery.createdAt()).isEqualTo(Instant.ofEpochSecond(START));
    assertThat(delivery.visibleAt()).isEqualTo(Instant.ofEpochSecond(START + 30));
    assertThat(delivery.payload())
        .isEqualTo(
            "{\"id\":\"m1\",\"mediationType\":\"HTTP\",\"mediationTarget\":\"https://t.example/hook\","
                + "\"messageGroupId\":\"g\"}");
  }

  @Test
  void allReceiptsOfAPollShareItsUuid() {
    queue.publishBatch(List.of(message("a"), message("b")));

    List<Delivery> deliveries = queue.poll(2).deliveries();

    String uuid = deliveries.get(0).receipt().value().substring(0, 36);
    assertThat(deliveries)
        .extracting(d -> d.receipt().value())
        .containsExactly(uuid + ":a", uuid + ":b");
  }

  @Test
  void aPollReturnsOneMessageOfAGroupAndTheNextPollItsSuccessor() {
    queue.publishBatch(
        List.of(message("a1").withGroup("a"), message("a2").withGroup("a"), message("b1")));

    assertThat(ids(queue.poll(10))).containsExactly("a1", "b1");
    assertThat(ids(queue.poll(10))).containsExactly("a2");
  }

  @Test
  void aDelayedHeadHoldsBackItsGroup() {
    queue.publishBatch(List.of(message("a1").withGroup("a"), message("a2").withGroup("a")));
    queue.nack(queue.poll(1).deliveries().get(0).receipt(), Duration.ofSeconds(5));

    assertThat(ids(queue.poll(10))).isEmpty();

    now.addAndGet(5);
    assertThat(ids(queue.poll(10))).containsExactly("a1");
  }

  @Test
  void aLapsedClaimIsRedeliveredAndCounted() {
    queue.publish(message("a"));
    queue.poll(1);
    now.addAndGet(29);
    assertThat(ids(queue.poll(1))).isEmpty();

    now.addAndGet(1);
    Delivery again = queue.poll(1).deliveries().get(0);

    assertThat(again.receiveCount()).hasValue(2);
  }

  @Test
  void aNullReceiveCountCountsAsZero() {
    queue.publish(message("a"));
    sql("UPDATE queue_messages SET receive_count = NULL");

    assertThat(queue.poll(1).deliveries().get(0).receiveCount()).hasValue(1);
  }

  @Test
  void aGroupNamedLikeAnIdSharesItsKey() {
    publishAt(START - 1, message("x"));
    publishAt(START, message("y").withGroup("x"));

    assertThat(ids(queue.poll(10))).containsExactly("x");
  }

  @Test
  void theEmptyStringIsAGroup() {
    publishAt(START - 1, message("a").withGroup(""));
    publishAt(START, message("b").withGroup(""));

    assertThat(ids(queue.poll(10))).containsExactly("a");
  }

  @Test
  void aRowLockedElsewhereIsSkippedWithItsGroup() throws SQLException {
    publishAt(START - 1, message("a1").withGroup("a"));
    publishAt(START, message("a2").withGroup("a"), message("b"));
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM queue_messages WHERE id = 'a1' FOR UPDATE");

      assertThat(ids(queue.poll(10))).containsExactly("b");
      other.rollback();
    }
  }

  @Test
  void malformedRowsGoToQuarantineAndTheRestIsReturned() {
    queue.publishBatch(List.of(message("bad"), message("good")));
    sql("UPDATE queue_messages SET payload = '{\"id\": 5}' WHERE id = 'bad'");

    PollResult result = queue.poll(10);

    assertThat(ids(result)).containsExactly("good");
    assertThat(result.taken()).isEqualTo(2);
    assertThat(result.quarantined()).isEqualTo(1);
    FailedMessage failed = queue.admin().listFailed(FailedFilter.ALL, 10).get(0);
    assertThat(failed.id()).isEqualTo("bad");
    assertThat(failed.payload()).isEqualTo("{\"id\": 5}");
    assertThat(failed.error()).startsWith("malformed: ");
    assertThat(failed.receiveCount()).hasValue(1);
  }

  @Test
  void aBatchOfMalformedRowsIsNoEmptyQueue() {
    queue.publishBatch(List.of(message("a"), message("b"), message("c")));
    sql("UPDATE queue_messages SET payload = 'null'");

    PollResult result = queue.poll(2);

    assertThat(result.deliveries()).isEmpty();
    assertThat(result.taken()).isEqualTo(2);
  }

  @Test
  void malformedRowsStayClaimedWhereThereIsNoQuarantine() {
    queue.publishBatch(List.of(message("bad"), message("good")));
    sql("UPDATE queue_messages SET payload = '' WHERE id = 'bad'");
    sql("DROP TABLE queue_messages_failed");

    PollResult result = queue.poll(10);

    assertThat(ids(result)).containsExactly("good");
    assertThat(result.quarantined()).isZero();
    assertThat(text("SELECT count(*) FROM queue_messages WHERE receipt_handle LIKE '%:bad'"))
        .isEqualTo("1");
  }

  @Test
  void anotherQueueIsNotTouched() {
    queue.insertBatch(List.of(new QueueRow("other", message("a"))));

    assertThat(ids(queue.poll(10))).isEmpty();
    assertThat(ids(queue("other").poll(10))).containsExactly("a");
  }

  @Test
  void aQueueNameMayHoldAnyCharacterButNul() {
    LegacyQueue odd = queue("it's \"odd\" %_\\ ✓");
    odd.publish(message("o'brien"));

    assertThat(ids(odd.poll(1))).containsExactly("o'brien");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue("a\0b"))
        .withMessage("queue name: must not hold a NUL character");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue(""))
        .withMessage("queue name: must not be empty");
  }

  @Test
  void aPollOfLessThanOneIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue.poll(0))
        .withMessage("max: must be at least 1, was 0");
  }

  @Test
  void aVisibilityOfZeroOrLessMeansThirtySeconds() {
    LegacyQueue other =
        LegacyQueue.builder(database.dataSource(), "orders")
            .clock(now::get)
            .visibility(Duration.ofSeconds(-1))
            .build();
    other.publish(message("a"));

    assertThat(other.poll(1).deliveries().get(0).visibleAt())
        .isEqualTo(Instant.ofEpochSecond(START + 30));
  }

  // ---- settle

  @Test
  void anAckDeletesTheMessage() {
    queue.publish(message("a"));
    queue.ack(claim());

    assertThat(count()).isZero();
  }

  @Test
  void anAckWithAnOutdatedReceiptIsAnErrorAndDeletesNothing() {
    queue.publish(message("a"));
    Receipt outdated = claim();
    now.addAndGet(30);
    claim();

    assertThatThrownBy(() -> queue.ack(outdated))
        .isInstanceOf(StaleReceiptException.class)
        .hasMessageContaining("orders")
        .hasMessageContaining(outdated.value());
    assertThat(count()).isOne();
  }

  @Test
  void anAckWithAnUnknownReceiptIsAnError() {
    assertThatThrownBy(() -> queue.ack(new Receipt("nonsense")))
        .isInstanceOf(StaleReceiptException.class);
  }

  @Test
  void anAckAfterALapseStillHoldsUntilSomebodyClaimsAnew() {
    queue.publish(message("a"));
    Receipt receipt = claim();
    now.addAndGet(60);

    queue.ack(receipt);

    assertThat(count()).isZero();
  }

  @Test
  void anIdMayHoldAColon() {
    queue.publish(message("a:b:c"));

    queue.ack(claim());

    assertThat(count()).isZero();
  }

  @Test
  void aBatchOfAcksTellsWhichHeldNothing() {
    queue.publishBatch(List.of(message("a"), message("b")));
    List<Delivery> deliveries = queue.poll(2).deliveries();
    Receipt unknown = new Receipt("11111111-1111-1111-1111-111111111111:a");

    assertThat(
            queue.ackBatch(
                List.of(deliveries.get(0).receipt(), unknown, deliveries.get(1).receipt())))
        .containsExactly(unknown);
    assertThat(count()).isZero();
  }

  @Test
  void aNackMakesTheMessageVisibleAfterItsDelay() {
    queue.publish(message("a"));
    queue.nack(claim(), Duration.ofSeconds(7));

    assertThat(
            text(
                "SELECT receipt_handle IS NULL AND visible_at = "
                    + (START + 7)
                    + " FROM queue_messages"))
        .isEqualTo("t");
  }

  @Test
  void aDelayIsRoundedUpToWholeSeconds() {
    queue.publish(message("a"));
    queue.nack(claim(), Duration.ofMillis(1));

    assertThat(text("SELECT visible_at - " + START + " FROM queue_messages")).isEqualTo("1");
  }

  @Test
  void aNackWithAnOutdatedReceiptChangesNothingAndIsNoError() {
    queue.publish(message("a"));
    Receipt outdated = claim();
    now.addAndGet(30);
    Receipt newest = claim();

    queue.nack(outdated, Duration.ZERO);
    queue.defer(outdated, Duration.ofSeconds(9));

    assertThat(text("SELECT receipt_handle FROM queue_messages")).isEqualTo(newest.value());
  }

  @Test
  void aNegativeDelayIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue.nack(new Receipt("x:y"), Duration.ofSeconds(-1)))
        .withMessageContaining("delay");
  }

  @Test
  void returnsOfOneBatchHaveTheirOwnDelays() {
    queue.publishBatch(List.of(message("a"), message("b")));
    List<Delivery> d = queue.poll(2).deliveries();

    queue.nackBatch(
        List.of(
            new Return(d.get(0).receipt(), Duration.ZERO),
            new Return(d.get(1).receipt(), Duration.ofSeconds(3))));

    assertThat(
            text(
                "SELECT string_agg(id || (visible_at - "
                    + START
                    + "), ',' ORDER BY id) FROM queue_messages"))
        .isEqualTo("a0,b3");
  }

  @Test
  void aRejectMovesTheRowToQuarantineAsItIs() {
    queue.publish(message("a").withGroup("g"));
    String payload = text("SELECT payload FROM queue_messages");
    now.addAndGet(3);

    assertThat(queue.reject(claim(), "404 from https://t.example/hook")).isTrue();

    assertThat(count()).isZero();
    FailedMessage failed = queue.admin().listFailed(FailedFilter.ALL, 10).get(0);
    assertThat(failed)
        .isEqualTo(
            new FailedMessage(
                "orders",
                "a",
                "g",
                payload,
                "404 from https://t.example/hook",
                1,
                Instant.ofEpochSecond(START),
                Instant.ofEpochSecond(START + 3)));
  }

  @Test
  void aRejectWithAnOutdatedReceiptDoesNothing() {
    queue.publish(message("a"));
    Receipt outdated = claim();
    now.addAndGet(30);
    claim();

    assertThat(queue.reject(outdated, "no")).isFalse();
    assertThat(count()).isOne();
    assertThat(queue.admin().listFailed(FailedFilter.ALL, 10)).isEmpty();
  }

  @Test
  void aReasonIsCutAtAThousandCharactersAndMayHoldAnything() {
    queue.publish(message("a"));
    queue.reject(claim(), "\0" + "😀".repeat(1_500));

    assertThat(queue.admin().listFailed(FailedFilter.ALL, 1).get(0).error())
        .isEqualTo("\uFFFD" + "😀".repeat(999));
  }

  @Test
  void quarantiningAnIdAgainKeepsTheLatestFailure() {
    queue.publish(message("a"));
    queue.reject(claim(), "first");
    queue.publish(message("a"));
    queue.reject(claim(), "second");

    assertThat(queue.admin().listFailed(FailedFilter.ALL, 10))
        .extracting(FailedMessage::error)
        .containsExactly("second");
  }

  @Test
  void anExtensionMovesTheEndOfTheClaim() {
    queue.publish(message("a"));
    Receipt receipt = claim();
    now.addAndGet(20);

    assertThat(queue.extendVisibility(List.of(receipt), Duration.ofSeconds(60))).isEmpty();

    assertThat(text("SELECT visible_at - " + START + " FROM queue_messages")).isEqualTo("80");
  }

  @Test
  void anExtensionTellsWhichClaimsAreGone() {
    queue.publish(message("a"));
    Receipt receipt = claim();
    queue.ack(receipt);

    assertThat(queue.extendVisibility(List.of(receipt), Duration.ofSeconds(60)))
        .containsExactly(receipt);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue.extendVisibility(List.of(receipt), Duration.ZERO))
        .withMessageStartingWith("duration");
  }

  // ---- publish

  @Test
  void aRowIsWrittenAsGoWritesIt() {
    queue.publish(message("a").withGroup("g"));

    assertThat(
            text(
                "SELECT concat_ws('|', id, queue_name, message_group_id, receipt_handle IS NULL,"
                    + " visible_at, created_at, receive_count) FROM queue_messages"))
        .isEqualTo("a|orders|g|t|" + START + "|" + START + "|0");
  }

  @Test
  void anIdThatWaitsAlreadyIsLeftAloneAndReturned() {
    queue.publish(message("a").withGroup("first"));

    assertThat(
            queue.publishBatch(
                List.of(message("a").withGroup("second"), message("b"), message("b"))))
        .containsExactly("a", "b", "b");

    assertThat(
            text(
                "SELECT string_agg(id || COALESCE(message_group_id, ''), ',' ORDER BY id) FROM queue_messages"))
        .isEqualTo("afirst,b");
  }

  @Test
  void anEmptyBatchIsANoOp() {
    assertThat(queue.publishBatch(List.of())).isEmpty();
    assertThat(queue.ackBatch(List.of())).isEmpty();
    assertThat(queue.nackBatch(List.of())).isEmpty();
    assertThat(queue.deferBatch(List.of())).isEmpty();
    assertThat(queue.rejectBatch(List.of())).isEmpty();
    assertThat(queue.extendVisibility(List.of(), Duration.ofSeconds(1))).isEmpty();
  }

  @Test
  void aNulIsRefusedBeforeAnyRowIsWritten() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue.publishBatch(List.of(message("a"), message("b\0"))))
        .withMessage("id: must not hold a NUL character");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue.publishBatch(List.of(message("a"), message("b").withGroup("\0"))))
        .withMessage("message group: must not hold a NUL character");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue.insertBatch(List.of(new QueueRow("q\0", message("a")))))
        .withMessage("queue name: must not hold a NUL character");
    assertThat(count()).isZero();
  }

  @Test
  void aBatchIsAllOrNothing() {
    sql("ALTER TABLE queue_messages ADD CHECK (id <> 'b')");

    assertThatThrownBy(() -> queue.publishBatch(List.of(message("a"), message("b"))))
        .hasMessageContaining("publish on queue 'orders'")
        .hasMessageContaining("23514")
        .hasMessageNotContaining("t.example");
    assertThat(count()).isZero();
  }

  @Test
  void aLargeBatchIsAllOrNothing() {
    sql("ALTER TABLE queue_messages ADD CHECK (id <> '0150')");

    assertThatThrownBy(() -> queue.publishBatch(numbered(0, 200))).hasMessageContaining("23514");
    assertThat(count()).isZero();
  }

  @Test
  void behindAnIdThatWaitedLargeBatchesAreWrittenInOneGo() {
    sql("CREATE SEQUENCE writes");
    sql(
        "CREATE FUNCTION count_writes() RETURNS trigger LANGUAGE plpgsql AS"
            + " 'BEGIN PERFORM nextval(''writes''); RETURN NULL; END'");
    sql(
        "CREATE TRIGGER count_writes BEFORE INSERT ON queue_messages"
            + " FOR EACH STATEMENT EXECUTE FUNCTION count_writes()");

    queue.publishBatch(numbered(0, 100));
    assertThat(text("SELECT last_value FROM writes")).isEqualTo("1");
    queue.publishBatch(numbered(50, 100));
    assertThat(text("SELECT last_value FROM writes")).isEqualTo("3");
    queue.publishBatch(numbered(100, 100));
    assertThat(text("SELECT last_value FROM writes")).isEqualTo("4");
    assertThat(count()).isEqualTo(200);
  }

  @Test
  void publishersOfTheSameLargeBatchInOppositeOrderBothSucceed() throws Exception {
    queue.admin().createExtra(Extra.NOTIFY);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int first = 0; first < 2_000; first += 200) {
        List<Message> batch = new ArrayList<>(numbered(first, 200));
        // Of a queue of its own each time, which has met no id that waits.
        Future<List<String>> forth = threads.submit(publishing(List.copyOf(batch)));
        Collections.reverse(batch);
        Future<List<String>> back = threads.submit(publishing(List.copyOf(batch)));

        assertThat(forth.get()).hasSize(200);
        assertThat(back.get()).hasSize(200);
        assertThat(count()).isEqualTo(first + 200);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private Callable<List<String>> publishing(List<Message> batch) {
    LegacyQueue publisher = queue("orders");
    return () -> publisher.publishBatch(batch);
  }

  private static List<Message> numbered(int from, int count) {
    return IntStream.range(from, from + count).mapToObj(i -> message("%04d".formatted(i))).toList();
  }

  @Test
  void rowsOfABatchMayNameDifferentQueues() {
    queue.insertBatch(
        List.of(new QueueRow("orders", message("a")), new QueueRow("bills", message("a"))));

    assertThat(text("SELECT string_agg(queue_name, ',' ORDER BY queue_name) FROM queue_messages"))
        .isEqualTo("bills,orders");
  }

  @Test
  void withoutAnInjectedClockTheDatabasesIsUsed() {
    LegacyQueue real = LegacyQueue.builder(database.dataSource(), "orders").build();
    real.publish(message("a"));

    assertThat(text("SELECT abs(extract(epoch FROM now()) - created_at) < 5 FROM queue_messages"))
        .isEqualTo("t");
    assertThat(ids(real.poll(1))).containsExactly("a");
  }

  // ---- metrics, admin

  @Test
  void metricsCountEachState() {
    makeOneOfEachState();

    assertThat(queue.metrics()).isEqualTo(new QueueMetrics(2, 1, 1, 1, 1));
    assertThat(queue.metrics().total()).isEqualTo(5);
  }

  @Test
  void countersTellWhatThisInstanceDid() {
    queue.publishBatch(List.of(message("a"), message("b"), message("c"), message("d")));
    List<Delivery> d = queue.poll(4).deliveries();
    queue.ack(d.get(0).receipt());
    queue.nack(d.get(1).receipt(), Duration.ZERO);
    queue.defer(d.get(2).receipt(), Duration.ZERO);
    queue.reject(d.get(3).receipt(), "no");
    queue.nack(d.get(3).receipt(), Duration.ZERO);

    assertThat(queue.counters()).isEqualTo(new Counters(4, 1, 1, 1, 1));
  }

  @Test
  void aPreviewRanksIdsAsTheColumnComparesThem() {
    sql("ALTER TABLE queue_messages ALTER COLUMN id TYPE text COLLATE \"und-x-icu\"");
    queue.publish(message("Z"));

    PublishPreview preview =
        queue.admin().previewPublish(List.of("b", "Z", "a", "b")).orElseThrow();

    assertThat(preview.ranks()).containsExactly(2L, 3L, 1L, 2L);
    assertThat(preview.waiting()).containsExactly("Z");
    assertThat(preview.now()).isEqualTo(Instant.ofEpochSecond(START));
  }

  @Test
  void aPreviewOfNothingTellsTheTime() {
    PublishPreview preview = queue.admin().previewPublish(List.of()).orElseThrow();

    assertThat(preview)
        .isEqualTo(new PublishPreview(Instant.ofEpochSecond(START), List.of(), Set.of()));
  }

  @Test
  void statsShowAQueueToAnOperator() {
    makeOneOfEachState();
    queue.insertBatch(List.of(new QueueRow("bills", message("x"))));
    now.addAndGet(2);

    QueueStats orders =
        new QueueStats(
            "orders", "legacy", new QueueMetrics(2, 1, 1, 1, 1), 4, 1, OptionalLong.of(62));
    QueueStats bills =
        new QueueStats(
            "bills", "legacy", new QueueMetrics(1, 0, 0, 0, 0), 1, 0, OptionalLong.of(2));
    assertThat(queue.admin().stats()).isEqualTo(orders);
    assertThat(queue.admin().statsOfAllQueues()).containsExactly(bills, orders);
    assertThat(queue("none").admin().stats())
        .isEqualTo(
            new QueueStats(
                "none", "legacy", new QueueMetrics(0, 0, 0, 0, 0), 0, 0, OptionalLong.empty()));
  }

  @Test
  void statsAndPeekWorkWithoutQuarantine() {
    queue.publish(message("a"));
    sql("DROP TABLE queue_messages_failed");

    assertThat(queue.admin().stats().metrics())
        .isEqualTo(new QueueMetrics(1, OptionalLong.of(0), 0, 0, OptionalLong.empty()));
    assertThat(queue.admin().statsOfAllQueues()).hasSize(1);
    assertThat(queue.metrics().pending()).isOne();
    assertThat(queue.admin().peek(Optional.empty(), 1)).hasSize(1);
    assertThat(queue.admin().listFailed(FailedFilter.ALL, 1)).isEmpty();
    assertThatThrownBy(() -> queue.admin().discardFailed(FailedFilter.ALL))
        .hasMessageContaining("queue_messages_failed")
        .hasMessageContaining("schema init");
  }

  @Test
  void aPeekShowsWhatAPollWouldClaimAndClaimsNothing() {
    queue.publishBatch(
        List.of(message("a1").withGroup("a"), message("a2").withGroup("a"), message("b")));

    assertThat(queue.admin().peek(Optional.empty(), 10))
        .extracting("id")
        .containsExactly("a1", "b");
    assertThat(queue.admin().peek(Optional.of("a"), 10)).extracting("id").containsExactly("a1");
    assertThat(queue.admin().peek(Optional.empty(), 1)).extracting("id").containsExactly("a1");
    assertThat(ids(queue.poll(10))).containsExactly("a1", "b");
  }

  @Test
  void aRequeuedMessageTakesItsOldPlaceInItsGroup() {
    publishAt(START - 10, message("a1").withGroup("a"));
    publishAt(START - 5, message("a2").withGroup("a"));
    queue.reject(claim(), "no");

    assertThat(queue.admin().requeueFailed(FailedFilter.ALL).requeued()).isOne();

    assertThat(ids(queue.poll(10))).containsExactly("a1");
    assertThat(
            text(
                "SELECT concat_ws('|', created_at, receive_count) FROM queue_messages WHERE id = 'a1'"))
        .isEqualTo((START - 10) + "|1");
  }

  @Test
  void aRequeueLeavesWhatIsBackInTheQueueAndSaysSo() {
    queue.publish(message("a"));
    queue.reject(claim(), "no");
    queue.publish(message("a"));

    var result = queue.admin().requeueFailed(FailedFilter.ALL);

    assertThat(result.requeued()).isZero();
    assertThat(result.inTheWay()).containsExactly("a");
    assertThat(queue.admin().listFailed(FailedFilter.ALL, 10)).hasSize(1);
  }

  @Test
  void quarantineIsFilteredByIdGroupAndReason() {
    queue.publishBatch(List.of(message("a").withGroup("g"), message("b"), message("c")));
    List<Delivery> d = queue.poll(3).deliveries();
    queue.rejectBatch(
        List.of(
            new Rejection(d.get(0).receipt(), "404 Not Found"),
            new Rejection(d.get(1).receipt(), "malformed: %"),
            new Rejection(d.get(2).receipt(), "404 not found")));

    assertThat(failed(new FailedFilter(List.of("b", "c"), null, null))).containsExactly("b", "c");
    assertThat(failed(new FailedFilter(List.of(), "g", null))).containsExactly("a");
    assertThat(failed(new FailedFilter(List.of(), null, "NOT FOUND"))).containsExactly("a", "c");
    assertThat(failed(new FailedFilter(List.of(), null, "%"))).containsExactly("b");
    assertThat(queue.admin().discardFailed(new FailedFilter(List.of("b"), null, null))).isOne();
    assertThat(failed(FailedFilter.ALL)).containsExactly("a", "c");
  }

  @Test
  void aQuarantineTableWithNullableErrorsIsRead() {
    sql("ALTER TABLE queue_messages_failed ALTER COLUMN error_message DROP NOT NULL");
    queue.publish(message("a"));
    queue.reject(claim(), "no");
    sql("UPDATE queue_messages_failed SET error_message = NULL");

    assertThat(queue.checkSchema().usable()).isTrue();
    assertThat(queue.admin().listFailed(FailedFilter.ALL, 1).get(0).error()).isEmpty();
    assertThat(queue.admin().stats().metrics().quarantined()).hasValue(1);
  }

  // ---- schema

  @Test
  void aFreshSchemaChecksClean() {
    assertThat(queue.checkSchema())
        .isEqualTo(new SchemaReport(List.of(), Optional.empty(), List.of()));
  }

  @Test
  void initOnAnExistingTableIsANoOp() {
    queue.publish(message("a"));
    sql("DROP INDEX idx_queue_visible");
    sql("ALTER TABLE queue_messages ADD COLUMN ours text");

    queue.initSchema();

    assertThat(count()).isOne();
    assertThat(text("SELECT to_regclass('idx_queue_visible') IS NULL")).isEqualTo("t");
  }

  @Test
  void aMissingTableIsNamed() {
    sql("DROP TABLE queue_messages");

    assertThat(queue.checkSchema().differences())
        .containsExactly("table queue_messages does not exist");
    assertThatThrownBy(() -> queue.poll(1))
        .hasMessageContaining("queue_messages")
        .hasMessageContaining("42P01");
    assertThat(text("SELECT to_regclass('queue_messages') IS NULL")).isEqualTo("t");
  }

  @Test
  void differencesAreNamed() {
    sql("ALTER TABLE queue_messages DROP COLUMN receive_count");
    sql("ALTER TABLE queue_messages ALTER COLUMN visible_at TYPE integer");
    sql("ALTER TABLE queue_messages ADD COLUMN tenant text NOT NULL");

    assertThat(queue.checkSchema().differences())
        .containsExactly(
            "table queue_messages: column visible_at is integer, must be bigint",
            "table queue_messages has no column receive_count integer",
            "table queue_messages: column tenant is NOT NULL without a default, and nobody writes it");
  }

  @Test
  void aTableOfManyTablesIsRefused() {
    sql("CREATE TABLE archive () INHERITS (queue_messages)");

    assertThat(queue.checkSchema().differences())
        .containsExactly(
            "table queue_messages is partitioned or inherited from; it must be a plain table");
  }

  @Test
  void anIndexOfAnotherSchemasTableIsNotDropped() {
    queue.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
    sql("CREATE SCHEMA first");
    sql("ALTER DATABASE " + text("SELECT current_database()") + " SET search_path = first, public");
    sql("CREATE TABLE first.queue_messages (LIKE public.queue_messages)");
    LegacyQueue there = LegacyQueue.builder(database.dataSource(2), "orders").build();

    there.admin().dropExtra(SchemaReport.Extra.CLAIM_INDEXES);

    assertThat(text("SELECT to_regclass('public.sluice_claim_fresh') IS NOT NULL")).isEqualTo("t");
  }

  @Test
  void numbersThatNoClockAndNoCounterHoldStopNothing() {
    queue.publishBatch(List.of(message("a"), message("b"), message("c")));
    sql("UPDATE queue_messages SET created_at = 1795974835116000000 WHERE id = 'a'");
    sql("UPDATE queue_messages SET receive_count = 2147483647 WHERE id = 'b'");

    List<Delivery> d = queue.poll(10).deliveries();

    assertThat(d).extracting(Delivery::brokerId).containsExactly("b", "c", "a");
    assertThat(d.get(0).receiveCount()).hasValue(2_147_483_647);
    assertThat(d.get(2).createdAt()).isEqualTo(Instant.ofEpochSecond(Instant.MAX.getEpochSecond()));
  }

  @Test
  void aColumnOfTheOwnersNeverGetsInTheWay() {
    sql(
        "ALTER TABLE queue_messages ADD COLUMN reason text, ADD COLUMN receipt text, ADD COLUMN now int");
    queue.publishBatch(List.of(message("a"), message("b"), message("c")));
    List<Delivery> d = queue.poll(10).deliveries();

    assertThat(queue.reject(d.get(0).receipt(), "no")).isTrue();
    queue.nack(d.get(1).receipt(), Duration.ZERO);
    queue.extendVisibility(List.of(d.get(2).receipt()), Duration.ofSeconds(9));
    queue.ack(d.get(2).receipt());

    assertThat(queue.metrics()).isEqualTo(new QueueMetrics(1, 0, 0, 0, 1));
    assertThat(queue.admin().requeueFailed(FailedFilter.ALL).requeued()).isOne();
    assertThat(queue.admin().stats().metrics().total()).isEqualTo(2);
  }

  @Test
  void aMissingQuarantineIsTold() {
    sql("DROP TABLE queue_messages_failed");

    assertThat(queue.checkSchema().missingQuarantine()).contains("queue_messages_failed");
    assertThat(queue.checkSchema().usable()).isTrue();
  }

  @Test
  void aMissingKeyIsNamed() {
    sql("ALTER TABLE queue_messages DROP CONSTRAINT queue_messages_pkey");

    assertThat(queue.checkSchema().differences())
        .containsExactly("table queue_messages has no unique key (queue_name, id)");
  }

  @Test
  void claimIndexesComeAndGo() {
    queue.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
    queue.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
    assertThat(queue.checkSchema().extras()).containsExactly(SchemaReport.Extra.CLAIM_INDEXES);

    queue.admin().dropExtra(SchemaReport.Extra.CLAIM_INDEXES);
    queue.admin().dropExtra(SchemaReport.Extra.CLAIM_INDEXES);
    assertThat(queue.checkSchema().extras()).isEmpty();
    assertThat(
            text(
                "SELECT string_agg(indexname, ',' ORDER BY indexname) FROM pg_indexes WHERE tablename = 'queue_messages'"))
        .isEqualTo("idx_queue_visible,queue_messages_pkey");
  }

  @Test
  void theScriptMakesTheSameSchema() {
    try (TestDatabase other = TestDatabase.fresh()) {
      LegacyQueue there = LegacyQueue.builder(other.dataSource(), "orders").build();
      // The bodies of functions, between dollars, hold semicolons of their own.
      String ends = ";\\s*\\n(?=(?:[^$]*\\$\\$[^$]*\\$\\$)*[^$]*$)";
      for (String statement : queue.admin().schemaScript().split(ends, -1)) {
        if (!statement.isBlank()) {
          sql(other, statement);
        }
      }
      assertThat(there.checkSchema())
          .isEqualTo(
              new SchemaReport(
                  List.of(),
                  Optional.empty(),
                  List.of(SchemaReport.Extra.CLAIM_INDEXES, SchemaReport.Extra.NOTIFY)));
    }
  }

  @Test
  void withoutPrivilegesForDdlEverythingButInitWorks() {
    sql("CREATE ROLE drainer_" + roleSuffix() + " LOGIN PASSWORD 'x'");
    sql(
        "GRANT SELECT, INSERT, UPDATE, DELETE ON queue_messages, queue_messages_failed TO drainer_"
            + roleSuffix());
    sql("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET ROLE drainer_" + roleSuffix());
      LegacyQueue poor = LegacyQueue.builder(new OneConnection(connection), "orders").build();
      poor.publishBatch(List.of(message("a"), message("b"), message("c")));
      List<Delivery> d = poor.poll(3).deliveries();
      poor.ack(d.get(0).receipt());
      poor.nack(d.get(1).receipt(), Duration.ZERO);
      poor.reject(d.get(2).receipt(), "no");
      assertThat(poor.metrics()).isEqualTo(new QueueMetrics(1, 0, 0, 0, 1));
      poor.initSchema();
      assertThatThrownBy(() -> poor.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES))
          .hasMessageContaining("42501");
    } catch (SQLException e) {
      throw new AssertionError(e);
    } finally {
      sql("DROP OWNED BY drainer_" + roleSuffix());
      sql("DROP ROLE drainer_" + roleSuffix());
    }
  }

  @Test
  void keysTooLongForOurIndexesAreInsertedClaimedAndSettled() {
    queue.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
    // Random text does not compress: 2,650 bytes are near the 2,704 that an index entry may have.
    String longId = randomText(2_650);
    String longGroup = randomText(2_600);
    queue.publish(message("b").withGroup("g"));
    now.addAndGet(1);
    sql(
        "INSERT INTO queue_messages (id, queue_name, message_group_id, visible_at, payload, created_at) VALUES"
            + " ('"
            + longId
            + "', 'orders', 'g', 0, '{}', "
            + (START - 5)
            + "), ('c', 'orders', '"
            + longGroup
            + "', 0, '{}', "
            + START
            + ")");

    List<Delivery> d = queue.poll(10).deliveries();

    assertThat(d).extracting(Delivery::brokerId).containsExactly(longId, "c");
    assertThat(ids(queue.poll(10))).containsExactly("b");
    assertThat(queue.ackBatch(d.stream().map(Delivery::receipt).toList())).isEmpty();
  }

  @Test
  void aQueueNameTooLongForOurIndexesIsServedAsAnyOther() {
    queue.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
    LegacyQueue longName = queue(randomText(2_600));
    longName.publishBatch(
        List.of(message("a1").withGroup("a"), message("a2").withGroup("a"), message("b")));

    List<Delivery> d = longName.poll(10).deliveries();

    assertThat(d).extracting(Delivery::brokerId).containsExactly("a1", "b");
    longName.ack(d.get(0).receipt());
    longName.nack(d.get(1).receipt(), Duration.ZERO);
    assertThat(ids(longName.poll(10))).containsExactly("a2", "b");
    assertThat(ids(exclusive(longName.identifier()).poll(10))).isEmpty();
  }

  // ---- life

  @Test
  void aClosedQueueSaysThatItIsClosed() {
    queue.close();
    queue.close();

    assertThatThrownBy(() -> queue.poll(1))
        .isInstanceOf(QueueClosedException.class)
        .hasMessage("poll on queue 'orders': the queue is closed");
    assertThat(queue.healthy()).isFalse();
  }

  @Test
  void aQueueIsHealthyWhileTheDatabaseAnswers() {
    assertThat(queue.healthy()).isTrue();
    LegacyQueue nowhere = LegacyQueue.builder(new OneConnection(null), "orders").build();
    assertThat(nowhere.healthy()).isFalse();
    assertThat(queue.honoursDelayedReturn()).isTrue();
    assertThat(queue.identifier()).isEqualTo("orders");
  }

  // ---- helpers

  private void makeOneOfEachState() {
    publishAt(START - 60, message("lapsed"));
    queue.poll(1);
    sql("UPDATE queue_messages SET visible_at = " + START + " WHERE id = 'lapsed'");
    publishAt(START, message("flying"));
    sql(
        "UPDATE queue_messages SET receipt_handle = 'r:flying', visible_at = visible_at + 30 WHERE id = 'flying'");
    publishAt(
        START, message("delayed"), message("p1").withGroup("g"), message("p2").withGroup("g"));
    sql("UPDATE queue_messages SET visible_at = visible_at + 30 WHERE id = 'delayed'");
    sql(
        "INSERT INTO queue_messages_failed VALUES ('f', 'orders', 'g', '{}', 'BLOCKED: 404', 1, 0, 0)");
  }

  private LegacyQueue queue(String name) {
    return LegacyQueue.builder(database.dataSource(), name).clock(now::get).build();
  }

  private LegacyQueue exclusive(String name) {
    return LegacyQueue.builder(database.dataSource(), name)
        .clock(now::get)
        .groups(LegacyQueue.Groups.EXCLUSIVE)
        .build();
  }

  private void publishAt(long second, Message... messages) {
    LegacyQueue.builder(database.dataSource(), "orders")
        .clock(() -> second)
        .build()
        .publishBatch(List.of(messages));
  }

  private Receipt claim() {
    return queue.poll(1).deliveries().get(0).receipt();
  }

  private List<String> failed(FailedFilter filter) {
    return queue.admin().listFailed(filter, 100).stream().map(FailedMessage::id).toList();
  }

  private static Message message(String id) {
    return Message.of(id, "https://t.example/hook");
  }

  private static List<String> ids(PollResult result) {
    return result.deliveries().stream().map(Delivery::brokerId).toList();
  }

  private static String randomText(int length) {
    java.util.Random random = new java.util.Random(length);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append((char) ('0' + random.nextInt(75)));
    }
    return text.toString().replace('\\', '_').replace('\'', '_');
  }

  private long count() {
    return Long.parseLong(text("SELECT count(*) FROM queue_messages"));
  }

  private String roleSuffix() {
    return text("SELECT current_database()");
  }

  private void sql(String statement) {
    sql(database, statement);
  }

  private static void sql(TestDatabase database, String sql) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private String text(String query) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        var result = statement.executeQuery(query)) {
      result.next();
      return result.getString(1);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
