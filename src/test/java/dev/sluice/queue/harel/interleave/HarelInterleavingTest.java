package dev.sluice.queue.harel.interleave;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever two or three sessions do beside each other, our functions keep all rules. Pairs run in
 * every order of their statements, triples in those with few preemptions; {@code
 * -Dsluice.test.scale=N} allows triples N of them, and has pairs meet over all rows.
 */
class HarelInterleavingTest {
  private static final int SCALE = Math.max(1, Integer.getInteger("sluice.test.scale", 1));

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
    return Meeting.pairs(SCALE > 1);
  }

  static List<Meeting> repairs() {
    return Meeting.repairs();
  }

  static List<Meeting> triples() {
    return Meeting.triples();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void pairsKeepAllRules(Meeting meeting) throws SQLException {
    keepsAllRules(stage, meeting, Integer.MAX_VALUE);
  }

  @ParameterizedTest
  @MethodSource("repairs")
  void repairsKeepAllRules(Meeting meeting) throws SQLException {
    keepsAllRules(stage, meeting, Integer.MAX_VALUE);
  }

  @ParameterizedTest
  @MethodSource("triples")
  void triplesKeepAllRules(Meeting meeting) throws SQLException {
    keepsAllRules(stage, meeting, SCALE);
  }

  /** A race within a statement takes two preemptions: into it, and back. */
  @ParameterizedTest
  @MethodSource({"pairs", "repairs"})
  void pairsKeepAllRulesWithinStatements(Meeting meeting) throws SQLException {
    keepsAllRules(stageWithin, meeting, 1 + SCALE);
  }

  private static void keepsAllRules(Stage stage, Meeting meeting, int preemptions)
      throws SQLException {
    Report report =
        Exploration.of(meeting.start().state(), meeting.scripts(), HarelRules::check)
            .withPreemptions(preemptions)
            .run(stage);
    assertThat(report.examples()).as(report.toString()).isEmpty();
  }
}
