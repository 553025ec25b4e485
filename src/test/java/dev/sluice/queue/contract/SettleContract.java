package dev.sluice.queue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.Counters;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.StaleReceiptException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Acks, and what receipts are good for. */
abstract class SettleContract extends QueueContract {
  static final String UUID_HEX = "0123456789abcdef0123456789abcdef";

  @Test
  void anAckDeletesTheMessageAndNoOther() {
    publish("a1", "a2", "b1");

    queue().ack(claim().receipt());

    assertThat(waiting()).isEqualTo(2);
    assertThat(drain()).containsExactlyInAnyOrder("a2", "b1");
  }

  @Test
  void anAckByAnotherInstanceCountsAsWell() {
    publish("a1");

    another().ack(claim().receipt());

    assertThat(waiting()).isZero();
  }

  @Test
  void anAckWithAnOutdatedReceiptIsAnErrorAndDeletesNothing() {
    publish("a1");
    Receipt outdated = outdated();

    assertThatThrownBy(() -> queue().ack(outdated))
        .isInstanceOf(StaleReceiptException.class)
        .hasMessageContaining("orders")
        .hasMessageContaining(outdated.value());
    assertThat(waiting()).isOne();
  }

  @Test
  void aSecondAckIsAnError() {
    publish("a1");
    Receipt receipt = claim().receipt();
    queue().ack(receipt);

    assertThatThrownBy(() -> queue().ack(receipt)).isInstanceOf(StaleReceiptException.class);
  }

  @Test
  void anAckAfterItsTimeoutHoldsUntilSomebodyClaimsAnew() {
    publish("a1");
    Receipt receipt = claim().receipt();
    advance(10 * PAST_VISIBILITY);

    queue().ack(receipt);

    assertThat(waiting()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense",
        ":",
        "11111111-1111-1111-1111-111111111111:a1",
        "1:1:asluice-host-1:" + UUID_HEX,
        "1:999999999:a",
        "9999999999999999999:1:asluice-host-1:" + UUID_HEX
      })
  void aReceiptThatNobodyGaveHoldsNothing(String value) {
    publish("a1");
    claim();
    Receipt foreign = new Receipt(value);

    assertThat(queue().ackBatch(List.of(foreign))).containsExactly(foreign);
    queue().nack(foreign, Duration.ZERO);
    queue().defer(foreign, Duration.ofSeconds(1));
    assertThat(queue().reject(foreign, "no")).isFalse();
    assertThat(queue().extendVisibility(List.of(foreign), Duration.ofSeconds(1)))
        .containsExactly(foreign);

    assertThat(waiting()).isOne();
    assertThat(poll(10)).isEmpty();
    assertThat(quarantine()).isEmpty();
    assertThat(queue().counters()).isEqualTo(new Counters(1, 0, 0, 0, 0));
  }

  @Test
  void aReceiptWithANulIsNone() {
    assertThatThrownBy(() -> new Receipt("1:a\0b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("receipt: must not hold a NUL character");
  }

  @Test
  void aBatchOfAcksTellsWhichHeldNothing() {
    publish("a1", "b1");
    List<Receipt> receipts = receipts(queue().poll(2));
    Receipt unknown = new Receipt("nonsense");

    assertThat(queue().ackBatch(List.of(receipts.get(0), unknown, receipts.get(1))))
        .containsExactly(unknown);
    assertThat(waiting()).isZero();
  }

  @Test
  void aReceiptTwiceInABatchCountsOnce() {
    publish("a1");
    Receipt receipt = claim().receipt();

    assertThat(queue().ackBatch(List.of(receipt, receipt))).isEmpty();
    assertThat(queue().counters().acked()).isOne();
    assertThat(queue().ackBatch(List.of(receipt, receipt))).containsExactly(receipt);
    assertThat(queue().counters().acked()).isOne();
  }

  @Test
  void anOutdatedReceiptBesideTheNewestOfItsMessageIsToldApart() {
    publish("a1");
    Receipt old = claim().receipt();
    advance(PAST_VISIBILITY);
    Receipt newest = claim().receipt();

    assertThat(queue().ackBatch(List.of(old, newest))).containsExactly(old);
    assertThat(queue().counters().acked()).isOne();
    assertThat(waiting()).isZero();
  }

  @Test
  void emptyBatchesDoNothing() {
    publish("a1");
    claim();

    assertThat(queue().ackBatch(List.of())).isEmpty();
    assertThat(queue().nackBatch(List.of())).isEmpty();
    assertThat(queue().deferBatch(List.of())).isEmpty();
    assertThat(queue().rejectBatch(List.of())).isEmpty();
    assertThat(queue().extendVisibility(List.of(), Duration.ofSeconds(30))).isEmpty();
    assertThat(waiting()).isOne();
  }

  @Test
  void anExtensionMovesTheEndOfTheClaim() {
    publish("a1", "b1");
    List<Receipt> receipts = receipts(queue().poll(2));
    advance(20);
    assertThat(queue().extendVisibility(receipts, Duration.ofSeconds(30))).isEmpty();

    advance(29);
    assertThat(poll(10)).isEmpty();
    advance(2);
    assertThat(poll(10)).containsExactlyInAnyOrder("a1", "b1");
  }

  @Test
  void anExtensionOfALapsedClaimHoldsUntilSomebodyClaimsAnew() {
    publish("a1");
    Receipt receipt = claim().receipt();
    advance(PAST_VISIBILITY);

    assertThat(queue().extendVisibility(List.of(receipt), Duration.ofSeconds(30))).isEmpty();
    assertThat(poll(10)).isEmpty();
  }

  @Test
  void anExtensionTellsWhichClaimsAreGone() {
    publish("a1", "b1");
    List<Receipt> receipts = receipts(queue().poll(2));
    queue().ack(receipts.get(0));

    assertThat(queue().extendVisibility(receipts, Duration.ofSeconds(30)))
        .containsExactly(receipts.get(0));
  }

  @Test
  void anExtensionOfLessThanASecondIsRefused() {
    publish("a1");
    Receipt receipt = claim().receipt();

    assertThatThrownBy(() -> queue().extendVisibility(List.of(receipt), Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("duration: must be at least 1 s");
    assertThatThrownBy(() -> queue().extendVisibility(List.of(receipt), Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
