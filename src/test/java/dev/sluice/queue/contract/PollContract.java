package dev.sluice.queue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.PollResult;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a poll claims, and in which order. */
abstract class PollContract extends QueueContract {

  @Test
  void anEmptyQueueGivesNothing() {
    PollResult result = queue().poll(10);

    assertThat(result.deliveries()).isEmpty();
    assertThat(result.taken()).isZero();
  }

  @Test
  void aGroupComesInTheOrderOfItsPublishing() {
    publish("a1");
    advance(1);
    publish("a2");
    advance(1);
    publish("a3");

    assertThat(drain()).containsExactly("a1", "a2", "a3");
  }

  @Test
  void messagesOfOneInstantComeAsPublishedOrByTheirIds() {
    publish("a2", "a1");

    assertThat(drain())
        .containsExactlyElementsOf(
            backend().ordersOneInstantAsPublished() ? List.of("a2", "a1") : List.of("a1", "a2"));
    assertThat(queue().admin().previewPublish(List.of("a2", "a1")).isEmpty())
        .isEqualTo(backend().ordersOneInstantAsPublished());
  }

  @Test
  void aPollTakesTheHeadOfEachGroupAndNoMore() {
    publish("a1", "a2", "b1", "b2", "c1");

    assertThat(poll(10)).containsExactlyInAnyOrder("a1", "b1", "c1");
  }

  @Test
  void messagesWithoutAGroupAreEachTheirOwn() {
    queue().publishBatch(List.of(message("x"), message("y"), message("z")));

    assertThat(poll(10)).containsExactlyInAnyOrder("x", "y", "z");
  }

  @Test
  void theEmptyStringIsAGroup() {
    queue().publishBatch(List.of(message("x").withGroup(""), message("y").withGroup("")));

    assertThat(poll(10)).containsExactly("x");
  }

  @Test
  void groupsAndIdsMayHoldAnyCharacterButNul() {
    String odd = "it's: \"odd\" %_\\ \n ✓ 𝄞";
    queue().publish(message(odd).withGroup(odd));

    Delivery delivery = claim();

    assertThat(delivery.message().id()).isEqualTo(odd);
    assertThat(delivery.claimGroup()).isEqualTo(odd);
    queue().ack(delivery.receipt());
    assertThat(waiting()).isZero();
  }

  @Test
  void aPollTakesAtMostWhatItAsksFor() {
    publish("a1", "b1", "c1");

    assertThat(poll(2)).hasSize(2);
    assertThat(poll(2)).hasSize(1);
  }

  @Test
  void aMessageInFlightHoldsBackTheNextOneOnlyWhereGroupsAreExclusive() {
    publish("a1", "a2");
    poll(1);

    boolean waits = backend().successorsWaitForTheOneInFlight();
    assertThat(poll(1)).isEqualTo(waits ? List.of() : List.of("a2"));
    assertThat(queue().hasExclusiveGroups()).isEqualTo(waits);
  }

  @Test
  void noGroupWaitsForADeepOne() {
    publish("a1", "a2", "a3", "a4", "b1");

    assertThat(poll(2)).containsExactlyInAnyOrder("a1", "b1");
  }

  @Test
  void groupsTakeTurnsOrTheOldestMessageComesFirst() {
    publish("a1", "a2", "b1");
    List<String> order = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Delivery delivery = claim();
      order.add(delivery.message().id());
      advance(1);
      queue().ack(delivery.receipt());
      advance(1);
    }

    assertThat(order)
        .containsExactlyElementsOf(
            backend().servesGroupsInTurn() ? List.of("a1", "b1", "a2") : List.of("a1", "a2", "b1"));
  }

  @Test
  void aClaimIsRedeliveredWhenItsVisibilityTimeoutIsOver() {
    publish("a1", "a2");
    claim();

    advance(29);
    assertThat(poll(10)).doesNotContain("a1");
    advance(2);
    assertThat(poll(10)).contains("a1");
  }

  @Test
  void aRedeliveryHasAReceiptOfItsOwn() {
    publish("a1");
    Delivery first = claim();
    advance(PAST_VISIBILITY);

    Delivery second = claim();

    assertThat(second.brokerId()).isEqualTo(first.brokerId());
    assertThat(second.receipt()).isNotEqualTo(first.receipt());
  }

  @Test
  void receivesAreCountedWhereTheTableKeepsThem() {
    publish("a1");
    claim();
    advance(PAST_VISIBILITY);

    Delivery second = claim();

    assertThat(second.receiveCount().isPresent()).isEqualTo(backend().countsReceives());
    assertThat(second.receives()).isEqualTo(backend().countsReceives() ? 2 : 0);
  }

  @Test
  void aDeliverySaysWhatItIs() {
    publish("a1");

    Delivery delivery = claim();

    assertThat(delivery.kind()).isEqualTo(Delivery.Kind.MESSAGE);
    assertThat(delivery.message()).isEqualTo(grouped("a1"));
    assertThat(idOf(delivery.payload())).isEqualTo("a1");
    assertThat(delivery.queue()).isEqualTo("orders").isEqualTo(queue().identifier());
    assertThat(delivery.claimGroup()).isEqualTo("a");
    assertThat(delivery.visibleAt()).isEqualTo(Instant.ofEpochSecond((long) START + 30));
    assertThat(delivery.createdAt())
        .isEqualTo(
            backend().knowsWhenItWasPublished()
                ? Instant.ofEpochSecond((long) START)
                : Instant.EPOCH);
  }

  @Test
  void aPayloadThatIsNoMessageIsTakenAndNotDelivered() {
    publish("a1");
    sql(
        "UPDATE %s SET %s = '{\"id\": 5}'"
            .formatted(backend().messagesTable(), backend().payloadColumn()));

    PollResult result = queue().poll(10);

    boolean quarantined = backend().quarantinesWhatIsNoMessage();
    assertThat(result.deliveries()).isEmpty();
    assertThat(result.taken()).isOne();
    assertThat(result.quarantined()).isEqualTo(quarantined ? 1 : 0);
    assertThat(result.leftOut()).isEqualTo(quarantined ? 0 : 1);
    assertThat(waiting()).isEqualTo(quarantined ? 0 : 1);
  }

  @Test
  void aPollOfLessThanOneIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue().poll(0))
        .withMessage("max: must be at least 1, was 0");
  }
}
