package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.CliRun;
import dev.sluice.migrate.Sides.Direction;
import dev.sluice.migrate.Sides.Place;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The record of a migration under way is compared with what the target holds. */
class VerifyTest {

  private static Sides moved(Place place, Direction direction) throws Exception {
    Sides sides = Sides.in(place);
    if (direction == Direction.TO_HAREL) {
      for (int n = 1; n <= 6; n++) {
        sides.row("g" + n % 2, "m" + n, 1_700_000_000L + n);
      }
      sides.row("busy", "b1", 1_700_000_000);
      sides.claim("b1");
    } else {
      for (int n = 1; n <= 6; n++) {
        sides.event("g" + n % 2, Snapshot.payload("m" + n, "g" + n % 2));
      }
      sides.event("busy", Snapshot.payload("b1", "busy"));
      sides.lease("busy");
    }
    CliRun run = sides.migrate(direction);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
    return sides;
  }

  private static void tamper(Sides sides, Direction direction, String harel, String legacy) {
    boolean toHarel = direction == Direction.TO_HAREL;
    Sides.execute(sides.target(direction), toHarel ? harel : legacy);
  }

  private static void assertFound(Sides sides, Direction direction, String group) {
    CliRun run = sides.migrate(direction, "--verify");
    assertThat(run.exitCode()).as(run.err() + run.out()).isEqualTo(1);
    assertThat(run.err() + run.out()).contains(group);
    assertThat(run.err() + run.out()).doesNotContain(Snapshot.MARK);
  }

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL",
    "ONE_DATABASE, TO_LEGACY",
    "TWO_DATABASES, TO_HAREL",
    "TWO_DATABASES, TO_LEGACY"
  })
  void findsNothingWhereNothingWasTouched(Place place, Direction direction) throws Exception {
    try (Sides sides = moved(place, direction)) {
      CliRun run = sides.migrate(direction, "--verify");

      assertThat(run.exitCode()).as(run.err() + run.out()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"ONE_DATABASE, TO_HAREL", "TWO_DATABASES, TO_LEGACY"})
  void countsTheHeadThatWasConsumedAsDelivered(Place place, Direction direction) throws Exception {
    try (Sides sides = moved(place, direction)) {
      tamper(
          sides,
          direction,
          "DELETE FROM transport_messages WHERE event LIKE '%m1%'",
          "DELETE FROM queue_messages WHERE payload LIKE '%m1%'");

      CliRun run = sides.migrate(direction, "--verify");

      assertThat(run.exitCode()).as(run.err() + run.out()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL",
    "ONE_DATABASE, TO_LEGACY",
    "TWO_DATABASES, TO_HAREL",
    "TWO_DATABASES, TO_LEGACY"
  })
  void findsAPayloadThatWasChanged(Place place, Direction direction) throws Exception {
    try (Sides sides = moved(place, direction)) {
      tamper(
          sides,
          direction,
          "UPDATE transport_messages SET event = event || ' ' WHERE event LIKE '%m3%'",
          "UPDATE queue_messages SET payload = payload || ' ' WHERE payload LIKE '%m3%'");

      assertFound(sides, direction, "g1");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL",
    "ONE_DATABASE, TO_LEGACY",
    "TWO_DATABASES, TO_HAREL",
    "TWO_DATABASES, TO_LEGACY"
  })
  void findsARowThatWasDroppedFromTheMiddle(Place place, Direction direction) throws Exception {
    try (Sides sides = moved(place, direction)) {
      tamper(
          sides,
          direction,
          "DELETE FROM transport_messages WHERE event LIKE '%m3%'",
          "DELETE FROM queue_messages WHERE payload LIKE '%m3%'");

      assertFound(sides, direction, "g1");
    }
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void findsARowBehindItsSuccessor(Place place) throws Exception {
    try (Sides sides = moved(place, Direction.TO_LEGACY)) {
      Sides.execute(
          sides.legacy(),
          "UPDATE queue_messages SET created_at = created_at + 100 WHERE payload LIKE '%m2%'");

      assertFound(sides, Direction.TO_LEGACY, "g0");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL",
    "ONE_DATABASE, TO_LEGACY",
    "TWO_DATABASES, TO_HAREL",
    "TWO_DATABASES, TO_LEGACY"
  })
  void findsTwoPayloadsThatWereSwapped(Place place, Direction direction) throws Exception {
    try (Sides sides = moved(place, direction)) {
      tamper(
          sides, direction, swap("transport_messages", "event"), swap("queue_messages", "payload"));

      assertFound(sides, direction, "g0");
    }
  }

  private static String swap(String table, String payload) {
    return """
        UPDATE %1$s m SET %2$s = o.%2$s FROM %1$s o
        WHERE (m.%2$s LIKE '%%m2%%' AND o.%2$s LIKE '%%m4%%')
          OR (m.%2$s LIKE '%%m4%%' AND o.%2$s LIKE '%%m2%%')
        """
        .formatted(table, payload);
  }

  @ParameterizedTest
  @CsvSource({"ONE_DATABASE, TO_HAREL", "TWO_DATABASES, TO_LEGACY"})
  void saysSoWhereThereIsNoRecord(Place place, Direction direction) throws Exception {
    try (Sides sides = Sides.in(place)) {
      CliRun run = sides.migrate(direction, "--verify");

      assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
      assertThat(run.errorLines()).hasSize(1);
    }
  }
}
