package dev.sluice.queue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.queue.Counters;
import dev.sluice.queue.PeekedMessage;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.queue.QueueStats;
import dev.sluice.queue.Receipt;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Metrics, stats, peek and counters. */
abstract class LookContract extends QueueContract {

  @Test
  void metricsCountEachState() {
    publish("a1", "b1", "b2", "c1", "e1");
    List<Receipt> receipts = receipts(queue().poll(4));
    queue().nack(receipts.get(0), Duration.ofSeconds(90));
    queue().extendVisibility(List.of(receipts.get(2)), Duration.ofSeconds(60));
    queue().reject(receipts.get(3), "no");
    advance(PAST_VISIBILITY);
    publish("d1");

    // a1 waits for its delay, b1 has lapsed, c1 is in flight; b2 and d1 wait.
    assertThat(queue().metrics())
        .isEqualTo(
            backend().knowsDelayedFromInFlight()
                ? new QueueMetrics(2, 1, 1, 1, 1)
                : new QueueMetrics(2, OptionalLong.empty(), 2, 1, OptionalLong.of(1)));
    assertThat(queue().metrics().total()).isEqualTo(5);
  }

  // Claims what is new and gives the rest back as it was.
  private Receipt claimOf(String id) {
    Receipt found = null;
    for (var delivery : queue().poll(10).deliveries()) {
      if (delivery.message().id().equals(id)) {
        found = delivery.receipt();
      } else {
        queue().nack(delivery.receipt(), Duration.ZERO);
      }
    }
    if (found == null) {
      throw new AssertionError(id + " is not claimable");
    }
    return found;
  }

  @Test
  void metricsKnowNoQuarantineWhereThereIsNone() {
    publish("a1");
    sql("DROP TABLE " + backend().quarantineTable());

    assertThat(queue().metrics().quarantined()).isEmpty();
    assertThat(queue().admin().stats().metrics().quarantined()).isEmpty();
    assertThat(queue().metrics().pending()).isOne();
  }

  @Test
  void statsOfAnEmptyQueueAreZero() {
    QueueStats stats = queue().admin().stats();

    assertThat(stats.queue()).isEqualTo("orders");
    assertThat(stats.metrics().total()).isZero();
    assertThat(stats.metrics().quarantined()).hasValue(0);
    assertThat(stats.groups()).isZero();
    assertThat(stats.blockedGroups()).isZero();
    assertThat(stats.oldestSeconds()).isEmpty();
  }

  @Test
  void statsCountGroupsAndThoseThatQuarantineBlocks() {
    publish("a1", "a2", "b1", "c1", "d1");
    queue().publish(message("single"));
    reject("b1", "BLOCKED: 404");
    reject("c1", "404");
    advance(60);

    QueueStats stats = queue().admin().stats();

    assertThat(stats.groups()).isEqualTo(3);
    assertThat(stats.blockedGroups()).isOne();
    assertThat(stats.metrics()).isEqualTo(queue().metrics());
    assertThat(stats.metrics().quarantined()).hasValue(2);
    assertThat(stats.oldestSeconds())
        .isEqualTo(
            backend().knowsWhenItWasPublished() ? OptionalLong.of(60) : OptionalLong.empty());
    assertThat(queue().admin().statsOfAllQueues()).containsExactly(stats);
  }

  private void reject(String id, String reason) {
    queue().reject(claimOf(id), reason);
  }

  @Test
  void aPeekShowsWhatAPollWouldClaimAndClaimsNothing() {
    publish("a1", "a2", "b1", "c1");
    queue().nack(claim().receipt(), Duration.ofSeconds(60));

    List<String> peeked = peek(Optional.empty(), 10);

    assertThat(peeked).containsExactly("b1", "c1");
    assertThat(peek(Optional.empty(), 10)).isEqualTo(peeked);
    assertThat(poll(10)).isEqualTo(peeked);
  }

  @Test
  void aPeekIsLimitedAndOfOneGroup() {
    publish("a1", "b1", "b2");

    assertThat(peek(Optional.empty(), 1)).containsExactly("a1");
    assertThat(peek(Optional.of("b"), 10)).containsExactly("b1");
    assertThat(peek(Optional.of("none"), 10)).isEmpty();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue().admin().peek(Optional.empty(), 0))
        .withMessage("limit: must be at least 1, was 0");
  }

  private List<String> peek(Optional<String> group, int limit) {
    return queue().admin().peek(group, limit).stream()
        .map(PeekedMessage::payload)
        .map(QueueContract::idOf)
        .toList();
  }

  @Test
  void aPeekShowsALapsedClaim() {
    publish("a1");
    claim();
    advance(PAST_VISIBILITY);

    assertThat(peek(Optional.empty(), 10)).containsExactly("a1");
  }

  @Test
  void countersTellWhatThisInstanceDidAndNoOther() {
    publish("a1", "b1", "c1", "d1", "e1");
    List<Receipt> receipts = receipts(queue().poll(10));
    queue().ack(receipts.get(0));
    queue().nack(receipts.get(1), Duration.ofSeconds(1));
    queue().defer(receipts.get(2), Duration.ofSeconds(1));
    queue().reject(receipts.get(3), "no");
    another().ack(receipts.get(4));

    assertThat(queue().counters()).isEqualTo(new Counters(5, 1, 1, 1, 1));
  }

  @Test
  void nothingNeedsRepairWhereNobodyElseWrites() {
    publish("a1", "b1");
    queue().ack(claim().receipt());

    assertThat(queue().admin().repair()).isZero();
    assertThat(queue().admin().objectionToPublishing()).isEmpty();
  }
}
