package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SecondsTest {
  @Test
  void idsThatAscendShareASecond() {
    assertThat(Seconds.steps(List.of(false, true, true))).containsExactly(0, 0, 0);
  }

  @Test
  void anIdThatDoesNotAscendBeginsANewSecond() {
    assertThat(Seconds.steps(List.of(false, false, true, false))).containsExactly(0, 1, 1, 2);
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
