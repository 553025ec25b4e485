package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.CliRun;
import dev.sluice.migrate.Sides.Direction;
import dev.sluice.migrate.Sides.Place;
import dev.sluice.model.HarelClaim;
import dev.sluice.model.HarelNames;
import dev.sluice.model.HarelVersion;
import dev.sluice.model.SeedHarel;
import dev.sluice.model.SeedQueue;
import dev.sluice.queue.Delivery;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Until cut-over a group that has moved is held on the source, and nobody ever sees a hold. */
class HoldTest {

  /** Moves g and leaves busy, to the harel side. */
  private static Sides halfwayToHarel(Place place, String... options) throws Exception {
    Sides sides = Sides.in(place);
    sides.row("g", "m1", 1_700_000_000);
    sides.row("g", "m2", 1_700_000_001);
    sides.row("busy", "b1", 1_700_000_000);
    sides.claim("b1");
    assertThat(sides.migrate(Direction.TO_HAREL, options).exitCode()).isEqualTo(4);
    return sides;
  }

  private static Sides halfwayToLegacy(Place place, String... options) throws Exception {
    Sides sides = Sides.in(place);
    sides.event("g", Snapshot.payload("m1", "g"));
    sides.event("g", Snapshot.payload("m2", "g"));
    sides.event("busy", Snapshot.payload("b1", "busy"));
    sides.lease("busy");
    assertThat(sides.migrate(Direction.TO_LEGACY, options).exitCode()).isEqualTo(4);
    return sides;
  }

  private static long now() {
    return System.currentTimeMillis() / 1000;
  }

  private static List<String> claimedByGo(Sides sides) {
    try (SeedQueue go =
        new SeedQueue(
            sides.legacy().dataSource(),
            Sides.QUEUE,
            HoldTest::now,
            Duration.ofSeconds(30),
            false)) {
      return go.poll(100).deliveries().stream().map(Delivery::brokerId).toList();
    }
  }

  private static List<String> claimedByPython(Sides sides) {
    SeedHarel python =
        new SeedHarel(
            HarelVersion.SEED,
            sides.harel().dataSource(),
            HarelNames.SEED,
            () -> System.currentTimeMillis() / 1000.0);
    return python.claim("py", 30, 0, 100).stream().map(HarelClaim::event).toList();
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void goClaimsNothingOfAGroupThatHasMoved(Place place) throws Exception {
    try (Sides sides = halfwayToHarel(place)) {
      sides.row("g", "m3", now() - 1);
      sides.row("h", "h1", now() - 1);

      assertThat(claimedByGo(sides)).containsExactly("h1");
      assertThat(sides.legacyQueue().poll(100).deliveries()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void pythonClaimsNothingOfAGroupThatHasMoved(Place place) throws Exception {
    try (Sides sides = halfwayToLegacy(place)) {
      sides.event("g", Snapshot.payload("m3", "g"));
      sides.event("h", Snapshot.payload("h1", "h"));

      assertThat(claimedByPython(sides)).containsExactly(Snapshot.payload("h1", "h"));
      assertThat(sides.harelQueue().poll(100).deliveries()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void withoutHoldsTheSourceGoesOnServing(Place place) throws Exception {
    try (Sides sides = halfwayToHarel(place, "--no-hold")) {
      sides.row("g", "m3", now() - 1);

      assertThat(claimedByGo(sides)).containsExactly("m3");
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void aHoldIsNotCountedAsAMessage(Place place) throws Exception {
    try (Sides sides = halfwayToHarel(place)) {
      CliRun again = sides.migrate(Direction.TO_HAREL, "--json");

      assertThat(again.exitCode()).as(again.err()).isEqualTo(4);
      assertThat(again.json().at("/messages").asInt()).as("moved").isZero();
      assertThat(again.json().at("/remaining").asInt()).as("remaining").isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void aHoldLeavesNoMessageBehindForStats(Place place) throws Exception {
    try (Sides sides = halfwayToHarel(place)) {
      CliRun stats =
          CliRun.sluice("stats", "--uri", sides.legacyUri(), "--queue", Sides.QUEUE, "--json");

      assertThat(stats.json().at("/queues/0/delayed").asInt()).as(stats.out()).isZero();
      assertThat(stats.json().at("/queues/0/inFlight").asInt()).as(stats.out()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void aHoldOutlastsAnyMigration(Place place) throws Exception {
    try (Sides sides = halfwayToHarel(place)) {
      assertThat(sides.legacyHolds()).isNotEmpty();
      assertThat(
              Sides.query(
                  sides.legacy(),
                  "SELECT id FROM queue_messages WHERE payload NOT LIKE '%"
                      + Snapshot.MARK
                      + "%' AND visible_at < extract(epoch FROM now()) + 7 * 86400"))
          .isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void whatProducersWriteToAHeldGroupIsSweptBehindIt(Place place) throws Exception {
    try (Sides sides = halfwayToHarel(place)) {
      sides.row("g", "m4", now() - 1);
      sides.row("g", "m3", now());
      sides.lapse("b1");

      sides.migrateAll(Direction.TO_HAREL, "--finish", "--wait", "300");

      assertThat(sides.harelSnapshot().of("g"))
          .containsExactly(
              Snapshot.payload("m1", "g"),
              Snapshot.payload("m2", "g"),
              Snapshot.payload("m4", "g"),
              Snapshot.payload("m3", "g"));
      assertThat(sides.legacySnapshot().messages()).isZero();
      sides.assertNothingLeftBehind();
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void whatAProducerWroteBeforeItSwitchedIsSweptInFrontOfWhatItWroteSince(Place place)
      throws Exception {
    try (Sides sides = halfwayToHarel(place)) {
      sides.row("g", "m3", now());
      sides.event("g", Snapshot.payload("m4", "g"));
      sides.event("g", Snapshot.payload("m5", "g"));
      Sides.execute(sides.legacy(), "DELETE FROM queue_messages WHERE id = 'b1'");

      sides.migrateAll(Direction.TO_HAREL, "--finish");

      assertThat(sides.harelSnapshot().of("g")).isEqualTo(payloads("m1", "m2", "m3", "m4", "m5"));
      sides.assertNothingLeftBehind();
    }
    try (Sides sides = halfwayToLegacy(place)) {
      sides.event("g", Snapshot.payload("m3", "g"));
      sides.row("g", "m4", now());
      sides.row("g", "m5", now());
      sides.free("busy");

      sides.migrateAll(Direction.TO_LEGACY, "--finish");

      assertThat(sides.legacySnapshot().of("g")).isEqualTo(payloads("m1", "m2", "m3", "m4", "m5"));
      sides.assertNothingLeftBehind();
    }
  }

  // Who handles it has read it: it cannot go back behind what has not arrived yet.
  @Test
  void aHeadThatIsHandledStaysInFrontOfWhatIsSwept() throws Exception {
    try (Sides sides = halfwayToHarel(Place.ONE_DATABASE)) {
      Sides.execute(sides.harel(), "DELETE FROM transport_messages");
      sides.event("g", Snapshot.payload("m4", "g"));
      sides.event("g", Snapshot.payload("m5", "g"));
      sides.lease("g");
      sides.row("g", "m3", now());
      Sides.execute(sides.legacy(), "DELETE FROM queue_messages WHERE id = 'b1'");

      sides.migrateAll(Direction.TO_HAREL, "--finish");

      assertThat(sides.harelSnapshot().of("g")).isEqualTo(payloads("m4", "m3", "m5"));
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void abortSaysWhatProducersWroteToTheTargetAndLeavesItThere(Place place) throws Exception {
    try (Sides sides = halfwayToHarel(place)) {
      sides.event("g", Snapshot.payload("m4", "g"));

      CliRun abort = sides.migrate(Direction.TO_HAREL, "--abort");

      assertThat(abort.exitCode()).as(abort.err()).isZero();
      assertThat(abort.out() + abort.err())
          .contains("1 messages at the target were put there by others, and stay");
      assertThat(sides.legacySnapshot().of("g")).isEqualTo(payloads("m1", "m2"));
      assertThat(sides.harelSnapshot().of("g")).isEqualTo(payloads("m4"));
      sides.assertNothingLeftBehind();
    }
    try (Sides sides = halfwayToLegacy(place)) {
      sides.row("g", "m4", now());

      CliRun abort = sides.migrate(Direction.TO_LEGACY, "--abort");

      assertThat(abort.exitCode()).as(abort.err()).isZero();
      assertThat(sides.harelSnapshot().of("g")).isEqualTo(payloads("m1", "m2"));
      assertThat(sides.legacySnapshot().of("g")).isEqualTo(payloads("m4"));
    }
  }

  private static List<String> payloads(String... ids) {
    return Stream.of(ids).map(id -> Snapshot.payload(id, "g")).toList();
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void abortPutsEverythingBackInFrontOfWhatCameSince(Place place) throws Exception {
    try (Sides sides = halfwayToHarel(place)) {
      sides.row("g", "m4", now() - 1);
      sides.row("g", "m3", now());

      CliRun run = sides.migrate(Direction.TO_HAREL, "--abort");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(sides.legacySnapshot().of("g"))
          .containsExactly(
              Snapshot.payload("m1", "g"),
              Snapshot.payload("m2", "g"),
              Snapshot.payload("m4", "g"),
              Snapshot.payload("m3", "g"));
      assertThat(
              Sides.query(
                  sides.legacy(),
                  "SELECT id FROM queue_messages WHERE message_group_id = 'g' AND created_at < 1700001000 ORDER BY id"))
          .containsExactly("m1", "m2");
      assertThat(sides.harelSnapshot().messages()).isZero();
      assertThat(claimedByGo(sides)).containsExactly("m1");
      sides.assertNothingLeftBehind();
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void abortBackToHarelFreesTheGroups(Place place) throws Exception {
    try (Sides sides = halfwayToLegacy(place)) {
      sides.event("g", Snapshot.payload("m3", "g"));

      CliRun run = sides.migrate(Direction.TO_LEGACY, "--abort");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(sides.harelSnapshot().of("g"))
          .containsExactly(
              Snapshot.payload("m1", "g"),
              Snapshot.payload("m2", "g"),
              Snapshot.payload("m3", "g"));
      assertThat(sides.legacySnapshot().messages()).isZero();
      assertThat(claimedByPython(sides)).containsExactly(Snapshot.payload("m1", "g"));
      sides.assertNothingLeftBehind();
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void whatWasDeliveredSinceDoesNotComeBack(Place place) throws Exception {
    try (Sides sides = halfwayToHarel(place)) {
      List<Delivery> delivered = sides.harelQueue().poll(1).deliveries();
      assertThat(delivered).hasSize(1);
      assertThat(sides.harelQueue().ackBatch(List.of(delivered.get(0).receipt()))).isEmpty();

      CliRun run = sides.migrate(Direction.TO_HAREL, "--abort");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(sides.legacySnapshot().of("g")).containsExactly(Snapshot.payload("m2", "g"));
      sides.assertNothingLeftBehind();
    }
  }
}
