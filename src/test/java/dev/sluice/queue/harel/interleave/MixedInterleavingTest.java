package dev.sluice.queue.harel.interleave;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Our functions beside the statements of Python publishers and workers, on the same tables. */
class MixedInterleavingTest {
  private static Stage unguarded;
  private static Stage guarded;
  private static Stage guardedWithin;

  @BeforeAll
  static void open() throws SQLException {
    List<String> both =
        Stream.concat(Ours.functions().stream(), Seed.FUNCTIONS_06.stream()).toList();
    unguarded = new Stage(both, Ours.CLAIM_AND_ACK);
    List<String> all = Stream.concat(both.stream(), Stream.of(Ours.guard())).toList();
    guarded = new Stage(all, Ours.CLAIM_AND_ACK);
    guardedWithin =
        new Stage(all.stream().map(SteppedSql::withinStatements).toList(), Ours.CLAIM_AND_ACK);
  }

  @AfterAll
  static void close() throws SQLException {
    unguarded.close();
    guarded.close();
    guardedWithin.close();
  }

  static List<Meeting> meetings() {
    List<Script> publishers =
        List.of(
            Ours.publish("new", "a"),
            Seed.publish06("a", "new"),
            Seed.publishEach06("a", "new"),
            Seed.publish09("a", "new"));
    List<Meeting> meetings = new ArrayList<>();
    for (Script publisher : publishers) {
      meetings.add(new Meeting(Start.LAST, List.of(publisher, Ours.ack(Start.A1))));
      meetings.add(new Meeting(Start.LAST, List.of(publisher, Seed.ack("t1", Start.A1))));
      meetings.add(new Meeting(Start.EMPTY_ROW, List.of(publisher, Ours.claim("w", 1))));
      meetings.add(new Meeting(Start.EMPTY_ROW, List.of(publisher, Seed.claim("w"))));
      meetings.add(new Meeting(Start.NOTHING, List.of(publisher, Ours.publish("p", "a", "b"))));
      meetings.add(new Meeting(Start.NOTHING, List.of(publisher, Seed.publish06("a", "old"))));
    }
    return meetings;
  }

  @ParameterizedTest
  @MethodSource("meetings")
  void withTheGuardNothingIsStranded(Meeting meeting) throws SQLException {
    Report report = explore(guarded, meeting.start(), meeting.scripts());
    assertThat(report.examples()).as(report.toString()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("meetings")
  void withTheGuardNothingIsStrandedWithinStatements(Meeting meeting) throws SQLException {
    Report report =
        Exploration.of(meeting.start().state(), meeting.scripts(), HarelRules::check)
            .withPreemptions(2)
            .run(guardedWithin);
    assertThat(report.examples()).as(report.toString()).isEmpty();
  }

  @Test
  void withoutTheGuardTheSeedsAckStrandsWhatWePublish() throws SQLException {
    assertThat(
            explore(
                    unguarded,
                    Start.LAST,
                    List.of(Ours.publish("new", "a"), Seed.ack("t1", Start.A1)))
                .examples())
        .singleElement()
        .asString()
        .startsWith("STRANDED");
  }

  @Test
  void withoutTheGuardOurAckStrandsWhatTheSeedPublishes() throws SQLException {
    assertThat(
            explore(unguarded, Start.LAST, List.of(Seed.publish06("a", "new"), Ours.ack(Start.A1)))
                .examples())
        .singleElement()
        .asString()
        .startsWith("STRANDED");
  }

  private static Report explore(Stage stage, Start start, List<Script> scripts)
      throws SQLException {
    return Exploration.of(start.state(), scripts, HarelRules::check).run(stage);
  }
}
