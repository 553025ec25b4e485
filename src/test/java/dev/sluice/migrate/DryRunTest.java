package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.CliRun;
import dev.sluice.migrate.Sides.Direction;
import dev.sluice.migrate.Sides.Place;
import dev.sluice.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A plan is printed and nothing is touched: no row version, no lock on a row, no table. */
class DryRunTest {
  private static final List<String> TABLES =
      List.of(
          "queue_messages",
          "queue_messages_failed",
          "transport_messages",
          "transport_groups",
          "transport_messages_failed");

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL",
    "ONE_DATABASE, TO_LEGACY",
    "TWO_DATABASES, TO_HAREL",
    "TWO_DATABASES, TO_LEGACY"
  })
  void touchesNothing(Place place, Direction direction) throws Exception {
    try (Sides sides = Sides.in(place)) {
      for (int n = 9; n > 0; n--) {
        sides.row("g" + n % 3, "m" + n, 1_700_000_000);
        sides.event("h" + n % 3, Snapshot.payload("e" + n, "h" + n % 3));
      }
      sides.claim("m1");
      sides.lease("h1");
      List<String> before = everything(sides);

      CliRun run = sides.migrate(direction, "--dry-run", "--json");

      assertThat(run.exitCode()).as(run.err()).isIn(0, 4);
      assertThat(everything(sides)).isEqualTo(before);
      assertThat(run.json().at("/messages").asInt()).as("messages that would move").isEqualTo(6);
      assertThat(run.json().at("/groups").asInt()).as("groups that would move").isEqualTo(2);
    }
  }

  private static List<String> everything(Sides sides) {
    List<String> all = new ArrayList<>();
    for (TestDatabase database : List.of(sides.legacy(), sides.harel())) {
      all.addAll(
          Sides.query(
              database,
              "SELECT relname || ' ' || relkind::text || ' ' || relfilenode FROM pg_class"
                  + " WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%'"
                  + " AND nspname <> 'information_schema') ORDER BY 1"));
      for (String table : TABLES) {
        if (!Sides.query(database, "SELECT to_regclass('" + table + "')").contains(null)) {
          all.addAll(
              Sides.query(
                  database,
                  "SELECT '%1$s ' || ctid || ' ' || xmin || ' ' || xmax || ' ' || r::text FROM %1$s r ORDER BY ctid"
                      .formatted(table)));
        }
      }
      if (!Sides.query(database, "SELECT to_regclass('transport_messages')").contains(null)) {
        all.addAll(
            Sides.query(
                database, "SELECT last_value || ' ' || is_called FROM transport_messages_seq_seq"));
      }
    }
    return all;
  }
}
