package dev.sluice.queue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.queue.Receipt;
import dev.sluice.queue.Return;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Messages that go back: nack and defer. */
abstract class ReturnContract extends QueueContract {

  @Test
  void aMessageThatGoesBackIsClaimableAtOnceAndStillTheFirstOfItsGroup() {
    publish("a1", "a2");
    queue().nack(claim().receipt(), Duration.ZERO);

    assertThat(poll(10)).containsExactly("a1");
  }

  @Test
  void aDelayedHeadHoldsBackItsGroupAndNoOther() {
    publish("a1", "a2", "b1");
    queue().nack(claim().receipt(), Duration.ofSeconds(5));

    assertThat(poll(10)).containsExactly("b1");
    advance(4);
    assertThat(poll(10)).isEmpty();
    advance(2);
    assertThat(poll(10)).containsExactly("a1");
    assertThat(queue().honoursDelayedReturn()).isTrue();
  }

  @Test
  void deferDoesAsNackAndIsCountedApart() {
    publish("a1", "b1");
    List<Receipt> receipts = receipts(queue().poll(2));
    queue().nack(receipts.get(0), Duration.ofSeconds(5));
    queue().defer(receipts.get(1), Duration.ofSeconds(5));

    assertThat(queue().counters().nacked()).isOne();
    assertThat(queue().counters().deferred()).isOne();
    assertThat(poll(10)).isEmpty();
    advance(6);
    assertThat(poll(10)).containsExactlyInAnyOrder("a1", "b1");
  }

  @Test
  void returnsOfOneBatchHaveTheirOwnDelays() {
    publish("a1", "b1", "c1");
    List<Receipt> receipts = receipts(queue().poll(3));

    queue()
        .nackBatch(
            List.of(
                new Return(receipts.get(0), Duration.ofSeconds(10)),
                new Return(receipts.get(1), Duration.ZERO),
                new Return(receipts.get(2), Duration.ofSeconds(5))));

    assertThat(poll(10)).containsExactly("b1");
    advance(6);
    assertThat(poll(10)).containsExactly("c1");
    advance(5);
    assertThat(poll(10)).containsExactly("a1");
  }

  @Test
  void aShortDelayIsNeverNone() {
    publish("a1");
    queue().nack(claim().receipt(), Duration.ofMillis(1));

    assertThat(poll(10)).isEmpty();
    advance(1.5);
    assertThat(poll(10)).containsExactly("a1");
  }

  @Test
  void fractionsOfASecondAreRoundedUpWhereTimesAreWholeSeconds() {
    publish("a1");
    queue().nack(claim().receipt(), Duration.ofMillis(300));

    advance(0.5);
    assertThat(poll(10)).isEqualTo(backend().countsWholeSeconds() ? List.of() : List.of("a1"));
  }

  @Test
  void anOutdatedReceiptChangesNothingAndIsNoError() {
    publish("a1");
    Receipt outdated = outdated();

    queue().nack(outdated, Duration.ZERO);
    queue().defer(outdated, Duration.ZERO);

    assertThat(poll(10)).isEmpty();
    assertThat(queue().counters().nacked()).isZero();
    assertThat(queue().counters().deferred()).isZero();
  }

  @Test
  void aBatchTellsWhichHeldNothing() {
    publish("a1");
    Receipt receipt = claim().receipt();
    Receipt unknown = new Receipt("nonsense");

    assertThat(
            queue()
                .deferBatch(
                    List.of(
                        new Return(unknown, Duration.ZERO), new Return(receipt, Duration.ZERO))))
        .containsExactly(unknown);
  }

  @Test
  void aReceiptTwiceInABatchCountsOnce() {
    publish("a1");
    Return back = new Return(claim().receipt(), Duration.ZERO);

    assertThat(queue().nackBatch(List.of(back, back))).isEmpty();
    assertThat(queue().counters().nacked()).isOne();
    assertThat(queue().deferBatch(List.of(back, back))).containsExactly(back.receipt());
    assertThat(queue().counters().deferred()).isZero();
  }

  @Test
  void anExtensionAfterAHandBackHoldsNothing() {
    publish("a1", "b1");
    List<Receipt> receipts = receipts(queue().poll(2));
    queue().nack(receipts.get(0), Duration.ZERO);
    queue().defer(receipts.get(1), Duration.ofSeconds(5));

    assertThat(queue().extendVisibility(receipts, Duration.ofSeconds(60)))
        .containsExactlyInAnyOrderElementsOf(receipts);
    advance(6);
    assertThat(poll(10)).containsExactlyInAnyOrder("a1", "b1");
  }

  @Test
  void aClaimEndsWithAHandBackWithoutDelay() {
    publish("a1");
    Receipt receipt = claim().receipt();
    queue().nack(receipt, Duration.ZERO);

    assertThat(queue().ackBatch(List.of(receipt))).containsExactly(receipt);
    assertThat(queue().reject(receipt, "no")).isFalse();
    assertThat(waiting()).isOne();
  }

  @Test
  void aClaimEndsWithADelayedHandBackWhereTheReceiptLeavesTheRow() {
    publish("a1");
    Receipt receipt = claim().receipt();
    queue().nack(receipt, Duration.ofSeconds(5));

    boolean settles = backend().aDelayedReturnCanStillBeSettled();
    assertThat(queue().ackBatch(List.of(receipt)))
        .isEqualTo(settles ? java.util.Set.of() : java.util.Set.of(receipt));
    assertThat(waiting()).isEqualTo(settles ? 0 : 1);
  }

  @Test
  void aReceiptOfBeforeTheDelayHoldsNothingOnceItIsClaimedAnew() {
    publish("a1");
    Receipt receipt = claim().receipt();
    queue().nack(receipt, Duration.ofSeconds(5));
    advance(6);
    claim();

    assertThat(queue().ackBatch(List.of(receipt))).containsExactly(receipt);
    assertThat(waiting()).isOne();
  }

  @Test
  void aNegativeDelayIsRefused() {
    publish("a1");
    Receipt receipt = claim().receipt();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue().nack(receipt, Duration.ofSeconds(-1)))
        .withMessageStartingWith("delay: must not be negative");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue().defer(receipt, Duration.ofMillis(-1)));
    assertThat(poll(10)).isEmpty();
  }
}
