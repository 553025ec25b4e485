package dev.sluice.delivery;

import static dev.sluice.delivery.Breaker.Change.CLOSED;
import static dev.sluice.delivery.Breaker.Change.NONE;
import static dev.sluice.delivery.Breaker.Change.OPENED;
import static dev.sluice.delivery.Breaker.Change.REOPENED;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class BreakerTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Breaker breaker = new Breaker();

  /** Close to where the nanoseconds of a process overflow. */
  private long now = Long.MAX_VALUE - 2 * SECOND;

  @Test
  void tenFailuresOpenIt() {
    for (int i = 0; i < 9; i++) {
      assertThat(fail()).isEqualTo(NONE);
      assertThat(refused()).isZero();
    }

    assertThat(fail()).isEqualTo(OPENED);
    assertThat(refused()).isEqualTo(5 * SECOND);
    assertThat(breaker.samples()).isEqualTo(10);
    assertThat(breaker.failures()).isEqualTo(10);
  }

  @Test
  void halfOfItsSamplesAreEnoughAndLessAreNot() {
    List<Breaker.Change> changes = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      changes.add(succeed());
    }
    for (int i = 0; i < 6; i++) {
      changes.add(fail());
    }

    assertThat(changes).containsOnlyOnce(OPENED).endsWith(NONE, OPENED);
  }

  @Test
  void theTenthSampleMayBeASuccessThatOpensIt() {
    for (int i = 0; i < 5; i++) {
      fail();
    }
    for (int i = 0; i < 4; i++) {
      assertThat(succeed()).isEqualTo(NONE);
    }

    assertThat(succeed()).isEqualTo(OPENED);
  }

  @Test
  void onlyItsLastHundredSamplesCount() {
    for (int i = 0; i < 1000; i++) {
      succeed();
    }
    for (int i = 0; i < 49; i++) {
      assertThat(fail()).isEqualTo(NONE);
    }

    assertThat(fail()).isEqualTo(OPENED);
    assertThat(breaker.samples()).isEqualTo(100);
    assertThat(breaker.failures()).isEqualTo(50);
  }

  @Test
  void afterFiveSecondsItLetsEveryCallThrough() {
    open();
    now += 5 * SECOND - 1;
    assertThat(refused()).isEqualTo(1);
    now++;

    assertThat(refused()).isZero();
    assertThat(refused()).isZero();
    now += 3600 * SECOND;
    assertThat(refused()).isZero();
  }

  @Test
  void threeSuccessesInARowCloseItAndItStartsAnew() {
    open();
    now += 5 * SECOND;

    assertThat(succeed()).isEqualTo(NONE);
    assertThat(succeed()).isEqualTo(NONE);
    assertThat(succeed()).isEqualTo(CLOSED);
    assertThat(breaker.samples()).isZero();
    for (int i = 0; i < 9; i++) {
      assertThat(fail()).isEqualTo(NONE);
    }
    assertThat(fail()).isEqualTo(OPENED);
  }

  @Test
  void oneFailureOpensItAgainAndTheSuccessesBeforeItAreLost() {
    open();
    now += 7 * SECOND;
    succeed();
    succeed();

    assertThat(fail()).isEqualTo(REOPENED);
    assertThat(refused()).isEqualTo(5 * SECOND);
    now += 5 * SECOND;
    assertThat(succeed()).isEqualTo(NONE);
    assertThat(succeed()).isEqualTo(NONE);
    assertThat(succeed()).isEqualTo(CLOSED);
  }

  @Test
  void whatWasUnderWayWhenItOpenedNeitherClosesItNorProlongsIt() {
    long before = now;
    now += SECOND;
    open();
    now += SECOND;
    for (int i = 0; i < 3; i++) {
      assertThat(breaker.record(true, before, now)).isEqualTo(NONE);
      assertThat(breaker.record(false, before, now)).isEqualTo(NONE);
    }
    assertThat(refused()).isEqualTo(4 * SECOND);

    now += 4 * SECOND;
    for (int i = 0; i < 3; i++) {
      assertThat(breaker.record(true, before, now)).isEqualTo(NONE);
      assertThat(breaker.record(false, before, now)).isEqualTo(NONE);
    }
    assertThat(refused()).isZero();
  }

  @Test
  void whatWasUnderWayWhenItOpenedIsNoSampleOfTheTimeAfterIt() {
    long before = now;
    open();
    now += 5 * SECOND;
    succeed();
    succeed();
    succeed();

    breaker.record(false, before, now);

    assertThat(breaker.samples()).isZero();
  }

  @Test
  void whatWasLetThroughOnTrialIsASampleOnceItIsClosed() {
    open();
    now += 5 * SECOND;
    long onTrial = now;
    now += SECOND;
    succeed();
    succeed();
    succeed();

    breaker.record(false, onTrial, now);

    assertThat(breaker.samples()).isEqualTo(1);
    assertThat(breaker.failures()).isEqualTo(1);
  }

  @Test
  void ofManyThatFailOnTrialOnlyTheFirstOpensIt() {
    open();
    now += 5 * SECOND;
    long onTrial = now;
    now += SECOND;

    assertThat(breaker.record(false, onTrial, now)).isEqualTo(REOPENED);
    now += 4 * SECOND;
    assertThat(breaker.record(false, onTrial, now)).isEqualTo(NONE);
    assertThat(refused()).isEqualTo(SECOND);
  }

  /** Any calls, each ending in order of its start after a while, against a list of samples. */
  @Property
  void itDoesWhatItsRuleSays(
      @ForAll @Size(max = 400) List<@IntRange(max = 9) Integer> steps,
      @ForAll @IntRange(min = 1, max = 9) int failingOfTen,
      @ForAll long origin) {
    Rule rule = new Rule();
    Breaker fresh = new Breaker();
    List<Long> underWay = new ArrayList<>();
    long at = 0;
    for (int step : steps) {
      at += SECOND / 2;
      assertThat(fresh.nanosRefused(origin + at)).isEqualTo(rule.refused(at));
      if (rule.refused(at) == 0) {
        underWay.add(at);
      }
      // None, one or two calls end, so that some are under way when it opens.
      int ending = step == 1 ? 0 : step % 3 == 0 ? 2 : 1;
      for (int i = 0; i < ending && !underWay.isEmpty(); i++) {
        long startedAt = underWay.remove(0);
        boolean success = step >= failingOfTen;
        fresh.record(success, origin + startedAt, origin + at);
        rule.record(success, startedAt, at);
      }
    }
  }

  /** The rule as the specification words it, on instants from 0. */
  private static final class Rule {
    private final List<Boolean> samples = new ArrayList<>();
    private final List<Long> openings = new ArrayList<>();
    private int trials = -1;

    long refused(long now) {
      return trials < 0 ? 0 : Math.max(0, openings.get(openings.size() - 1) + 5 * SECOND - now);
    }

    void record(boolean success, long startedAt, long now) {
      if (openings.stream().anyMatch(opening -> opening >= startedAt)) {
        return;
      }
      if (trials < 0) {
        samples.add(success);
        List<Boolean> last = samples.subList(Math.max(0, samples.size() - 100), samples.size());
        long failures = last.stream().filter(s -> !s).count();
        if (last.size() >= 10 && failures >= last.size() / 2.0) {
          trials = 0;
          openings.add(now);
        }
      } else if (!success) {
        trials = 0;
        openings.add(now);
      } else if (++trials == 3) {
        trials = -1;
        samples.clear();
      }
    }
  }

  private void open() {
    for (int i = 0; i < 10; i++) {
      fail();
    }
    assertThat(refused()).isEqualTo(5 * SECOND);
  }

  private Breaker.Change succeed() {
    return breaker.record(true, now, now);
  }

  private Breaker.Change fail() {
    return breaker.record(false, now, now);
  }

  private long refused() {
    return breaker.nanosRefused(now);
  }
}
