package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class TokenBucketTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long MINUTE = 60 * SECOND;
  private static final BigInteger MINUTE_BIG = BigInteger.valueOf(MINUTE);

  @Test
  void itStartsFullAndFillsContinuously() {
    TokenBucket bucket = new TokenBucket(60, 0);

    assertThat(takeAll(bucket, 0)).isEqualTo(60);
    assertThat(bucket.nanosUntilToken(0)).isEqualTo(SECOND);
    assertThat(bucket.take(SECOND - 1)).isFalse();
    assertThat(bucket.nanosUntilToken(SECOND - 1)).isEqualTo(1);
    assertThat(bucket.take(SECOND)).isTrue();
    assertThat(bucket.take(SECOND)).isFalse();
    assertThat(takeAll(bucket, 31 * SECOND)).isEqualTo(30);
  }

  @Test
  void itSavesNoMoreThanAMinutesWorth() {
    TokenBucket bucket = new TokenBucket(3, 0);
    takeAll(bucket, 0);

    assertThat(takeAll(bucket, 3_000 * MINUTE)).isEqualTo(3);
    assertThat(bucket.nanosUntilToken(3_000 * MINUTE)).isEqualTo(20 * SECOND);
  }

  @Test
  void aDayOfTokensEndsOnTheNanosecond() {
    TokenBucket bucket = new TokenBucket(7, Long.MAX_VALUE - 5);
    long elapsed = 0;
    takeAll(bucket, Long.MAX_VALUE - 5);

    for (int i = 0; i < 7 * 60 * 24; i++) {
      elapsed += bucket.nanosUntilToken(Long.MAX_VALUE - 5 + elapsed);
      assertThat(bucket.take(Long.MAX_VALUE - 5 + elapsed)).isTrue();
    }

    assertThat(elapsed).isEqualTo(24 * 60 * MINUTE);
  }

  @Test
  void theHighestRateDoesNotOverflow() {
    TokenBucket bucket = new TokenBucket(Integer.MAX_VALUE, Long.MIN_VALUE);
    assertThat(bucket.take(Long.MIN_VALUE)).isTrue();
    assertThat(bucket.take(Long.MAX_VALUE / 2)).isTrue();

    for (int i = 0; i < 1_000; i++) {
      assertThat(bucket.take(i)).isTrue();
      assertThat(bucket.nanosUntilToken(i)).isZero();
    }
  }

  @Test
  void aHigherRateKeepsTheTokensAndGrantsNone() {
    TokenBucket bucket = new TokenBucket(60, 0);
    takeAll(bucket, 0);

    bucket.changeRate(600, 10 * SECOND);

    assertThat(takeAll(bucket, 10 * SECOND)).isEqualTo(10);
    assertThat(bucket.nanosUntilToken(10 * SECOND)).isEqualTo(SECOND / 10);
    assertThat(takeAll(bucket, 1_000 * SECOND)).isEqualTo(600);
  }

  @Test
  void aLowerRateKeepsWhatItWouldHaveSaved() {
    TokenBucket bucket = new TokenBucket(600, 0);

    bucket.changeRate(6, 0);

    assertThat(takeAll(bucket, 0)).isEqualTo(6);
    assertThat(bucket.nanosUntilToken(0)).isEqualTo(10 * SECOND);
  }

  @Test
  void theSameRateChangesNothing() {
    TokenBucket bucket = new TokenBucket(60, 0);
    takeAll(bucket, 0);

    bucket.changeRate(60, SECOND / 2);

    assertThat(bucket.nanosUntilToken(SECOND / 2)).isEqualTo(SECOND / 2);
  }

  @Test
  void aClockThatStepsBackGrantsNothing() {
    TokenBucket bucket = new TokenBucket(60, 100 * SECOND);
    takeAll(bucket, 100 * SECOND);

    assertThat(bucket.take(0)).isFalse();
    assertThat(bucket.take(101 * SECOND - 1)).isFalse();
    assertThat(bucket.take(101 * SECOND)).isTrue();
  }

  @Test
  void aRateOfNothingIsRefused() {
    assertThatThrownBy(() -> new TokenBucket(0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rate per minute must be from 1, was 0");
  }

  @Property
  void itGivesExactlyWhatItsRateAllows(
      @ForAll @IntRange(min = 1, max = TokenBucket.HIGHEST_RATE) int first,
      @ForAll @Size(max = 100) List<@LongRange(max = 100_000_000_000L) Long> waits,
      @ForAll @IntRange(min = 1, max = 1_000) int second,
      @ForAll long origin) {
    TokenBucket bucket = new TokenBucket(first, origin);
    BigInteger rate = BigInteger.valueOf(first);
    BigInteger parts = rate.multiply(MINUTE_BIG);
    long now = origin;
    int step = 0;
    for (long wait : waits) {
      now += wait;
      parts = parts.add(rate.multiply(BigInteger.valueOf(wait))).min(rate.multiply(MINUTE_BIG));
      if (step++ == 50) {
        bucket.changeRate(second, now);
        rate = BigInteger.valueOf(second);
        parts = parts.min(rate.multiply(MINUTE_BIG));
      }
      BigInteger missing = MINUTE_BIG.subtract(parts).max(BigInteger.ZERO);
      BigInteger[] nanos = missing.divideAndRemainder(rate);
      assertThat(bucket.nanosUntilToken(now))
          .isEqualTo(nanos[0].longValueExact() + nanos[1].signum());
      boolean there = parts.compareTo(MINUTE_BIG) >= 0;
      assertThat(bucket.take(now)).isEqualTo(there);
      parts = there ? parts.subtract(MINUTE_BIG) : parts;
    }
  }

  @Property
  void aTokenIsThereExactlyWhenItWasForetold(
      @ForAll @IntRange(min = 1, max = 1_000) int rate,
      @ForAll @LongRange(max = 60_000_000_000L) long wait) {
    TokenBucket bucket = new TokenBucket(rate, 0);
    takeAll(bucket, 0);
    takeAll(bucket, wait);
    long foretold = wait + bucket.nanosUntilToken(wait);

    assertThat(bucket.take(foretold - 1)).isFalse();
    assertThat(bucket.take(foretold)).isTrue();
  }

  private static int takeAll(TokenBucket bucket, long now) {
    int taken = 0;
    while (bucket.take(now)) {
      taken++;
    }
    return taken;
  }
}
