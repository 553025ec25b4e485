package dev.sluice.queue.contract;

import static dev.sluice.queue.DispatchMode.BLOCK_ON_ERROR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Message;
import dev.sluice.queue.QueueRow;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What publishers may count on. */
abstract class PublishContract extends QueueContract {

  @Test
  void aMessageComesOutAsItWentIn() {
    Message whole =
        new Message(
            "a1",
            "FAST",
            "token",
            "",
            "HTTP",
            "https://t.example/?a=<&>",
            "a",
            true,
            "BLOCK_ON_ERROR");
    assertThat(queue().publish(whole)).isEqualTo("a1");

    assertThat(claim().message()).isEqualTo(whole);
  }

  @Test
  void aBatchReturnsItsIdsInTheirOrder() {
    assertThat(queue().publishBatch(List.of(message("z"), message("a"), message("m"))))
        .containsExactly("z", "a", "m");
    assertThat(waiting()).isEqualTo(3);
  }

  @Test
  void anEmptyBatchIsNoCall() {
    assertThat(queue().publishBatch(List.of())).isEmpty();
    assertThat(queue().insertBatch(List.of())).isEmpty();
    assertThat(waiting()).isZero();
  }

  @Test
  void anIdThatWaitsIsLeftAloneWhereIdsAreKeptApart() {
    queue().publish(message("x").withGroup("first"));

    assertThat(queue().publish(message("x").withGroup("second"))).isEqualTo("x");

    assertThat(waiting()).isEqualTo(backend().keepsIdsApart() ? 1 : 2);
  }

  @Test
  void anIdTwiceInABatchIsOneMessageWhereIdsAreKeptApart() {
    assertThat(queue().publishBatch(List.of(message("x"), message("x")))).containsExactly("x", "x");

    assertThat(waiting()).isEqualTo(backend().keepsIdsApart() ? 1 : 2);
  }

  @Test
  void aLargeBatchLeavesAnIdAloneThatWaitsWhereIdsAreKeptApart() {
    queue().publish(message("0100").withGroup("first"));

    assertThat(queue().publishBatch(numbered(0, 200)))
        .containsExactlyElementsOf(numbered(0, 200).stream().map(Message::id).toList());

    assertThat(waiting()).isEqualTo(backend().keepsIdsApart() ? 200 : 201);
    if (backend().keepsIdsApart()) {
      assertThat(queue().poll(300).deliveries())
          .filteredOn(delivery -> delivery.message().id().equals("0100"))
          .singleElement()
          .satisfies(there -> assertThat(there.claimGroup()).isEqualTo("first"));
    }
  }

  @Test
  void anIdTwiceInALargeBatchIsOneMessageWhereIdsAreKeptApart() {
    List<Message> batch = new ArrayList<>(numbered(0, 200));
    batch.add(150, message("0050"));

    assertThat(queue().publishBatch(batch)).hasSize(201);

    assertThat(waiting()).isEqualTo(backend().keepsIdsApart() ? 200 : 201);
  }

  @Test
  void largeBatchesBehindOneWithAnIdThatWaitsAreWrittenToo() {
    for (int first = 0; first < 500; first += 100) {
      queue().publishBatch(numbered(first, 200));
    }

    assertThat(waiting()).isEqualTo(backend().keepsIdsApart() ? 600 : 1_000);
  }

  @Test
  void aLargeBatchKeepsEveryCharacter() {
    List<Message> batch = new ArrayList<>(numbered(0, 100));
    for (String odd :
        List.of("\t", "\n", "\r\n", "\\", "\\N", "\"{,}'", "NULL", "\u00e9\ud83d\ude00")) {
      batch.add(
          Message.of("id" + odd, "https://t.example/?" + odd)
              .withGroup(odd)
              .withMode(BLOCK_ON_ERROR));
    }
    queue().publishBatch(batch);

    assertThat(queue().poll(200).deliveries())
        .extracting(Delivery::message)
        .containsExactlyInAnyOrderElementsOf(batch);
  }

  private static List<Message> numbered(int from, int count) {
    return IntStream.range(from, from + count).mapToObj(i -> message("%04d".formatted(i))).toList();
  }

  @Test
  void anIdMayBePublishedAgainOnceItsMessageIsGone() {
    publish("a1");
    queue().ack(claim().receipt());
    publish("a1");

    assertThat(poll(10)).containsExactly("a1");
  }

  @Test
  void aPublishIntoAGroupInFlightDisturbsNoClaim() {
    publish("a1");
    var receipt = claim().receipt();
    advance(1);
    publish("a2");

    queue().ack(receipt);

    assertThat(drain()).containsExactly("a2");
  }

  @Test
  void aNulIsRefusedBeforeAnyRowIsWritten() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue().publishBatch(List.of(message("x"), message("a\0b"))))
        .withMessageContaining("must not hold a NUL character");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> queue().publishBatch(List.of(message("x"), message("a\0b").withGroup("g"))))
        .withMessage("id: must not hold a NUL character");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> queue().publishBatch(List.of(message("x"), message("y").withGroup("a\0b"))))
        .withMessage("message group: must not hold a NUL character");
    assertThat(waiting()).isZero();
  }

  @Test
  void anEmptyQueueNameIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> queue().insertBatch(List.of(new QueueRow("", message("x")))))
        .withMessage("queue: must not be empty");
  }

  @Test
  void aRowForAnotherQueueIsWrittenWhereTheTablesHoldMany() {
    List<QueueRow> rows =
        List.of(new QueueRow("orders", message("x")), new QueueRow("mails", message("y")));

    if (backend().holdsManyQueues()) {
      assertThat(queue().insertBatch(rows)).containsExactly("x", "y");
      assertThat(poll(10)).containsExactly("x");
    } else {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> queue().insertBatch(rows))
          .withMessageContaining("'mails'");
      assertThat(waiting()).isZero();
    }
  }
}
