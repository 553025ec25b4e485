package dev.sluice.queue.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClaimMarkTest {
  private static final String PLACE = "g";

  private final ClaimMark<String> mark = new ClaimMark<>(2_000_000);

  @Test
  void claimsBeginAtTheFrontWhileThatIsQuick() {
    walk(Duration.ofMillis(1), 3);

    assertThat(mark.begin(1)).isNull();
  }

  @Test
  void afterSlowWalksTwentyTimesAsLongIsBegunAtTheMark() {
    walk(Duration.ofMillis(100), 3);

    assertThat(mark.begin(nanos(Duration.ofMillis(1_999)))).isEqualTo(PLACE);
    assertThat(mark.begin(nanos(Duration.ofSeconds(2)))).isNull();
  }

  @Test
  void aMachineThatStoodStillHidesNothingForMoreThanTenSeconds() {
    walk(Duration.ofMinutes(2), 3);

    assertThat(mark.begin(nanos(Duration.ofMillis(9_999)))).isEqualTo(PLACE);
    assertThat(mark.begin(nanos(Duration.ofSeconds(10)))).isNull();
  }

  @Test
  void aClaimThatFindsNothingBehindTheMarkIsFollowedByOneFromTheFront() {
    walk(Duration.ofMillis(100), 3);
    mark.claimed(PLACE, Optional.empty(), 0, 1, 1);

    assertThat(mark.begin(2)).isNull();
  }

  @Test
  void whatBelongsToAWalkFromTheFrontCountsForItsPause() {
    walk(Duration.ofMillis(100), 3);
    mark.tookInAll(nanos(Duration.ofMillis(300)), nanos(Duration.ofMillis(200)));

    assertThat(mark.begin(nanos(Duration.ofMillis(6_199)))).isEqualTo(PLACE);
    assertThat(mark.begin(nanos(Duration.ofMillis(6_200)))).isNull();
  }

  @Test
  void aClaimThatBeganWhereTheMarkIsNoLongerDoesNotMoveIt() {
    walk(Duration.ofMillis(100), 3);
    mark.claimed(PLACE, Optional.of("h"), 1, 1, 1);
    mark.claimed(PLACE, Optional.of("i"), 1, 1, 1);

    assertThat(mark.begin(2)).isEqualTo("h");
  }

  @Test
  void whereWalksFromTheMarkAreAsSlowTheyBeginAtTheFront() {
    walk(Duration.ofMillis(100), 3);
    mark.claimed(PLACE, Optional.of("h"), 1, nanos(Duration.ofMillis(60)), 1);
    walk(Duration.ofMillis(100), 3);

    assertThat(mark.begin(1)).isNull();

    walk(Duration.ofMillis(130), 3);

    assertThat(mark.begin(1)).isEqualTo(PLACE);
  }

  @Test
  void aMinuteAfterOneSlowWalkFromTheMarkAnotherIsTried() {
    walk(Duration.ofMillis(100), 3);
    mark.claimed(PLACE, Optional.of("h"), 1, nanos(Duration.ofSeconds(10)), 1);
    walk(Duration.ofMillis(100), 3);
    assertThat(mark.begin(1)).isNull();

    long later = nanos(Duration.ofSeconds(61));
    for (int i = 0; i < 3; i++) {
      mark.claimed(null, Optional.of(PLACE), 1, nanos(Duration.ofMillis(100)), later);
    }

    assertThat(mark.begin(later)).isEqualTo(PLACE);
  }

  private void walk(Duration took, int times) {
    for (int i = 0; i < times; i++) {
      mark.claimed(null, Optional.of(PLACE), 1, nanos(took), 0);
    }
  }

  private static long nanos(Duration duration) {
    return duration.toNanos();
  }
}
