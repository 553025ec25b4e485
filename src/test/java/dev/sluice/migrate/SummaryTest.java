package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.CliRun;
import dev.sluice.migrate.Sides.Direction;
import dev.sluice.migrate.Sides.Place;
import dev.sluice.model.LegacyRow;
import dev.sluice.testing.Patience;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What is moved, what stays, what it says about both, and what it ends with. */
class SummaryTest {

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL",
    "ONE_DATABASE, TO_LEGACY",
    "TWO_DATABASES, TO_HAREL",
    "TWO_DATABASES, TO_LEGACY"
  })
  void aStoppedQueueIsMovedAtOnceAndLeavesNeitherHoldNorRecord(Place place, Direction direction)
      throws Exception {
    try (Sides sides = Sides.in(place)) {
      two(sides, direction);

      CliRun run = sides.migrate(direction, "--json");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.keys())
          .contains(
              "groups",
              "messages",
              "inFlight",
              "skippedGroups",
              "reordered",
              "delaysLost",
              "idMismatches",
              "failedMoved",
              "seconds",
              "perSecond",
              "remaining",
              "phase");
      assertThat(run.json().at("/groups").asInt()).isEqualTo(1);
      assertThat(run.json().at("/messages").asInt()).isEqualTo(2);
      assertThat(run.json().at("/remaining").asInt()).isZero();
      sides.assertNothingLeftBehind();
      assertThat(sides.harelHolds()).isEmpty();
    }
  }

  private static void two(Sides sides, Direction direction) throws Exception {
    if (direction == Direction.TO_HAREL) {
      sides.row("g", "m1", 1_700_000_000);
      sides.row("g", "m2", 1_700_000_001);
    } else {
      sides.event("g", Snapshot.payload("m1", "g"));
      sides.event("g", Snapshot.payload("m2", "g"));
    }
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void anEmptyQueueIsAllMoved(Direction direction) {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      CliRun run = sides.migrate(direction, "--json");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.json().at("/messages").asInt()).isZero();
      sides.assertNothingLeftBehind();
    }
  }

  @Test
  void forPeopleTheSummaryIsText() throws Exception {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      two(sides, Direction.TO_HAREL);

      CliRun run = sides.migrate(Direction.TO_HAREL);

      assertThat(run.out()).contains("messages").contains("2");
      assertThat(run.err()).doesNotContain("\r").doesNotContain("\u001b");
    }
  }

  @Test
  void otherQueuesOfTheTableStay() throws Exception {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      two(sides, Direction.TO_HAREL);
      sides.load(
          List.of(
              new LegacyRow(
                  "other", "m1", "g", null, 1, Snapshot.payload("m1", "g"), 1_700_000_000, 0)));

      sides.migrateAll(Direction.TO_HAREL);

      assertThat(sides.harelSnapshot().messages()).isEqualTo(2);
      assertThat(Sides.query(sides.legacy(), "SELECT queue_name FROM queue_messages"))
          .containsExactly("other");
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void aGroupWithARowInFlightStaysAsAWhole(Place place) throws Exception {
    try (Sides sides = Sides.in(place)) {
      two(sides, Direction.TO_HAREL);
      sides.row("busy", "b1", 1_700_000_000);
      sides.row("busy", "b2", 1_700_000_000);
      sides.row("busy", "b3", 1_700_000_000);
      sides.claim("b2");

      CliRun run = sides.migrate(Direction.TO_HAREL, "--json");

      assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
      assertThat(sides.legacySnapshot().of("busy")).hasSize(3);
      assertThat(sides.harelSnapshot().groups()).containsOnlyKeys("g");
      assertThat(run.json().at("/inFlight").asInt()).as("in flight").isEqualTo(1);
      assertThat(run.json().at("/remaining").asInt()).as("remaining").isEqualTo(3);
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void aLeasedGroupStaysAsAWhole(Place place) throws Exception {
    try (Sides sides = Sides.in(place)) {
      two(sides, Direction.TO_LEGACY);
      sides.event("busy", Snapshot.payload("b1", "busy"));
      sides.event("busy", Snapshot.payload("b2", "busy"));
      sides.lease("busy");

      CliRun run = sides.migrate(Direction.TO_LEGACY, "--json");

      assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
      assertThat(sides.harelSnapshot().groups()).containsOnlyKeys("busy");
      assertThat(sides.legacySnapshot().groups()).containsOnlyKeys("g");
      assertThat(run.json().at("/remaining").asInt()).as("remaining").isEqualTo(2);
      assertThat(
              Sides.query(
                  sides.harel(), "SELECT locked_by FROM transport_groups WHERE group_id = 'busy'"))
          .containsExactly("elsewhere:1");
    }
  }

  @ParameterizedTest
  @CsvSource({"ONE_DATABASE, TO_HAREL", "TWO_DATABASES, TO_HAREL", "TWO_DATABASES, TO_LEGACY"})
  void whatIsInFlightIsWaitedFor(Place place, Direction direction) throws Exception {
    try (Sides sides = Sides.in(place)) {
      two(sides, direction);
      if (direction == Direction.TO_HAREL) {
        sides.claim("m1");
      } else {
        sides.lease("g");
      }
      CompletableFuture<CliRun> running =
          CompletableFuture.supplyAsync(() -> sides.migrate(direction, "--wait", "300"));
      Patience.await().until(() -> !sides.records().isEmpty() || running.isDone());
      if (direction == Direction.TO_HAREL) {
        sides.lapse("m1");
      } else {
        sides.free("g");
      }

      CliRun run = running.get(300, TimeUnit.SECONDS);

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(sides.snapshot(direction.back()).messages()).isEqualTo(2);
      sides.assertNothingLeftBehind();
    }
  }

  @Test
  void whatIsStillInFlightAfterTheWaitIsLeft() throws Exception {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      two(sides, Direction.TO_HAREL);
      sides.claim("m1");
      long began = System.nanoTime();

      CliRun run = sides.migrate(Direction.TO_HAREL, "--wait", "2");

      assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .isBetween(Duration.ofSeconds(2), Duration.ofSeconds(60));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL",
    "ONE_DATABASE, TO_LEGACY",
    "TWO_DATABASES, TO_HAREL",
    "TWO_DATABASES, TO_LEGACY"
  })
  void aGroupThatTheTargetHoldsFromElsewhereIsRefused(Place place, Direction direction)
      throws Exception {
    try (Sides sides = Sides.in(place)) {
      two(sides, Direction.TO_HAREL);
      two(sides, Direction.TO_LEGACY);
      if (direction == Direction.TO_HAREL) {
        sides.row("free", "f1", 1_700_000_000);
      } else {
        sides.event("free", Snapshot.payload("f1", "free"));
      }

      CliRun run = sides.migrate(direction, "--json");

      assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
      assertThat(sides.snapshot(direction).groups()).containsOnlyKeys("g");
      assertThat(sides.snapshot(direction.back()).groups()).containsOnlyKeys("g", "free");
      assertThat(sides.snapshot(direction.back()).of("g")).hasSize(2);
      assertThat(run.json().at("/skippedGroups").toString()).doesNotMatch("0|\\[\\]");
      assertThat(run.err()).contains("g");
    }
  }

  @Test
  void quarantinedRowsStay() throws Exception {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      quarantineBoth(sides);

      sides.migrateAll(Direction.TO_HAREL);
      sides.migrateAll(Direction.TO_LEGACY);

      assertThat(Sides.query(sides.legacy(), "SELECT id FROM queue_messages_failed"))
          .containsExactly("f1");
      assertThat(Sides.query(sides.harel(), "SELECT group_id FROM transport_messages_failed"))
          .containsExactly("h");
    }
  }

  private static void quarantineBoth(Sides sides) {
    Sides.execute(
        sides.legacy(),
        "INSERT INTO queue_messages_failed VALUES ('f1', 'orders', 'g', '%s', 'bad', 3, 1700000000, 1700000100),"
                .formatted(Snapshot.payload("f1", "g"))
            + " ('f1', 'other', 'g', '{}', 'bad', 3, 1700000000, 1700000100);"
            + "DELETE FROM queue_messages_failed WHERE queue_name = 'other'");
    Sides.execute(
        sides.harel(),
        "INSERT INTO transport_messages_failed VALUES (1000000, 'h', '%s', 'worse', 2, 1700000200)"
            .formatted(Snapshot.payload("f2", "h")));
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void quarantinedRowsMoveWhereAskedFor(Place place) throws Exception {
    try (Sides sides = Sides.in(place)) {
      Sides.execute(
          sides.legacy(),
          "INSERT INTO queue_messages_failed VALUES ('f1', 'orders', 'g', '%s', 'bad', 3, 1700000000, 1700000100)"
              .formatted(Snapshot.payload("f1", "g")));

      CliRun run = sides.migrate(Direction.TO_HAREL, "--include-failed", "--json");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.json().at("/failedMoved").asInt()).isEqualTo(1);
      assertThat(
              Sides.query(
                  sides.harel(),
                  "SELECT group_id || ' ' || error_message || ' ' || failed_at || ' ' || event"
                      + " FROM transport_messages_failed"))
          .containsExactly("g bad 1700000100 " + Snapshot.payload("f1", "g"));
      assertThat(Sides.query(sides.legacy(), "SELECT id FROM queue_messages_failed")).isEmpty();
      assertThat(sides.harelSnapshot().messages()).isZero();

      CliRun back = sides.migrate(Direction.TO_LEGACY, "--include-failed", "--json");

      assertThat(back.exitCode()).as(back.err()).isZero();
      assertThat(
              Sides.query(
                  sides.legacy(),
                  "SELECT id || ' ' || message_group_id || ' ' || error_message || ' ' || failed_at"
                      + " || ' ' || payload FROM queue_messages_failed"))
          .containsExactly("f1 g bad 1700000100 " + Snapshot.payload("f1", "g"));
      assertThat(Sides.query(sides.harel(), "SELECT seq FROM transport_messages_failed")).isEmpty();
    }
  }

  @Test
  void aDelayBehindTheHeadIsCountedAndListed() throws Exception {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      two(sides, Direction.TO_HAREL);
      delay(sides, "m2");

      CliRun run = sides.migrate(Direction.TO_HAREL, "--json");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.json().at("/delaysLost").asInt()).isEqualTo(1);
      assertThat(run.err()).contains("m2");
      assertThat(sides.harelSnapshot().messages()).isEqualTo(2);
    }
  }

  private static void delay(Sides sides, String id) {
    Sides.execute(
        sides.legacy(),
        "UPDATE queue_messages SET visible_at = 4000000000 WHERE id = '" + id + "'");
  }

  @Test
  void strictRefusesTheGroupWhoseDelayWouldBeLost() throws Exception {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      two(sides, Direction.TO_HAREL);
      delay(sides, "m2");
      sides.row("free", "f1", 1_700_000_000);

      CliRun run = sides.migrate(Direction.TO_HAREL, "--strict", "--json");

      assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
      assertThat(run.json().at("/delaysLost").asInt()).isZero();
      assertThat(sides.harelSnapshot().groups()).containsOnlyKeys("free");
      assertThat(sides.legacySnapshot().of("g")).hasSize(2);
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void aDelayedHeadKeepsItsDelayThereAndBack(Place place) throws Exception {
    try (Sides sides = Sides.in(place)) {
      two(sides, Direction.TO_HAREL);
      delay(sides, "m1");

      sides.migrateAll(Direction.TO_HAREL);
      assertThat(Sides.query(sides.harel(), "SELECT lock_expiry::bigint FROM transport_groups"))
          .containsExactly("4000000000");
      assertThat(sides.harelQueue().poll(10).deliveries()).isEmpty();

      sides.migrateAll(Direction.TO_LEGACY);
      assertThat(
              Sides.query(sides.legacy(), "SELECT visible_at FROM queue_messages WHERE id = 'm1'"))
          .containsExactly("4000000000");
      assertThat(sides.legacyQueue().poll(10).deliveries()).isEmpty();
    }
  }

  @Test
  void anIdThatIsNotThatOfThePayloadIsReported() throws Exception {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      sides.load(
          List.of(
              new LegacyRow(
                  Sides.QUEUE, "column", "g", null, 1, Snapshot.payload("json", "g"), 1, 0)));

      CliRun run = sides.migrate(Direction.TO_HAREL, "--json");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.json().at("/idMismatches").asInt()).isEqualTo(1);
      assertThat(run.err()).contains("id").doesNotContain(Snapshot.MARK);
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void backInTheLegacyTableIdsAreThoseOfThePayloadsOrMadeOfTheSeq(Place place) throws Exception {
    try (Sides sides = Sides.in(place)) {
      sides.event("g", Snapshot.payload("m1", "g"));
      sides.event("g", Snapshot.payload("m1", "again"));
      sides.event("g", "{\"kind\":\"" + Snapshot.MARK + "\"}");
      sides.event("m4", Snapshot.payload("m4", "m4"));
      List<String> seqs =
          Sides.query(sides.harel(), "SELECT seq FROM transport_messages ORDER BY seq");

      sides.migrateAll(Direction.TO_LEGACY, "--wait", "300");

      assertThat(
              Sides.query(
                  sides.legacy(),
                  "SELECT id || ' ' || COALESCE(message_group_id, 'NULL') FROM queue_messages"
                      + " ORDER BY message_group_id, created_at, id"))
          .containsExactly(
              "m1 g", "harel-" + seqs.get(1) + " g", "harel-" + seqs.get(2) + " g", "m4 NULL");
    }
  }

  @Test
  void anIdThatAnotherGroupOfTheTargetHasIsNotTakenTwice() throws Exception {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      sides.row("other", "m1", 1_700_000_000);
      sides.event("g", Snapshot.payload("m1", "g"));
      String seq = Sides.query(sides.harel(), "SELECT seq FROM transport_messages").get(0);

      sides.migrateAll(Direction.TO_LEGACY);

      assertThat(
              Sides.query(
                  sides.legacy(), "SELECT id FROM queue_messages WHERE message_group_id = 'g'"))
          .containsExactly("harel-" + seq);
      assertThat(sides.legacySnapshot().messages()).isEqualTo(2);
    }
  }
}
