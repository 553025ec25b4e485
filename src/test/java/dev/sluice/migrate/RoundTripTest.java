package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.CliRun;
import dev.sluice.migrate.Sides.Direction;
import dev.sluice.migrate.Sides.Place;
import dev.sluice.model.LegacyTable;
import dev.sluice.testing.ScaledTries;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Moved there and back, a queue is what it was. */
class RoundTripTest {
  private static final int SCALE = Math.min(20, ScaledTries.SCALE);
  private static final int MESSAGES = 10_000 * SCALE;
  private static final int GROUPS = 500 * SCALE;

  /** Every 20th group has a row in flight, every 20th a delayed head, and so on. */
  private static final String STATES =
      """
      CREATE TEMP TABLE places AS
        SELECT id, COALESCE(message_group_id, id) AS gk, abs(hashtext(COALESCE(message_group_id, id))) % 20 AS kind,
          row_number() OVER w AS place, count(*) OVER (PARTITION BY COALESCE(message_group_id, id)) AS size
        FROM queue_messages
        WINDOW w AS (PARTITION BY COALESCE(message_group_id, id) ORDER BY created_at, id);
      ANALYZE places;
      UPDATE queue_messages m SET receipt_handle = 'elsewhere:' || m.id,
          visible_at = extract(epoch FROM now())::bigint + 3600
        FROM places p WHERE p.id = m.id AND p.kind = 0 AND p.place = (p.size + 1) / 2;
      UPDATE queue_messages m SET visible_at = extract(epoch FROM now())::bigint + 7200 + p.size
        FROM places p WHERE p.id = m.id AND p.kind = 1 AND p.place = 1;
      UPDATE queue_messages m SET visible_at = extract(epoch FROM now())::bigint + 7200
        FROM places p WHERE p.id = m.id AND p.kind = 2 AND p.place = 2;
      UPDATE queue_messages m SET receipt_handle = 'lapsed:' || m.id, receive_count = 3
        FROM places p WHERE p.id = m.id AND p.kind IN (3, 4, 5) AND p.place % 2 = 1
      """;

  private static final String DELAYED_HEADS =
      """
      SELECT gk || ' until ' || visible_at FROM (
        SELECT DISTINCT ON (1) COALESCE(message_group_id, id) AS gk, visible_at
        FROM queue_messages ORDER BY 1, created_at, id) h
      WHERE visible_at > extract(epoch FROM now()) + 4000
      """;

  private static final String PARKED =
      """
      SELECT group_id || ' until ' || lock_expiry::bigint FROM transport_groups
      WHERE lock_expiry > extract(epoch FROM now()) + 4000
      """;

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, false",
    "ONE_DATABASE, true",
    "TWO_DATABASES, false",
    "TWO_DATABASES, true"
  })
  void thereAndBackEveryMessageKeepsItsBytesItsGroupItsPlaceAndItsDelay(
      Place place, boolean asPeopleDo) throws Exception {
    try (Sides sides = Sides.in(place)) {
      RandomRows rows = load(sides, asPeopleDo);
      Snapshot before = sides.legacySnapshot();
      Set<String> delayed = sorted(sides.legacy(), DELAYED_HEADS);
      List<String> busy =
          Sides.query(
              sides.legacy(),
              "SELECT DISTINCT COALESCE(message_group_id, id) FROM queue_messages"
                  + " WHERE receipt_handle IS NOT NULL AND visible_at > extract(epoch FROM now())");
      int lostDelays =
          count(sides.legacy(), "receipt_handle IS NULL AND visible_at > created_at + 6000")
              - delayed.size();

      CliRun first = sides.migrate(Direction.TO_HAREL, "--json");

      assertThat(first.exitCode()).as(first.err()).isEqualTo(4);
      sides.harelSnapshot().assertEquals(before.without(busy));
      sides.legacySnapshot().assertEquals(before.only(busy));
      assertThat(sorted(sides.harel(), PARKED)).isEqualTo(delayed);
      assertThat(first.json().at("/inFlight").asInt()).as("in flight").isPositive();
      assertThat(first.json().at("/messages").asInt())
          .as("messages")
          .isEqualTo(before.without(busy).messages());
      assertThat(first.json().at("/groups").asInt())
          .as("groups")
          .isEqualTo(before.without(busy).groups().size());
      assertThat(first.json().at("/delaysLost").asInt()).as("delays lost").isEqualTo(lostDelays);

      Sides.execute(
          sides.legacy(),
          "UPDATE queue_messages SET visible_at = created_at WHERE receipt_handle IS NOT NULL");
      sides.migrateAll(Direction.TO_HAREL);

      sides.harelSnapshot().assertEquals(before);
      sides.assertNothingLeftBehind();
      assertThat(sides.legacySnapshot().groups()).isEmpty();

      sides.migrateAll(Direction.TO_LEGACY, "--wait", "300");

      sides.legacySnapshot().assertEquals(before);
      assertThat(sides.harelSnapshot().groups()).isEmpty();
      assertThat(sorted(sides.legacy(), DELAYED_HEADS)).isEqualTo(delayed);
      sides.assertNothingLeftBehind();
      assertIdsAre(rows.idsAsWritten(), sides);
    }
  }

  private static RandomRows load(Sides sides, boolean asPeopleDo) throws Exception {
    if (asPeopleDo) {
      try (Connection connection = sides.legacy().connect()) {
        LegacyTable.compareAsPeopleDo(connection);
      }
    }
    RandomRows rows = new RandomRows(17, GROUPS, MESSAGES, System.currentTimeMillis() / 1000);
    sides.load(rows.rows());
    Sides.execute(sides.legacy(), STATES);
    return rows;
  }

  private static Set<String> sorted(TestDatabase database, String query) {
    return new TreeSet<>(Sides.query(database, query));
  }

  private static int count(TestDatabase database, String condition) {
    return Integer.parseInt(
        Sides.query(database, "SELECT count(*) FROM queue_messages WHERE " + condition).get(0));
  }

  private static void assertIdsAre(Map<String, String> expected, Sides sides) throws Exception {
    Map<String, String> differing = new TreeMap<>();
    try (Connection connection = sides.legacy().connect()) {
      LegacyTable.rows(connection)
          .forEach(
              row -> {
                String id = expected.get(row.payload());
                if (id != null && !id.equals(row.id())) {
                  differing.put(id, row.id());
                }
              });
    }
    assertThat(differing).as("ids that are others").isEmpty();
  }
}
