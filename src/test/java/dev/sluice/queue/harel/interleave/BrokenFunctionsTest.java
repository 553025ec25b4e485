package dev.sluice.queue.harel.interleave;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each lock and each second look of our functions is there for a schedule that is found. */
class BrokenFunctionsTest {
  /** Each of row lock and advisory lock suffices here: one is taken out with the other. */
  private static final String ADVISORY_LOCK =
      "WHERE pg_try_advisory_xact_lock(hashtext('transport_groups'), sluice_lock_v1(p.group_id))";

  private static final Meeting PUBLISH_AND_ACK =
      new Meeting(Start.LAST, List.of(Ours.publish("p", "a"), Ours.ack(Start.A1)));
  private static final Meeting PUBLISH_AND_CLEAN_UP =
      new Meeting(Start.EMPTY_ROW, List.of(Ours.publish("p", "a"), Ours.claim("w", 1)));
  private static final Meeting CROSSED_BATCHES =
      new Meeting(
          Start.NOTHING, List.of(Ours.publish("p1", "a", "b"), Ours.publish("p2", "b", "a")));
  private static final Meeting ACK_AND_CLAIM =
      new Meeting(Start.LAPSED_MORE, List.of(Ours.ack(Start.A1), Ours.claim("w", 1)));

  @Test
  void aPublishThatDoesNotHoldItsGroupIsStranded() throws SQLException {
    assertThat(broken(PUBLISH_AND_ACK, ADVISORY_LOCK, "WHERE true", "    FOR KEY SHARE\n", ""))
        .singleElement()
        .asString()
        .startsWith("STRANDED");
  }

  @Test
  void anAckThatDeletesWithoutHoldingTheRowAloneStrands() throws SQLException {
    assertThat(
            broken(
                PUBLISH_AND_ACK,
                ADVISORY_LOCK,
                "WHERE true",
                "WHERE g.group_id = ANY (p_groups)\n    FOR UPDATE SKIP LOCKED",
                "WHERE g.group_id = ANY (p_groups)"))
        .singleElement()
        .asString()
        .startsWith("STRANDED");
  }

  @Test
  void aCleanUpThatDoesNotLockTheRowStrands() throws SQLException {
    assertThat(
            broken(
                PUBLISH_AND_CLEAN_UP,
                ADVISORY_LOCK,
                "WHERE true",
                "m.group_id = g.group_id)\n          FOR UPDATE SKIP LOCKED",
                "m.group_id = g.group_id)"))
        .singleElement()
        .asString()
        .startsWith("STRANDED");
  }

  @Test
  void aCleanUpWithoutASecondLookStrands() throws SQLException {
    assertThat(
            broken(
                PUBLISH_AND_CLEAN_UP,
                "WHERE g.group_id = ANY (v_empty)\n          AND NOT EXISTS (SELECT 1 FROM {messages} m WHERE m.group_id = g.group_id)",
                "WHERE g.group_id = ANY (v_empty)"))
        .singleElement()
        .asString()
        .startsWith("STRANDED");
  }

  @Test
  void theAdvisoryLockAloneKeepsAGroupThatAPublisherIsIn() throws SQLException {
    assertThat(
            broken(
                PUBLISH_AND_ACK,
                "WHERE g.group_id = ANY (p_groups)\n    FOR UPDATE SKIP LOCKED",
                "WHERE g.group_id = ANY (p_groups)"))
        .isEmpty();
  }

  @Test
  void publishesThatInsertGroupsInTheirOwnOrderDeadlock() throws SQLException {
    assertThat(
            broken(
                CROSSED_BATCHES,
                "SELECT DISTINCT ON (p.group_id) p.group_id, p.priority",
                "SELECT p.group_id, p.priority",
                "ORDER BY p.group_id, p.place\n  LOOP\n    LOOP",
                "ORDER BY p.place\n  LOOP\n    -- step\n    LOOP"))
        .singleElement()
        .asString()
        .startsWith("FAILED");
  }

  @Test
  void anAckThatDoesNotLockIsNotFenced() throws SQLException {
    assertThat(broken(ACK_AND_CLAIM, "    FOR NO KEY UPDATE OF g\n", "")).isNotEmpty();
  }

  @Test
  void aClaimThatDoesNotLockIsNotFenced() throws SQLException {
    assertThat(broken(ACK_AND_CLAIM, "        FOR NO KEY UPDATE SKIP LOCKED\n", "")).isNotEmpty();
  }

  private static List<String> broken(Meeting meeting, String... changes) throws SQLException {
    List<String> functions = List.of(SteppedSql.withinStatements(changed(changes)));
    try (Stage stage = new Stage(functions, Ours.CLAIM_AND_ACK)) {
      return Exploration.of(meeting.start().state(), meeting.scripts(), HarelRules::check)
          .withPreemptions(2)
          .run(stage)
          .examples();
    }
  }

  private static String changed(String... changes) {
    String text = Ours.functions().get(0);
    for (int i = 0; i < changes.length; i += 2) {
      String old = changes[i].replace("{messages}", "transport_messages");
      assertThat(text).contains(old);
      text = text.replace(old, changes[i + 1]);
    }
    return text;
  }
}
