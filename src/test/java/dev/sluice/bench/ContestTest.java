package dev.sluice.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.bench.Contest.Entrant;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ContestTest {
  private final List<String> ran = new ArrayList<>();

  @Test
  void entrantsTakeTurnsAndNobodyIsAlwaysSecond() throws SQLException {
    List<Result> results = hold(2, Duration.ofMinutes(1), entrant("a", 1), entrant("b", 2));

    assertThat(ran).containsExactly("a", "b", "a", "b", "b", "a");
    assertThat(results).extracting(Result::entrant).containsExactly("a", "b");
    assertThat(results)
        .extracting(Result::seconds)
        .containsExactly(List.of(1.0, 1.0), List.of(2.0, 2.0));
  }

  @Test
  void whoTakesMoreThanItsShareIsMeasuredOnce() throws SQLException {
    Entrant slow =
        new Entrant(
            "slow",
            () -> {
              ran.add("slow");
              Thread.onSpinWait();
              long until = System.nanoTime() + Duration.ofMillis(400).toNanos();
              while (System.nanoTime() < until) {
                Thread.onSpinWait();
              }
              return 0.4;
            });

    List<Result> results = hold(5, Duration.ofSeconds(1), slow, entrant("quick", 1));

    assertThat(results.get(0).seconds()).containsExactly(0.4);
    assertThat(results.get(0).gaveUp()).isFalse();
    assertThat(results.get(1).seconds()).hasSize(5);
  }

  @Test
  void whoIsCutOffGivesUp() throws SQLException {
    List<Result> results = hold(3, Duration.ofSeconds(1), failing("57014"), entrant("b", 1));

    assertThat(results.get(0).gaveUp()).isTrue();
    assertThat(results.get(1).gaveUp()).isFalse();
  }

  @Test
  void anyOtherFailureEndsTheContest() {
    assertThatThrownBy(() -> hold(3, Duration.ofSeconds(1), failing("23505")))
        .isInstanceOf(SQLException.class);
  }

  @Test
  void whatWasMeasuredBeforeAStopIsKept() throws SQLException {
    Contest contest = new Contest(5, Duration.ofMinutes(1), () -> ran.size() >= 3);

    List<Result> results =
        contest.hold(Operation.POLL, "groups", 1_000, List.of(entrant("a", 1), entrant("b", 2)));

    assertThat(results).extracting(Result::entrant).containsExactly("a");
  }

  @Test
  void aMedianIsTheMiddleOne() {
    Result result = new Result(Operation.POLL, "groups", 1, "a", List.of(5.0, 1.0, 3.0), false);

    assertThat(result.median()).isEqualTo(3);
    assertThat(result.least()).isEqualTo(1);
    assertThat(result.most()).isEqualTo(5);
  }

  private static List<Result> hold(int runs, Duration patience, Entrant... entrants)
      throws SQLException {
    return new Contest(runs, patience, () -> false)
        .hold(Operation.POLL, "groups", 1_000, List.of(entrants));
  }

  private Entrant entrant(String name, double seconds) {
    return new Entrant(
        name,
        () -> {
          ran.add(name);
          return seconds;
        });
  }

  private static Entrant failing(String sqlState) {
    return new Entrant(
        "failing",
        () -> {
          throw new SQLException("scripted", sqlState);
        });
  }
}
