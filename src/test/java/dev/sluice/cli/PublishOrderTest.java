package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.PublishOrder.Descent;
import dev.sluice.cli.PublishOrder.Forecast;
import dev.sluice.queue.Message;
import dev.sluice.queue.QueueAdmin.PublishPreview;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PublishOrderTest {
  /** A database in whose collation the digits come after the letters. */
  private static final String COLLATION = "abcdefgh0123456789";

  private final Set<String> waiting = new HashSet<>();
  private long second = 100;
  private final PublishOrder order = new PublishOrder(this::preview);

  private PublishPreview preview(List<String> ids) {
    Set<String> held = new HashSet<>(ids);
    held.retainAll(waiting);
    return new PublishPreview(
        Instant.ofEpochSecond(second),
        ids.stream().map(id -> (long) COLLATION.indexOf(id)).toList(),
        held);
  }

  private static List<Message> messages(String group, String... ids) {
    return Stream.of(ids).map(id -> Message.of(id, "http://t/").withGroup(group)).toList();
  }

  private void write(List<Message> messages) {
    order.written(messages, order.forecast(messages).existing());
    messages.forEach(message -> waiting.add(message.id()));
  }

  @Test
  void theDatabaseDecidesWhichIdComesFirst() {
    assertThat(order.forecast(messages("g", "a", "b", "1")).descent()).isEmpty();
    assertThat(order.forecast(messages("g", "1", "a")).descent())
        .contains(new Descent("g", "1", "a"));
  }

  @Test
  void whatComesBeforeADescentIsOrdered() {
    assertThat(order.forecast(messages("g", "a", "c", "b", "d")).ordered()).isEqualTo(2);
  }

  @Test
  void groupsDoNotMindEachOther() {
    List<Message> mixed = new ArrayList<>(messages("g", "b"));
    mixed.addAll(messages("h", "a"));
    mixed.add(Message.of("c", "http://t/"));
    mixed.add(Message.of("a", "http://t/"));

    assertThat(order.forecast(mixed).descent()).isEmpty();
  }

  @Test
  void aBatchMindsTheOneBeforeItInTheSameSecond() {
    write(messages("g", "c"));

    assertThat(order.forecast(messages("g", "b")).ordered()).isZero();
  }

  @Test
  void theNextSecondIsANewBeginning() {
    write(messages("g", "c"));
    second = 101;

    assertThat(order.forecast(messages("g", "b")).descent()).isEmpty();
  }

  @Test
  void whatTheQueueHoldsKeepsItsOldPlace() {
    waiting.add("a");

    Forecast forecast = order.forecast(messages("g", "b", "a", "b"));

    assertThat(forecast.existing()).containsExactly(false, true, true);
    assertThat(forecast.descent()).isEmpty();
  }
}
