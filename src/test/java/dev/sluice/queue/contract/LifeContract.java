package dev.sluice.queue.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueClosedException;
import dev.sluice.queue.Receipt;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Open, healthy, closed. */
abstract class LifeContract extends QueueContract {

  @Test
  void aQueueIsHealthyWhileItsDatabaseAnswers() {
    assertThat(queue().healthy()).isTrue();
    assertThat(backend().open(unreachable(), () -> START).healthy()).isFalse();
  }

  @Test
  void aMissingTableIsNoIllness() {
    sql("DROP TABLE " + backend().messagesTable());

    assertThat(queue().healthy()).isTrue();
  }

  @Test
  void aClosedQueueDoesNothingMoreAndSaysSo() {
    publish("a1");
    Receipt receipt = claim().receipt();
    queue().close();
    queue().close();

    List<ThrowingCallable> calls =
        List.of(
            () -> queue().poll(1),
            () -> queue().ack(receipt),
            () -> queue().nack(receipt, Duration.ZERO),
            () -> queue().defer(receipt, Duration.ZERO),
            () -> queue().reject(receipt, "no"),
            () -> queue().extendVisibility(List.of(receipt), Duration.ofSeconds(1)),
            () -> queue().publish(message("x")),
            () -> queue().metrics(),
            () -> queue().checkSchema(),
            () -> queue().initSchema(),
            () -> queue().admin().stats(),
            () -> queue().admin().peek(Optional.empty(), 1));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(QueueClosedException.class)
          .hasMessageContaining("'orders'")
          .hasMessageContaining("closed");
    }
    assertThat(queue().healthy()).isFalse();
    assertThat(queue().counters().polled()).isOne();
  }

  @Test
  void closingOneInstanceLeavesTheOthersOpen() {
    Queue other = another();
    queue().close();

    other.publish(message("x"));

    assertThat(ids(other.poll(1))).containsExactly("x");
  }

  /** A database that is down. */
  private static DataSource unreachable() {
    PGSimpleDataSource nowhere = new PGSimpleDataSource();
    nowhere.setServerNames(new String[] {"127.0.0.1"});
    nowhere.setPortNumbers(new int[] {1});
    return nowhere;
  }
}
