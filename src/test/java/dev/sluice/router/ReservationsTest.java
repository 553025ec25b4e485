package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class ReservationsTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long MILLI = SECOND / 1_000;
  private static final Duration HOUR = Duration.ofHours(1);

  private final Reservations reservations = new Reservations(Duration.ZERO);

  /** Close to where the nanoseconds of a process overflow. */
  private long now = Long.MAX_VALUE - 20 * SECOND;

  @Test
  void aPoolThatIsNotKnownYetHasThirtySecondsAndSlotsOfOne() {
    assertThat(reserve(100)).isEqualTo(Duration.ofSeconds(31));
    assertThat(reserve(100)).isEqualTo(Duration.ofSeconds(32));
    now += 10 * SECOND;
    assertThat(reserve(100)).isEqualTo(Duration.ofSeconds(23 + 8));
    assertThat(reservations.reservedFor(now)).isEqualTo(Duration.ofSeconds(31));
  }

  @Test
  void oneCompletionMakesNoRateNorDoManyAtOneInstant() {
    complete(1, 0);
    assertThat(reserve(100)).isEqualTo(Duration.ofSeconds(31));
    complete(20, 0);
    assertThat(reserve(100)).isEqualTo(Duration.ofSeconds(32));
  }

  @Test
  void twoCompletionsMakeARate() {
    complete(2, 5 * SECOND);

    assertThat(reserve(100)).isEqualTo(Duration.ofSeconds(505));
  }

  @Test
  void aMessageReturnsOneSlotAfterWhatThePoolHoldsOrThePreviousOne() {
    complete(60, 5 * SECOND);

    assertThat(reserve(100)).isEqualTo(Duration.ofSeconds(505));
    assertThat(reserve(100)).isEqualTo(Duration.ofSeconds(510));
    assertThat(reserve(200)).isEqualTo(Duration.ofSeconds(1005));
    assertThat(reserve(100)).isEqualTo(Duration.ofSeconds(1010));
    assertThat(reservations.reservedFor(now)).isEqualTo(Duration.ofSeconds(1010));
  }

  @Test
  void reservationsInThePastDoNotCount() {
    complete(60, 5 * SECOND);
    reserve(100);
    complete(400, 5 * SECOND);

    assertThat(reservations.reservedFor(now)).isZero();
    assertThat(reserve(10)).isEqualTo(Duration.ofSeconds(55));
  }

  @Test
  void aFastPoolIsAskedAgainInFiveSecondsAtTheEarliestAndInSlots() {
    complete(5_000, MILLI);

    assertThat(reserve(100)).isEqualTo(Duration.ofSeconds(5));
    assertThat(reserve(100)).isEqualTo(Duration.ofMillis(5_001));
    assertThat(reserve(100)).isEqualTo(Duration.ofMillis(5_002));
  }

  @Test
  void onlyTheLastFiveMinutesMakeTheRate() {
    complete(1_000, SECOND);
    complete(70, 5 * SECOND);

    assertThat(reserve(1)).isEqualTo(Duration.ofSeconds(10));
    now += 301 * SECOND;
    assertThat(reserve(1)).isEqualTo(Duration.ofSeconds(31));
  }

  @Test
  void aBurstThatNothingFollowsDoesNotLookFastForLong() {
    complete(20, MILLI);
    assertThat(reserve(800)).isEqualTo(Duration.ofSeconds(5));
    now += 10 * SECOND - 19 * MILLI;

    // 20 in 10 s at best: half a second each.
    assertThat(reserve(800)).isEqualTo(Duration.ofMillis(400_500));
  }

  @Test
  void beyondTheLongestDelayMessagesReturnInItsLastQuarterByChance() {
    complete(60, 5 * SECOND);

    assertThat(reserve(1_000, 0)).isEqualTo(HOUR);
    assertThat(reserve(1_000, 0.5)).isEqualTo(Duration.ofMinutes(52).plusSeconds(30));
    assertThat(reserve(1_000, 1)).isEqualTo(Duration.ofMinutes(45));
    assertThat(reservations.reservedFor(now)).isEqualTo(HOUR);
  }

  @Test
  void chanceMovesNothingWithinThreeQuartersOfTheLongestDelay() {
    complete(60, 5 * SECOND);

    assertThat(reserve(539, 1)).isEqualTo(Duration.ofMinutes(45));
    assertThat(reserve(0, 0)).isEqualTo(Duration.ofSeconds(2705));
    assertThat(reserve(0, 1)).isEqualTo(Duration.ofMinutes(45));
    assertThat(reservations.reservedFor(now)).isEqualTo(Duration.ofSeconds(2710));
  }

  @Test
  void theLongestDelayIsAnOption() {
    Reservations brief = new Reservations(Duration.ofSeconds(20));
    assertThat(brief.reserve(0, now, 0)).isEqualTo(Duration.ofSeconds(20));
    assertThat(brief.reserve(0, now, 1)).isEqualTo(Duration.ofSeconds(15));

    Reservations barely = new Reservations(Duration.ofSeconds(6));
    assertThat(barely.reserve(0, now, 1)).isEqualTo(Duration.ofSeconds(5));

    Reservations below = new Reservations(Duration.ofSeconds(2));
    assertThat(below.reserve(0, now, 1)).isEqualTo(Duration.ofSeconds(2));

    assertThatThrownBy(() -> new Reservations(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void tenThousandFiveSecondMessagesAtOnceFillTheHourSlotBySlot() {
    complete(60, 5 * SECOND);
    Random random = new Random(1);
    List<Duration> delays = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      delays.add(reserve(100, random.nextDouble()));
    }

    for (int i = 0; i < 440; i++) {
      assertThat(delays.get(i)).isEqualTo(Duration.ofSeconds(505 + 5 * i));
    }
    assertThat(delays.subList(440, 10_000))
        .allSatisfy(d -> assertThat(d).isBetween(Duration.ofMinutes(45), HOUR));
    // Those that chance spreads do not return together.
    long[] byMinute = new long[16];
    delays.subList(620, 10_000).forEach(d -> byMinute[(int) d.toMinutes() - 45]++);
    for (int minute = 0; minute < 15; minute++) {
      assertThat(byMinute[minute]).isBetween(500L, 760L);
    }
    assertThat(reservations.reservedFor(now)).isEqualTo(HOUR);
  }

  /**
   * A worker, five seconds a message, a buffer of 100, and 3,000 messages that all come at once: it
   * never waits for work although most of them are put off again and again.
   */
  @Test
  void aPoolNeverRunsDryWhileMessagesWait() {
    Random random = new Random(2);
    PriorityQueue<Long> returns = new PriorityQueue<>();
    for (int i = 0; i < 3_000; i++) {
      returns.add(0L);
    }
    Reservations pool = new Reservations(Duration.ZERO);
    int buffered = 0;
    int done = 0;
    int reserved = 0;
    for (long second = 0; second < 15_000; second++) {
      while (!returns.isEmpty() && returns.peek() <= second) {
        returns.remove();
        if (buffered < 100) {
          buffered++;
        } else {
          Duration delay = pool.reserve(buffered, second * SECOND, random.nextDouble());
          returns.add(second + delay.plusNanos(SECOND - 1).toSeconds());
          reserved++;
        }
      }
      if (second % 5 == 4 && buffered > 0) {
        buffered--;
        done++;
        pool.completed((second + 1) * SECOND);
      }
    }

    assertThat(done).isEqualTo(3_000);
    assertThat(reserved).isLessThan(40_000);
  }

  @Property
  void aDelayIsWithinItsLimitsAndReservationsNeverGoBack(
      @ForAll @Size(max = 200) List<@LongRange(max = 20_000_000_000L) Long> waits,
      @ForAll @IntRange(max = 100_000) int buffered,
      @ForAll @DoubleRange(max = 1, maxIncluded = true) double random,
      @ForAll @IntRange(min = 1, max = 100_000) int longest,
      @ForAll long origin) {
    Reservations any = new Reservations(Duration.ofSeconds(longest));
    Duration shortest = Duration.ofSeconds(Math.min(5, longest));
    long at = origin;
    for (long wait : waits) {
      at += wait;
      if (wait % 3 != 0) {
        any.completed(at);
      } else {
        Duration before = any.reservedFor(at);
        assertThat(any.reserve(buffered, at, random))
            .isBetween(shortest, Duration.ofSeconds(longest));
        assertThat(any.reservedFor(at)).isBetween(before, Duration.ofSeconds(longest));
      }
    }
  }

  @Property
  void whatReturnsBeforeTheLastQuarterReturnsAtTheRateOfThePool(
      @ForAll @IntRange(min = 20, max = 2_000) int millisPerMessage,
      @ForAll @IntRange(max = 1_000) int buffered,
      @ForAll long origin) {
    Reservations steady = new Reservations(Duration.ZERO);
    long at = origin;
    for (int i = 0; i < 600; i++) {
      at += millisPerMessage * MILLI;
      steady.completed(at);
    }

    long previous = steady.reserve(buffered, at, 1).toNanos();
    assertThat(previous)
        .isCloseTo(
            Math.min(
                2_700 * SECOND, Math.max(5 * SECOND, (buffered + 1L) * millisPerMessage * MILLI)),
            within(1_000L));
    for (int i = 0; i < 100 && previous < 2_690 * SECOND; i++) {
      long next = steady.reserve(buffered, at, 1).toNanos();
      assertThat(next - previous).isCloseTo(millisPerMessage * MILLI, within(10L));
      previous = next;
    }
  }

  /** Completions one after the other, and then the time of the last one. */
  private void complete(int count, long apart) {
    for (int i = 0; i < count; i++) {
      now += i == 0 ? 0 : apart;
      reservations.completed(now);
    }
  }

  private Duration reserve(int buffered) {
    return reserve(buffered, 0);
  }

  private Duration reserve(int buffered, double random) {
    return reservations.reserve(buffered, now, random);
  }
}
