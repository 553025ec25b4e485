package dev.sluice.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.QueueException;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class QueueCountTest {
  private static final QueueMetrics ONE = new QueueMetrics(1, 0, 0, 0, 0);
  private static final QueueMetrics TWO = new QueueMetrics(2, 0, 0, 0, 0);

  private final ManualTime time = new ManualTime(Instant.EPOCH);
  private final Deque<Runnable> begun = new ArrayDeque<>();
  private Supplier<QueueMetrics> database = () -> ONE;
  private final QueueCount count =
      new QueueCount(CountedQueue.of("orders", () -> database.get()), time, begun::add);

  @Test
  void theFirstLookHasTheCountThatItAskedFor() {
    assertThat(look()).contains(ONE);
  }

  @Test
  void aLookSoonAfterTheLastCountsNothing() {
    Optional<QueueMetrics> first = look();
    database = () -> TWO;
    time.advance(Duration.ofMillis(14_999));

    assertThat(look()).isEqualTo(first);
    assertThat(begun).isEmpty();
  }

  @Test
  void aLaterLookHasTheLastCountAndNeverWaitsForItsOwn() {
    Optional<QueueMetrics> first = look();
    database = () -> TWO;
    time.advance(Duration.ofSeconds(15));
    count.refreshIfDue();

    assertThat(count.current()).isEqualTo(first);

    run();
    assertThat(count.current()).contains(TWO);
  }

  @Test
  void twoLooksAtATimeCountOnce() {
    count.refreshIfDue();
    count.refreshIfDue();

    assertThat(begun).hasSize(1);
  }

  @Test
  void aCountThatHangsIsWaitedForASecondAndNotBegunAgain() {
    count.refreshIfDue();
    time.advance(Duration.ofSeconds(1));
    assertThat(count.current()).isEmpty();

    time.advance(Duration.ofMinutes(1));
    count.refreshIfDue();

    assertThat(begun).hasSize(1);
    assertThat(count.current()).isEmpty();
  }

  @Test
  void aCountThatComesLateIsShown() {
    count.refreshIfDue();
    time.advance(Duration.ofSeconds(5));
    run();

    assertThat(count.current()).contains(ONE);
  }

  @Test
  void aCountThatFailsTakesTheLastOneAway() {
    Optional<QueueMetrics> unused = look();
    database = QueueCountTest::fail;
    time.advance(Duration.ofSeconds(15));

    assertThat(look()).isEmpty();
  }

  @Test
  void afterAFailureNobodyWaits() {
    database = QueueCountTest::fail;
    Optional<QueueMetrics> unused = look();
    time.advance(Duration.ofSeconds(15));
    count.refreshIfDue();

    assertThat(begun).hasSize(1);
    assertThat(count.current()).isEmpty();
  }

  @Test
  void anOldCountIsNotShown() {
    Optional<QueueMetrics> unused = look();
    time.advance(Duration.ofMinutes(2));

    database = () -> TWO;
    assertThat(look()).contains(TWO);
  }

  @Test
  void aMonitorThatIsClosedCountsNothing() {
    QueueCount closed =
        new QueueCount(
            CountedQueue.of("orders", () -> ONE),
            time,
            task -> {
              throw new RejectedExecutionException();
            });
    closed.refreshIfDue();

    assertThat(closed.current()).isEmpty();
  }

  private Optional<QueueMetrics> look() {
    count.refreshIfDue();
    run();
    return count.current();
  }

  private void run() {
    while (!begun.isEmpty()) {
      begun.remove().run();
    }
  }

  private static QueueMetrics fail() {
    throw new QueueException("the database is gone");
  }
}
