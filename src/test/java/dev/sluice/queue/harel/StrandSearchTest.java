package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.harel.StrandSearch.Look;
import dev.sluice.queue.harel.StrandSearch.Part;
import java.util.List;
import org.junit.jupiter.api.Test;

class StrandSearchTest {
  private static final long SHARE = 50_000;

  private final StrandSearch search = new StrandSearch();

  private void look(double now, long oldest, long next, long lastSeq, String... stranded) {
    search.looked(now, new Look(oldest, next, lastSeq, List.of(stranded)));
  }

  private static Part upFrom(long seq) {
    return new Part(seq, seq - 1 + SHARE);
  }

  @Test
  void whatIsNewIsLookedAtOnceItIsThere() {
    look(0, 100, 100, 20_000);

    assertThat(search.due(0.5)).contains(upFrom(20_001));
  }

  @Test
  void whatIsNewIsLookedAtAgainASecondLater() {
    look(0, 100, 100, 20_000);
    look(0.5, 100, 105, 20_010);

    assertThat(search.due(1.6)).contains(new Part(20_001, 20_010), upFrom(20_011));
  }

  @Test
  void aRangeIsForgottenOnceNoTransactionIsLeftThatCouldStrandIt() {
    look(0, 100, 100, 20_000);
    look(1, 101, 101, 20_000);
    look(2, 102, 102, 20_000);
    look(3, 103, 103, 20_000);

    assertThat(search.due(100)).containsExactly(upFrom(20_001));
  }

  @Test
  void aTransactionThatStaysOpenKeepsARangeInView() {
    look(0, 100, 100, 20_000);
    look(0.5, 100, 105, 20_010);
    for (int second = 2; second < 200; second++) {
      look(second, 101, 105 + second, 20_010);
    }

    assertThat(search.due(300)).contains(new Part(20_001, 20_010));
  }

  @Test
  void aTransactionThatStaysOpenCostsFewLooks() {
    look(0, 100, 100, 20_000);
    look(0.5, 100, 105, 20_010);
    int looks = 0;
    for (int second = 2; second < 602; second++) {
      looks += search.due(second).contains(new Part(20_001, 20_010)) ? 1 : 0;
      look(second, 101, 105 + second, 20_010);
    }

    assertThat(looks).isLessThan(20);
  }

  @Test
  void aRangeIsLookedAtOnceItsTransactionsAreOver() {
    look(0, 100, 100, 20_000);
    look(0.5, 100, 105, 20_010);
    for (int second = 2; second < 200; second++) {
      look(second, 101, 105 + second, 20_010);
    }
    look(200, 400, 400, 20_010);

    assertThat(search.due(200.1)).contains(new Part(20_001, 20_010));
  }

  @Test
  void aGroupIsRestoredWhenItWasWithoutARowForTwoSeconds() {
    look(0, 100, 100, 20_000);
    look(1, 101, 101, 20_005, "g");

    assertThat(search.takeOverdue(2.9)).isEmpty();
    assertThat(search.takeOverdue(3)).containsExactly("g");
    assertThat(search.takeOverdue(10)).isEmpty();
  }

  @Test
  void aManyTimesMergedPastStaysInView() {
    look(0, 100, 100, 0);
    for (int second = 1; second < 300; second++) {
      look(second, 100, 1000 + second, second * 10L);
    }

    assertThat(search.due(1e6).stream().mapToLong(Part::from).min()).hasValue(0);
    assertThat(search.due(1e6)).hasSizeLessThan(70);
  }

  @Test
  void nothingIsCertainBeforeTheFirstSweep() {
    look(0, 100, 100, 20_000);
    assertThat(search.isInDoubt()).isTrue();

    search.swept(0, List.of(), false);
    assertThat(search.isInDoubt()).isTrue();

    search.swept(1, List.of(), true);
    assertThat(search.isInDoubt()).isFalse();
  }

  @Test
  void ofManyPublishedAtOnceEachLookTakesAShareAndAllAreLookedAtThriceAtLeast() {
    look(0, 100, 100, 20_000);
    search.swept(0, List.of(), true);
    long newest = 1_020_000;
    long looks = 0;
    long looked = 0;
    double now = 0.5;
    do {
      for (Part part : search.due(now)) {
        long messages = Math.min(part.to(), newest) - part.from() + 1;
        assertThat(messages).isLessThanOrEqualTo(newest / 16);
        looked += messages;
      }
      look(now, 101 + looks, 101 + looks, newest);
      looks++;
      now++;
    } while (search.isInDoubt() || search.due(now).size() > 1);

    assertThat(looked).isBetween(3_000_000L, 3_050_000L);
    assertThat(looks).isLessThan(100);
  }

  @Test
  void seqsLeftOutByMillionsDoNotHideWhatComesBehind() {
    look(0, 100, 100, 20_000);
    int looks = 0;
    for (long to = 0; to < 2_000_000_000_000L; looks++) {
      look(looks, 101 + looks, 101 + looks, 2_000_000_000_000L);
      to = search.due(looks).get(search.due(looks).size() - 1).to();
    }

    assertThat(looks).isLessThan(1_000);
  }

  @Test
  void aSweepBeginsAnewAMinuteAfterTheLast() {
    search.swept(1, List.of(), true);

    assertThat(search.isSweepDue(60)).isFalse();
    assertThat(search.isSweepDue(61)).isTrue();
  }
}
