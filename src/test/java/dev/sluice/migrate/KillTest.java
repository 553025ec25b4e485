package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.SluiceProcess;
import dev.sluice.migrate.Sides.Direction;
import dev.sluice.migrate.Sides.Place;
import dev.sluice.testing.Patience;
import dev.sluice.testing.ScaledTries;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that is killed leaves what the next one finishes. */
@Isolated("starts processes")
class KillTest {
  private static final int MESSAGES = 20_000 * Math.min(10, ScaledTries.SCALE);
  private static final int TRIES = 5;
  private static final int KILLS = 4 * Math.min(10, ScaledTries.SCALE);

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL",
    "ONE_DATABASE, TO_LEGACY",
    "TWO_DATABASES, TO_HAREL",
    "TWO_DATABASES, TO_LEGACY"
  })
  void nothingIsLostOrDoubledWhenTheProcessIsKilledAtRandom(Place place, Direction direction)
      throws Exception {
    int inTheMiddle = 0;
    // Where this one stood still, a process had its end before it was killed.
    for (int tries = 0; tries < TRIES && inTheMiddle == 0; tries++) {
      inTheMiddle = killsInTheMiddle(place, direction);
    }
    assertThat(inTheMiddle).isPositive();
  }

  private static int killsInTheMiddle(Place place, Direction direction) throws Exception {
    Random random = new Random(11);
    try (Sides sides = Sides.in(place)) {
      Sides.execute(sides.source(direction), publish(direction));
      Snapshot before = sides.snapshot(direction);

      int inTheMiddle = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        long from = moved(sides, direction);
        long more = 1L + random.nextInt(MESSAGES / KILLS);
        try (SluiceProcess process =
            SluiceProcess.start(
                List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                sides.arguments(direction, "--batch", "100"))) {
          Patience.await()
              .pollInterval(Duration.ofMillis(3))
              .until(() -> moved(sides, direction) >= from + more || !process.runs());
          inTheMiddle += process.runs() ? 1 : 0;
          process.kill();
        }
      }
      sides.migrateAll(direction);

      sides.snapshot(direction.back()).assertEquals(before);
      assertThat(sides.snapshot(direction).groups()).isEmpty();
      sides.assertNothingLeftBehind();
      assertThat(sides.harelHolds()).isEmpty();
      System.out.printf(
          "%s %s: %d of %d kills in the middle%n", place, direction, inTheMiddle, KILLS);
      return inTheMiddle;
    }
  }

  private static String publish(Direction direction) {
    String payload =
        "'{\"id\":\"m' || lpad((%1$d - i)::text, 7, '0') || '\",\"mediationTarget\":\"https://%2$s/\"}'"
            .formatted(MESSAGES, Snapshot.MARK);
    return direction == Direction.TO_HAREL
        ? """
          INSERT INTO queue_messages (id, queue_name, message_group_id, visible_at, payload, created_at)
          SELECT 'm' || lpad((%1$d - i)::text, 7, '0'), 'orders', 'g' || i %% 1000, 0, %2$s, 1700000000 + i
          FROM generate_series(1, %1$d) i
          """
            .formatted(MESSAGES, payload)
        : """
          INSERT INTO transport_messages (group_id, event)
          SELECT 'g' || i %% 1000, %2$s FROM generate_series(1, %1$d) i;
          INSERT INTO transport_groups (group_id) SELECT DISTINCT group_id FROM transport_messages
          """
            .formatted(MESSAGES, payload);
  }

  private static long moved(Sides sides, Direction direction) {
    String table = direction == Direction.TO_HAREL ? "transport_messages" : "queue_messages";
    return Long.parseLong(
        Sides.query(sides.target(direction), "SELECT count(*) FROM " + table).get(0));
  }
}
