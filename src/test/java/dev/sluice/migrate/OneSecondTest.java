package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.CliRun;
import dev.sluice.migrate.Sides.Direction;
import dev.sluice.migrate.Sides.Place;
import dev.sluice.model.LegacyRow;
import dev.sluice.model.LegacyTable;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The legacy order is (created_at, id) in whole seconds; the harel order is that of publishing. */
class OneSecondTest {
  private static final int MESSAGES = 60;

  @ParameterizedTest
  @EnumSource(Place.class)
  void idsThatSortBackwardsKeepTheOrderOfPublishing(Place place) throws Exception {
    try (Sides sides = Sides.in(place)) {
      for (int n = MESSAGES; n > 0; n--) {
        sides.event("g", Snapshot.payload("m%03d".formatted(n), "g"));
      }
      Snapshot before = sides.harelSnapshot();

      CliRun run = sides.migrate(Direction.TO_LEGACY, "--wait", "300", "--json");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.json().at("/reordered").asInt()).as("reordered").isEqualTo(MESSAGES - 1);
      sides.legacySnapshot().assertEquals(before);
      assertThat(newest(sides)).as("never in the future").isLessThanOrEqualTo(0);

      sides.migrateAll(Direction.TO_HAREL);

      sides.harelSnapshot().assertEquals(before);
    }
  }

  private static long newest(Sides sides) {
    return Long.parseLong(
        Sides.query(
                sides.legacy(),
                "SELECT max(created_at) - floor(extract(epoch FROM clock_timestamp()))::bigint"
                    + " FROM queue_messages")
            .get(0));
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void idsOfOneSecondAreServedAsTheDatabaseSortsThem(Place place) throws Exception {
    try (Sides sides = Sides.in(place)) {
      try (Connection connection = sides.legacy().connect()) {
        LegacyTable.compareAsPeopleDo(connection);
      }
      List<LegacyRow> rows = new ArrayList<>();
      for (String id : List.of("b", "B", "a-1", "a1", "A", "_z", "z", "é", "e", "f", "10", "9")) {
        rows.add(Sides.waiting("g", id, 1_700_000_000));
      }
      sides.load(rows);
      Snapshot before = sides.legacySnapshot();

      sides.migrateAll(Direction.TO_HAREL);
      sides.harelSnapshot().assertEquals(before);

      sides.migrateAll(Direction.TO_LEGACY, "--wait", "300");
      sides.legacySnapshot().assertEquals(before);
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void aSweepGoesBehindWhatWasMovedBefore(Place place) throws Exception {
    try (Sides sides = Sides.in(place)) {
      sides.event("g", Snapshot.payload("m9", "g"));
      sides.event("busy", Snapshot.payload("b1", "busy"));
      sides.lease("busy");
      assertThat(sides.migrate(Direction.TO_LEGACY).exitCode()).isEqualTo(4);
      sides.event("g", Snapshot.payload("m5", "g"));
      sides.event("g", Snapshot.payload("m1", "g"));
      sides.free("busy");

      sides.migrateAll(Direction.TO_LEGACY, "--finish", "--wait", "300");

      assertThat(sides.legacySnapshot().of("g"))
          .containsExactly(
              Snapshot.payload("m9", "g"),
              Snapshot.payload("m5", "g"),
              Snapshot.payload("m1", "g"));
      assertThat(newest(sides)).as("never in the future").isLessThanOrEqualTo(0);
      sides.assertNothingLeftBehind();
    }
  }
}
