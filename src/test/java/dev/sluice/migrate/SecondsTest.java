package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SecondsTest {
  @Test
  void idsThatAscendShareASecond() {
    assertThat(Seconds.steps(new long[] {3, 7, 9})).containsExactly(0, 0, 0);
  }

  @Test
  void anIdThatDoesNotAscendBeginsANewSecond() {
    assertThat(Seconds.steps(new long[] {5, 2, 4, 1})).containsExactly(0, 1, 1, 2);
  }

  @Test
  void theFirstRowOfAGroupLeavesRoomForTheOthersInThePast() {
    assertThat(Seconds.first(Long.MIN_VALUE, 1_000, 10)).isEqualTo(989);
  }

  @Test
  void aRowOfAGroupThatHasMovedComesAfterThose() {
    assertThat(Seconds.first(995, 1_000, 10)).isEqualTo(996);
  }
}
