package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.CliRun;
import dev.sluice.migrate.Sides.Direction;
import dev.sluice.migrate.Sides.Place;
import dev.sluice.queue.harel.HarelQueue;
import dev.sluice.testing.TestDatabase;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A failure is one line that says what to do, an exit code, and nothing half done. */
class FailuresTest {

  private static void assertFails(CliRun run, int exitCode, String... says) {
    assertThat(run.exitCode()).as(run.err()).isEqualTo(exitCode);
    assertThat(run.errorLines()).as("one line").hasSize(1);
    assertThat(run.err()).contains(says).doesNotContain("Exception", "\tat ");
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void aSourceWithoutTablesIsNamed(Direction direction) {
    try (Sides sides = Sides.empty(Place.TWO_DATABASES)) {
      if (direction == Direction.TO_HAREL) {
        sides.harelQueue().initSchema();
      } else {
        sides.legacyQueue().initSchema();
      }
      assertFails(
          sides.migrate(direction),
          3,
          direction == Direction.TO_HAREL ? "queue_messages" : "transport_messages");
    }
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void aTargetWithoutTablesIsNamedAndTheSourceUntouched(Direction direction) throws Exception {
    try (Sides sides = Sides.empty(Place.TWO_DATABASES)) {
      if (direction == Direction.TO_HAREL) {
        sides.legacyQueue().initSchema();
        sides.row("g", "m1", 1);
      } else {
        sides.harelQueue().initSchema();
        sides.event("g", Snapshot.payload("m1", "g"));
      }
      Snapshot before = sides.snapshot(direction);

      assertFails(
          sides.migrate(direction),
          3,
          direction == Direction.TO_HAREL ? "transport_messages" : "queue_messages",
          "schema init");

      sides.snapshot(direction).assertEquals(before);
    }
  }

  @Test
  void tablesOfAnUnknownPrefixAreMissing() throws Exception {
    try (Sides sides = Sides.in(Place.TWO_DATABASES)) {
      sides.row("g", "m1", 1);

      assertFails(
          Sides.migrate(sides.legacyUri(), sides.harelUri() + "?prefix=nobody"),
          3,
          "nobody_transport_messages");
    }
  }

  @Test
  void aKnownPrefixIsMovedTo() throws Exception {
    try (Sides sides = Sides.in(Place.TWO_DATABASES)) {
      HarelQueue.builder(sides.harel().dataSource()).prefix("shop").build().initSchema();
      sides.row("g", "m1", 1);

      CliRun run = Sides.migrate(sides.legacyUri(), sides.harelUri() + "?prefix=shop");

      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(Sides.query(sides.harel(), "SELECT event FROM shop_transport_messages"))
          .containsExactly(Snapshot.payload("m1", "g"));
    }
  }

  @Test
  void bothUrisTheSameIsWrongUsage() {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      assertFails(Sides.migrate(sides.legacyUri(), sides.legacyUri()), 2, "--from", "--to");
      assertFails(Sides.migrate(sides.harelUri(), sides.harelUri()), 2, "--from", "--to");
    }
  }

  @Test
  void twoUrisOfOneBackendAreWrongUsage() {
    try (Sides sides = Sides.in(Place.TWO_DATABASES)) {
      assertFails(Sides.migrate(sides.legacyUri(), sides.harel().uri()), 2, "--from", "--to");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--finish --abort",
        "--finish --dry-run",
        "--abort --dry-run",
        "--finish --verify",
        "--batch 0",
        "--batch -1",
        "--wait -1",
        "--wait soon"
      })
  void optionsThatMakeNoSenseAreWrongUsage(String options) throws Exception {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      sides.row("g", "m1", 1);

      assertFails(sides.migrate(Direction.TO_HAREL, options.split(" ", -1)), 2, "--");

      assertThat(sides.legacySnapshot().messages()).isEqualTo(1);
    }
  }

  @Test
  void theQueueMustBeNamed() {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      assertFails(
          CliRun.sluice("migrate", "--from", sides.legacyUri(), "--to", sides.harelUri()),
          2,
          "--queue");
      assertFails(
          CliRun.sluice(
              "migrate", "--from", sides.legacyUri(), "--to", sides.harelUri(), "--queue", ""),
          2,
          "queue");
    }
  }

  @Test
  void aDatabaseThatIsDownIsNamedWithoutItsPassword() {
    try (Sides sides = Sides.in(Place.ONE_DATABASE)) {
      assertFails(
          Sides.migrate(sides.legacyUri(), "harel://app:secret@127.0.0.1:9/shop"),
          1,
          "no connection to harel://app@127.0.0.1:9/shop");
      assertFails(
          Sides.migrate("postgres://app:secret@127.0.0.1:9/shop", sides.harelUri()),
          1,
          "no connection to postgres://app@127.0.0.1:9/shop");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL",
    "ONE_DATABASE, TO_LEGACY",
    "TWO_DATABASES, TO_HAREL",
    "TWO_DATABASES, TO_LEGACY"
  })
  void aTargetThatFillsUpStopsItAndTheNextRunGoesOn(Place place, Direction direction)
      throws Exception {
    try (Sides sides = Sides.in(place)) {
      for (int n = 1; n <= 9; n++) {
        if (direction == Direction.TO_HAREL) {
          sides.row("g" + n % 5, "m" + n, n);
        } else {
          sides.event("g" + n % 5, Snapshot.payload("m" + n, "g" + n % 5));
        }
      }
      Snapshot before = sides.snapshot(direction);
      boolean toHarel = direction == Direction.TO_HAREL;
      String table = toHarel ? "transport_messages" : "queue_messages";
      Sides.execute(sides.target(direction), fillsUpAt(table, toHarel ? "event" : "payload"));

      CliRun run = sides.migrate(direction, "--batch", "2");

      assertFails(run, 1, "53100", "nothing is lost", "goes on");
      Sides.execute(sides.target(direction), "DROP TRIGGER fills_up ON " + table);
      sides.migrateAll(direction);
      sides.snapshot(direction.back()).assertEquals(before);
      sides.assertNothingLeftBehind();
    }
  }

  private static String fillsUpAt(String table, String payload) {
    return """
        CREATE FUNCTION fills_up() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NEW.%2$s LIKE '%%m8%%' THEN
            RAISE disk_full USING MESSAGE = 'could not extend file: No space left on device';
          END IF;
          RETURN NEW;
        END $$;
        CREATE TRIGGER fills_up BEFORE INSERT ON %1$s FOR EACH ROW EXECUTE FUNCTION fills_up()
        """
        .formatted(table, payload);
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void aUserWithoutPrivilegeIsToldWhatIsMissing(Place place) throws Exception {
    String reader =
        "reader_" + ProcessHandle.current().pid() + "_" + place.name().toLowerCase(Locale.ROOT);
    try (Sides sides = Sides.in(place)) {
      sides.row("g", "m1", 1);
      Sides.execute(sides.legacy(), "CREATE ROLE " + reader + " LOGIN PASSWORD 'reader'");
      try {
        for (TestDatabase database : List.of(sides.legacy(), sides.harel())) {
          Sides.execute(database, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO " + reader);
        }

        CliRun run = Sides.migrate(as(reader, sides.legacyUri()), as(reader, sides.harelUri()));

        assertFails(run, 1, "permission denied", "grant");
        assertThat(sides.legacySnapshot().messages()).isEqualTo(1);
        assertThat(sides.harelSnapshot().messages()).isZero();
      } finally {
        for (TestDatabase database : List.of(sides.legacy(), sides.harel())) {
          Sides.execute(database, "DROP OWNED BY " + reader);
        }
        Sides.execute(sides.legacy(), "DROP ROLE " + reader);
      }
    }
  }

  private static String as(String user, String uri) {
    return uri.replaceFirst("://[^@]*@", "://" + user + ":reader@");
  }

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL",
    "ONE_DATABASE, TO_LEGACY",
    "TWO_DATABASES, TO_HAREL",
    "TWO_DATABASES, TO_LEGACY"
  })
  void aGroupLargerThanABatchIsMovedInOrder(Place place, Direction direction) throws Exception {
    try (Sides sides = Sides.in(place)) {
      for (int n = 50; n > 0; n--) {
        String id = "m%02d".formatted(n);
        if (direction == Direction.TO_HAREL) {
          sides.row("large", id, 1_700_000_000L - n / 2);
        } else {
          sides.event("large", Snapshot.payload(id, "large"));
        }
      }
      Snapshot before = sides.snapshot(direction);

      sides.migrateAll(direction, "--batch", "7", "--wait", "300");

      sides.snapshot(direction.back()).assertEquals(before);
      sides.assertNothingLeftBehind();
    }
  }
}
