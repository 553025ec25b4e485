package dev.sluice.queue.harel.interleave;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Where the Python package's own statements lose to each other, counted. */
class SeedInterleavingTest {
  private static final State LEASED = State.empty().leased("a", "t1", 1);
  private static final State LEASED_WITH_MORE = State.empty().leased("a", "t1", 1, 2);
  private static final State EMPTY_GROUP = State.empty().free("a");
  private static final Script ACK = Seed.ack("t1", new Message("a", 1, "a1"));

  private static Stage upTo08;
  private static Stage from09;

  @BeforeAll
  static void open() throws SQLException {
    upTo08 = new Stage(Seed.FUNCTIONS_06, Seed.CLAIM_AND_ACK);
    from09 = new Stage(Seed.FUNCTIONS_09, Seed.CLAIM_AND_ACK);
  }

  @AfterAll
  static void close() throws SQLException {
    upTo08.close();
    from09.close();
  }

  @Test
  void aPublishBesideTheAckOfTheLastMessageIsStranded() throws SQLException {
    assertThat(explore(upTo08, LEASED, Seed.publish06("a", "new"), ACK))
        .hasToString("seed publish x seed ack: 51 schedules, STRANDED in 30");
  }

  @Test
  void aPublishInAutocommitBesideTheAckOfTheLastMessageIsStranded() throws SQLException {
    assertThat(explore(upTo08, LEASED, Seed.publishEach06("a", "new"), ACK))
        .hasToString("seed publish, autocommit x seed ack: 21 schedules, STRANDED in 1");
  }

  @Test
  void aPublishBesideTheCleanUpOfAnEmptyGroupIsStranded() throws SQLException {
    assertThat(explore(upTo08, EMPTY_GROUP, Seed.publish06("a", "new"), Seed.claim("t2")))
        .hasToString("seed publish x seed claim: 26 schedules, STRANDED in 4");
  }

  @Test
  void aPublishBesideAnAckThatLeavesMoreIsNotStranded() throws SQLException {
    assertThat(explore(upTo08, LEASED_WITH_MORE, Seed.publish06("a", "new"), ACK))
        .hasToString("seed publish x seed ack: 51 schedules");
  }

  @Test
  void publishAndAckOf09StrandNothing() throws SQLException {
    assertThat(explore(from09, LEASED, Seed.publish09("a", "new"), ACK))
        .hasToString("seed publish 0.9 x seed ack: 22 schedules");
  }

  @Test
  void publishOf09AndTheCleanUpOfAnEmptyGroupStrandNothing() throws SQLException {
    assertThat(explore(from09, EMPTY_GROUP, Seed.publish09("a", "new"), Seed.claim("t2")))
        .hasToString("seed publish 0.9 x seed claim: 23 schedules");
  }

  @Test
  void publishOf09BesideTheAckOf06IsStranded() throws SQLException {
    assertThat(explore(upTo08, LEASED, Seed.publish09("a", "new"), ACK))
        .hasToString("seed publish 0.9 x seed ack: 41 schedules, STRANDED in 20");
  }

  @Test
  void publishOf06BesideTheAckOf09IsStranded() throws SQLException {
    assertThat(explore(from09, LEASED, Seed.publish06("a", "new"), ACK))
        .hasToString("seed publish x seed ack: 51 schedules, STRANDED in 30");
  }

  private static Report explore(Stage stage, State initial, Script... scripts) throws SQLException {
    return Exploration.of(initial, List.of(scripts), HarelRules::check).run(stage);
  }
}
