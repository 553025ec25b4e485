package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OrderedGroupTest {
  private final OrderedGroup<String> group = new OrderedGroup<>("p", "g");

  private OrderedGroup<String> holding(String... ids) {
    for (String id : ids) {
      group.arrive(id, 1);
    }
    return group;
  }

  @Test
  void theNextFollowsOnlyWhenTheHeadIsDone() {
    holding("a", "b");

    assertThat(group.takeNext()).contains("a");
    assertThat(group.takeNext()).isEmpty();
    assertThat(group.headDone()).isFalse();
    assertThat(group.takeNext()).contains("b");
  }

  @Test
  void followersGoBackOnlyWhenTheHeadsReturnIsCommitted() {
    holding("a", "b", "c").takeNext();

    group.headGoesBack(Duration.ofSeconds(30));

    assertThat(group.takeBehind()).isEmpty();
    group.committed(1);
    assertThat(group.takeBehind()).containsExactly("b", "c");
    assertThat(group.delayBehind()).isEqualTo(Duration.ofSeconds(30));
    assertThat(group.takeNext()).isEmpty();
  }

  @Test
  void followersGoBackForTenSecondsAtLeast() {
    holding("a", "b").takeNext();

    group.headGoesBack(Duration.ofSeconds(1));

    assertThat(group.delayBehind()).isEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void whatArrivesWhileFollowersGoBackGoesBehindThemInANextGeneration() {
    holding("a", "b").takeNext();
    group.headGoesBack(Duration.ofSeconds(30));
    group.committed(1);
    assertThat(group.takeBehind()).containsExactly("b");

    group.arrive("c", 2);

    assertThat(group.takeNext()).isEmpty();
    assertThat(group.takeBehind()).isEmpty();
    group.committed(2);
    assertThat(group.takeBehind()).containsExactly("c");
  }

  @Test
  void aPollThatBeganBeforeTheCommitBringsInNothingToDeliver() {
    holding("a").takeNext();
    group.headGoesBack(Duration.ofSeconds(30));
    group.committed(5);

    group.arrive("b", 5);

    assertThat(group.takeNext()).isEmpty();
    assertThat(group.takeBehind()).containsExactly("b");
  }

  @Test
  void aPollThatBeganAfterTheCommitOpensTheGroup() {
    holding("a").takeNext();
    group.headGoesBack(Duration.ofSeconds(30));
    group.committed(5);

    group.arrive("a", 6);

    assertThat(group.takeNext()).contains("a");
    assertThat(group.delayBehind()).isZero();
  }

  @Test
  void aGroupIsRememberedUntilThePollUnderWayHasComeIn() {
    holding("a").takeNext();
    assertThat(group.isForgettable(1)).isFalse();
    group.headGoesBack(Duration.ofSeconds(30));
    assertThat(group.isForgettable(1)).isFalse();
    group.committed(2);

    assertThat(group.isForgettable(1)).isFalse();
    assertThat(group.isForgettable(2)).isTrue();
  }

  @Test
  void aRetreatWaitsForTheHeadAndForItsCommit() {
    holding("a", "b").takeNext();

    group.retreat(Duration.ZERO);

    assertThat(group.takeBehind()).isEmpty();
    assertThat(group.headDone()).isTrue();
    assertThat(group.takeBehind()).isEmpty();
    group.committed(1);
    assertThat(group.takeBehind()).containsExactly("b");
    assertThat(group.delayBehind()).isZero();
  }

  @Test
  void aHeadThatIsNotBeingDeliveredRetreatsInFrontOfItsFollowers() {
    holding("a", "b", "c").takeNext();

    group.retreatWithHead(Duration.ofSeconds(4));

    assertThat(group.takeBehind()).containsExactly("a", "b", "c");
    assertThat(group.delayBehind()).isEqualTo(Duration.ofSeconds(4));
  }

  @Test
  void behindAHeadThatStaysClaimedNobodyIsDueBeforeItsClaimLapses() {
    holding("a", "b").takeNext();

    group.headIsLeft(Duration.ofMinutes(2));

    assertThat(group.takeBehind()).containsExactly("b");
    assertThat(group.delayBehind()).isEqualTo(Duration.ofMinutes(2));
  }

  @Test
  void behindALostMessageEveryoneGoesBackOnceTheHeadIsDone() {
    holding("a", "b", "c").takeNext();

    group.lose("b");

    assertThat(group.takeBehind()).isEmpty();
    assertThat(group.headDone()).isTrue();
    group.committed(1);
    assertThat(group.takeBehind()).containsExactly("c");
    assertThat(group.delayBehind()).isEqualTo(Duration.ofSeconds(10));
  }
}
