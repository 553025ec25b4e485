package dev.sluice.queue.harel.interleave;

import static dev.sluice.queue.harel.interleave.Start.A5;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Messages that go to quarantine behind {@code a1} and {@code b2}, while an operator takes those
 * out of it: whoever is first, none is left there behind nobody.
 */
class BlockedInterleavingTest {
  private static final Message B6 = new Message("b", 6, "b6");

  private static final Start ONE =
      new Start(
          "a message leased behind one in quarantine",
          State.empty().leased("a", "t1", 5).quarantined("a", 1));
  private static final Start TWO =
      new Start(
          "two of those groups",
          State.empty()
              .leased("a", "t1", 5)
              .leased("b", "t2", 6)
              .quarantined("a", 1)
              .quarantined("b", 2));

  private static Stage stage;
  private static Stage stageWithin;

  @BeforeAll
  static void open() throws SQLException {
    stage = new Stage(Ours.functions(), Ours.CLAIM_AND_ACK);
    stageWithin = new Stage(Ours.functionsStoppedWithin(), Ours.CLAIM_AND_ACK);
  }

  @AfterAll
  static void close() throws SQLException {
    stage.close();
    stageWithin.close();
  }

  static List<Meeting> pairs() {
    Script one = Ours.rejectBehind(A5);
    Script two = Ours.rejectBehind(A5, B6);
    return List.of(
        new Meeting(ONE, List.of(one, Ours.undo("a", true))),
        new Meeting(ONE, List.of(one, Ours.undo("a", false))),
        new Meeting(ONE, List.of(one, Ours.publish("p", "a"))),
        new Meeting(ONE, List.of(one, Ours.claim("w", 1))),
        new Meeting(ONE, List.of(one, one)),
        new Meeting(ONE, List.of(Ours.undo("a", true), Ours.undo("a", true))),
        new Meeting(ONE, List.of(Ours.undo("a", true), Ours.undo("a", false))),
        new Meeting(TWO, List.of(two, Ours.undo("a", true))),
        new Meeting(TWO, List.of(two, Ours.rejectBehind(A5))));
  }

  static List<Meeting> triples() {
    return List.of(
        new Meeting(ONE, List.of(Ours.rejectBehind(A5), Ours.undo("a", true), Ours.claim("w", 1))),
        new Meeting(
            TWO, List.of(Ours.rejectBehind(A5, B6), Ours.undo("a", true), Ours.undo("b", false))));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void nothingIsLeftBehindNobody(Meeting meeting) throws SQLException {
    assertThat(report(stage, meeting, Integer.MAX_VALUE).examples()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void norWithinStatements(Meeting meeting) throws SQLException {
    assertThat(report(stageWithin, meeting, 2).examples()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("triples")
  void norBetweenThree(Meeting meeting) throws SQLException {
    assertThat(report(stage, meeting, 2).examples()).isEmpty();
  }

  /** Tests the test. */
  @Test
  void withoutTheLockAMessageIsLeftBehindNobody() throws SQLException {
    String lock = "PERFORM pg_advisory_xact_lock_shared(hashtext('transport_messages_failed'), 0);";
    List<String> functions = new ArrayList<>(Ours.functions());
    assertThat(functions.get(0)).contains(lock);
    functions.set(0, functions.get(0).replace(lock, ""));
    try (Stage without = new Stage(functions, Ours.CLAIM_AND_ACK)) {
      assertThat(report(without, pairs().get(0), 2).examples())
          .anySatisfy(example -> assertThat(example).startsWith("BEHIND_NOBODY"));
    }
  }

  private static Report report(Stage stage, Meeting meeting, int preemptions) throws SQLException {
    return Exploration.of(
            meeting.start().state(), meeting.scripts(), BlockedInterleavingTest::check)
        .withPreemptions(preemptions)
        .run(stage);
  }

  private static List<Violation> check(Outcome outcome) {
    List<Violation> violations = new ArrayList<>(HarelRules.check(outcome));
    List<String> there = outcome.end().quarantine();
    if (there.contains("a5") && !there.contains("a1")) {
      violations.add(new Violation(Violation.Kind.BEHIND_NOBODY, "a5"));
    }
    if (there.contains("b6") && !there.contains("b2")) {
      violations.add(new Violation(Violation.Kind.BEHIND_NOBODY, "b6"));
    }
    return violations;
  }
}
