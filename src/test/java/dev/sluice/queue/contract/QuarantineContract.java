package dev.sluice.queue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.FailedMessage;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Rejection;
import dev.sluice.queue.SchemaException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Into quarantine, and out of it. */
abstract class QuarantineContract extends QueueContract {

  @Test
  void aRejectMovesTheMessageAsItIs() {
    publish("a1", "a2");
    var delivery = claim();
    advance(3);

    assertThat(queue().reject(delivery.receipt(), "404 from there")).isTrue();

    FailedMessage failed = quarantine().get(0);
    assertThat(failed.queue()).isEqualTo("orders");
    assertThat(failed.id()).isEqualTo(delivery.brokerId());
    assertThat(failed.group()).hasValue("a");
    assertThat(failed.payload()).isEqualTo(delivery.payload());
    assertThat(failed.error()).isEqualTo("404 from there");
    assertThat(failed.failedAt()).isEqualTo(Instant.ofEpochSecond((long) START + 3));
    assertThat(failed.receiveCount().isPresent()).isEqualTo(backend().countsReceives());
    assertThat(poll(10)).containsExactly("a2");
  }

  @Test
  void aRejectWithAnOutdatedReceiptDoesNothing() {
    publish("a1");

    assertThat(queue().reject(outdated(), "no")).isFalse();

    assertThat(quarantine()).isEmpty();
    assertThat(waiting()).isOne();
    assertThat(queue().counters().rejected()).isZero();
  }

  @Test
  void aReasonIsCutAtAThousandCharactersAndMayHoldAnything() {
    publish("a1");

    queue().reject(claim().receipt(), "a\0'%" + "𝄞".repeat(2000));

    assertThat(quarantine().get(0).error()).isEqualTo("a\uFFFD'%" + "𝄞".repeat(996));
  }

  @Test
  void aBatchKeepsEachReasonAndTellsWhichHeldNothing() {
    publish("a1", "b1");
    List<Receipt> receipts = receipts(queue().poll(2));
    Receipt unknown = new Receipt("nonsense");

    assertThat(
            queue()
                .rejectBatch(
                    List.of(
                        new Rejection(receipts.get(0), "first"),
                        new Rejection(unknown, "nothing"),
                        new Rejection(receipts.get(1), "second"))))
        .containsExactly(unknown);

    assertThat(quarantine()).extracting("error").containsExactly("first", "second");
    assertThat(queue().counters().rejected()).isEqualTo(2);
  }

  @Test
  void aReceiptTwiceInABatchCountsOnce() {
    publish("a1");
    Rejection rejection = new Rejection(claim().receipt(), "no");

    assertThat(queue().rejectBatch(List.of(rejection, rejection))).isEmpty();

    assertThat(quarantinedIds()).containsExactly("a1");
    assertThat(queue().counters().rejected()).isOne();
  }

  @Test
  void theListIsFilteredByIdGroupAndReason() {
    publish("a1", "b1", "c1");
    List<Receipt> receipts = receipts(queue().poll(3));
    queue()
        .rejectBatch(
            List.of(
                new Rejection(receipts.get(0), "404 Not Found"),
                new Rejection(receipts.get(1), "100 %"),
                new Rejection(receipts.get(2), "404 not found")));
    List<FailedMessage> all = quarantine();

    assertThat(listed(new FailedFilter(List.of(all.get(1).id(), "999", "none"), null, null)))
        .containsExactly("b1");
    assertThat(listed(new FailedFilter(List.of(), "a", null))).containsExactly("a1");
    assertThat(listed(new FailedFilter(List.of(), null, "NOT FOUND"))).containsExactly("a1", "c1");
    assertThat(listed(new FailedFilter(List.of(), null, "%"))).containsExactly("b1");
    assertThat(listed(new FailedFilter(List.of(all.get(0).id()), "b", null))).isEmpty();
    assertThat(queue().admin().listFailed(FailedFilter.ALL, 2)).hasSize(2);
  }

  private List<String> listed(FailedFilter filter) {
    return queue().admin().listFailed(filter, 100).stream()
        .map(failed -> idOf(failed.payload()))
        .toList();
  }

  @Test
  void theListIsInTheOrderOfTheQueue() {
    publish("a1");
    advance(1);
    publish("a2");
    advance(1);
    publish("a3");
    for (int i = 0; i < 3; i++) {
      queue().reject(claim().receipt(), "no");
    }

    assertThat(quarantinedIds()).containsExactly("a1", "a2", "a3");
  }

  @Test
  void requeuedMessagesTakeTheirOldPlacesInTheirGroup() {
    for (String id : List.of("a1", "a2", "a3", "a4")) {
      publish(id);
      advance(1);
    }
    queue().reject(claim().receipt(), "no");
    queue().reject(claim().receipt(), "no");
    queue().ack(claim().receipt());
    publish("a5");

    var result = queue().admin().requeueFailed(new FailedFilter(List.of(), "a", null));

    assertThat(result.requeued()).isEqualTo(2);
    assertThat(result.inTheWay()).isEmpty();
    assertThat(quarantine()).isEmpty();
    assertThat(drain()).containsExactly("a1", "a2", "a4", "a5");
  }

  @Test
  void aRequeuedMessageIsClaimableAtOnceThoughItsGroupWasDrained() {
    publish("a1");
    queue().reject(claim().receipt(), "no");

    queue().admin().requeueFailed(FailedFilter.ALL);

    assertThat(poll(10)).containsExactly("a1");
  }

  @Test
  void aRequeueLeavesTheOthersInQuarantine() {
    publish("a1", "b1");
    receipts(queue().poll(2)).forEach(receipt -> queue().reject(receipt, "no"));

    assertThat(queue().admin().requeueFailed(new FailedFilter(List.of(), "a", null)).requeued())
        .isOne();

    assertThat(quarantinedIds()).containsExactly("b1");
    assertThat(poll(10)).containsExactly("a1");
  }

  @Test
  void aRequeueOfAnIdThatIsBackIsInTheWayWhereIdsAreKeptApart() {
    publish("a1");
    var delivery = claim();
    queue().reject(delivery.receipt(), "no");
    publish("a1");

    var result = queue().admin().requeueFailed(FailedFilter.ALL);

    boolean apart = backend().keepsIdsApart();
    assertThat(result.inTheWay()).isEqualTo(apart ? List.of(delivery.brokerId()) : List.of());
    assertThat(quarantine()).hasSize(apart ? 1 : 0);
    assertThat(waiting()).isEqualTo(apart ? 1 : 2);
  }

  @Test
  void aDiscardDeletesWhatIsChosenAndTouchesNoOrder() {
    for (String id : List.of("a1", "a2", "a3")) {
      publish(id);
      advance(1);
    }
    queue().reject(claim().receipt(), "one");
    queue().reject(claim().receipt(), "two");

    assertThat(queue().admin().discardFailed(new FailedFilter(List.of(), null, "one"))).isOne();
    queue().admin().requeueFailed(FailedFilter.ALL);

    assertThat(drain()).containsExactly("a2", "a3");
    assertThat(queue().admin().discardFailed(FailedFilter.ALL)).isZero();
  }

  @Test
  void withoutAQuarantineReadingFindsNothingAndWritingIsRefused() {
    publish("a1");
    sql("DROP TABLE " + backend().quarantineTable());

    assertThat(quarantine()).isEmpty();
    assertThatThrownBy(() -> queue().admin().requeueFailed(FailedFilter.ALL))
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining(backend().quarantineTable())
        .hasMessageContaining("sluice schema init");
    assertThatThrownBy(() -> queue().admin().discardFailed(FailedFilter.ALL))
        .isInstanceOf(SchemaException.class);
  }

  @Test
  void aRejectWithoutAQuarantineFailsAndLosesNothing() {
    publish("a1");
    Receipt receipt = claim().receipt();
    sql("DROP TABLE " + backend().quarantineTable());

    assertThatThrownBy(() -> queue().reject(receipt, "no"))
        .isInstanceOf(QueueException.class)
        .hasMessageContaining(backend().quarantineTable());
    queue().ack(receipt);
    assertThat(waiting()).isZero();
  }
}
