package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.cli.CliRun;
import dev.sluice.e2e.SluiceProcess;
import dev.sluice.migrate.Sides.Direction;
import dev.sluice.migrate.Sides.Place;
import dev.sluice.model.SeedQueue;
import dev.sluice.queue.Queue;
import dev.sluice.testing.Patience;
import dev.sluice.testing.ScaledTries;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Producers and consumers run on while their queue moves: some seconds for the most telling cases,
 * and with {@code -Dsluice.test.scale=2} and above all of them, for minutes, on a machine that does
 * nothing else.
 */
@Isolated("two routers at work and a producer that keeps its pace")
class LiveTest {
  private static final int PER_SECOND = 500;
  private static final int SECONDS = 3 * Math.min(20, ScaledTries.SCALE);

  /** Slow enough for a backlog on the old side, where something is left to move. */
  private static final int OLD_MILLIS = 10;

  private static final int NEW_MILLIS = 2;

  /** A batch of the consumer like Go's takes as long as its share of messages at a router. */
  private static final int GO_MILLIS = 40;

  /** So many groups move while producers and consumers are at work. */
  private static final int MANY = Traffic.GROUPS / 3;

  /** Before a run says that what it waits for does not happen. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static void run(boolean always) {
    assumeTrue(always || ScaledTries.SCALE > 1, "skipped: by hand, with -Dsluice.test.scale=2");
  }

  private static AtomicInteger consumeOld(
      Sides sides, Direction direction, Traffic traffic, boolean goConsumes) {
    return goConsumes
        ? traffic.consumeLikeGo(go(sides), GO_MILLIS)
        : traffic.deliverFrom(old(sides, direction), OLD_MILLIS);
  }

  /** The groups that have moved and are held at the source, the pinned one never. */
  private static int movedGroups(Sides sides, Direction direction) {
    return Integer.parseInt(
        Sides.query(
                sides.source(direction),
                direction == Direction.TO_HAREL
                    ? "SELECT count(*) FROM queue_messages WHERE id LIKE 'sluice-migration:%'"
                        + " AND message_group_id LIKE 'g%'"
                    : "SELECT count(*) FROM transport_groups WHERE group_id LIKE 'g%'"
                        + " AND locked_by LIKE 'sluice-migration:%'")
            .get(0));
  }

  private static Queue old(Sides sides, Direction direction) {
    return direction == Direction.TO_HAREL ? sides.legacyQueue() : sides.harelQueue();
  }

  private static Queue other(Sides sides, Direction direction) {
    return old(sides, direction.back());
  }

  private static SeedQueue go(Sides sides) {
    return new SeedQueue(
        sides.legacy().dataSource(8),
        Sides.QUEUE,
        () -> System.currentTimeMillis() / 1000,
        Duration.ofSeconds(20),
        false);
  }

  /** One group is in flight elsewhere all the time, so that no run is the last by chance. */
  private static void pin(Sides sides, Direction direction) throws Exception {
    if (direction == Direction.TO_HAREL) {
      sides.row("pinned", "pinned-1", 1_700_000_000);
      sides.claim("pinned-1");
    } else {
      sides.event("pinned", Snapshot.payload("pinned-1", "pinned"));
      sides.lease("pinned");
    }
  }

  /** A lease does not last as long as a slow machine may take. */
  private static void renew(Sides sides, Direction direction) {
    if (direction == Direction.TO_LEGACY) {
      sides.lease("pinned");
    }
  }

  private static void unpin(Sides sides, Direction direction) {
    if (direction == Direction.TO_HAREL) {
      Sides.execute(sides.legacy(), "DELETE FROM queue_messages WHERE id = 'pinned-1'");
    } else {
      Sides.execute(
          sides.harel(),
          "DELETE FROM transport_messages WHERE group_id = 'pinned';"
              + "DELETE FROM transport_groups WHERE group_id = 'pinned'");
    }
  }

  /**
   * Runs it again and again, as an operator does, until the producer has written so much and as
   * much has happened as the caller wants, however slow the machine.
   */
  private static void migrateUntil(
      Sides sides,
      Direction direction,
      Traffic traffic,
      int messages,
      boolean killing,
      BooleanSupplier happened)
      throws Exception {
    int kills = killing ? 3 : 0;
    int runs = 2;
    long patience = System.nanoTime() + PATIENCE.toNanos();
    while (runs > 0
        || traffic.publishedCount() < messages
        || (!happened.getAsBoolean() && System.nanoTime() < patience)) {
      if (kills > 0) {
        kills--;
        killInTheMiddle(sides, direction);
      } else {
        runs--;
        renew(sides, direction);
        CliRun run = sides.migrate(direction, "--wait", "1", "--batch", "20");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
      }
    }
  }

  private static void awaitPublished(Traffic traffic, int messages) {
    Patience.await().until(() -> traffic.publishedCount() > messages);
  }

  private static void killInTheMiddle(Sides sides, Direction direction) throws Exception {
    try (SluiceProcess process =
        SluiceProcess.start(
            List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            sides.arguments(direction, "--wait", "300", "--batch", "3"))) {
      Patience.await().until(() -> !sides.records().isEmpty() || !process.runs());
      process.kill();
    }
  }

  private static void awaitEmpty(Sides sides, Traffic traffic) {
    Patience.await()
        .until(
            () ->
                sides.legacySnapshot().messages() + sides.harelSnapshot().messages() == 0
                    && traffic.deliveredCount() >= traffic.publishedCount());
  }

  /** The groups whose deliveries are not what was published, with what was delivered. */
  private static Map<String, List<String>> outOfOrder(Traffic traffic) {
    Map<String, List<String>> published = traffic.published();
    Map<String, List<String>> wrong = traffic.deliveredByGroup();
    wrong.entrySet().removeIf(entry -> entry.getValue().equals(published.get(entry.getKey())));
    return wrong;
  }

  private static void assertDeliveredOnceInOrder(
      Sides sides, Traffic traffic, AtomicInteger byOld, AtomicInteger byNew) {
    awaitEmpty(sides, traffic);
    System.out.printf(
        "%d messages: %d by the old side, %d by the new%n",
        traffic.publishedCount(), byOld.get(), byNew.get());
    assertThat(traffic.repeats()).as("delivered twice").isEmpty();
    assertThat(outOfOrder(traffic)).as("groups out of order").isEmpty();
    assertThat(traffic.deliveredByGroup()).isEqualTo(traffic.published());
    assertThat(traffic.overlaps()).as("delivered while Go handled its group").isEmpty();
    sides.assertNothingLeftBehind();
  }

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL, false, false, true",
    "ONE_DATABASE, TO_LEGACY, false, false, false",
    "TWO_DATABASES, TO_HAREL, false, true, false",
    "TWO_DATABASES, TO_LEGACY, false, false, true",
    "ONE_DATABASE, TO_HAREL, true, true, false",
    "TWO_DATABASES, TO_HAREL, true, false, true"
  })
  void aQueueMovesUnderItsProducersAndConsumers(
      Place place, Direction direction, boolean goConsumes, boolean killing, boolean always)
      throws Exception {
    run(always);
    try (Sides sides = Sides.in(place);
        Traffic traffic = new Traffic()) {
      pin(sides, direction);
      Queue old = old(sides, direction);
      Queue other = other(sides, direction);
      AtomicInteger byOld = consumeOld(sides, direction, traffic, goConsumes);
      AtomicInteger byNew = traffic.deliverFrom(other(sides, direction), NEW_MILLIS);
      traffic.produceInto(
          old,
          PER_SECOND,
          () -> {
            awaitPublished(traffic, PER_SECOND / 2);
            migrateUntil(
                sides,
                direction,
                traffic,
                SECONDS * PER_SECOND,
                killing,
                () ->
                    movedGroups(sides, direction) > MANY
                        && byOld.get() > MANY
                        && byNew.get() > MANY);
            assertThat(movedGroups(sides, direction)).as("moved meanwhile").isGreaterThan(MANY);
            assertThat(byOld.get()).as("delivered by the old side").isGreaterThan(MANY);
            assertThat(byNew.get()).as("of the old side's, by the new").isGreaterThan(MANY);
          });
      unpin(sides, direction);
      sides.migrateAll(direction, "--finish", "--wait", "300");
      traffic.produceInto(
          other,
          PER_SECOND,
          () -> {
            int before = traffic.publishedCount();
            awaitPublished(traffic, before + PER_SECOND);
          });

      assertDeliveredOnceInOrder(sides, traffic, byOld, byNew);
    }
  }

  // What the old side still has of a group then comes behind what the producers wrote to the new
  // one: order over both sides is for those who stop between the two.
  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL, false, true",
    "TWO_DATABASES, TO_LEGACY, false, false",
    "TWO_DATABASES, TO_HAREL, true, false"
  })
  void producersThatSwitchBeforeTheFinishLoseNothing(
      Place place, Direction direction, boolean goConsumes, boolean always) throws Exception {
    run(always);
    try (Sides sides = Sides.in(place);
        Traffic traffic = new Traffic()) {
      pin(sides, direction);
      consumeOld(sides, direction, traffic, goConsumes);
      AtomicInteger byNew = traffic.deliverFrom(other(sides, direction), NEW_MILLIS);
      traffic.produceInto(
          old(sides, direction),
          PER_SECOND,
          () -> {
            awaitPublished(traffic, PER_SECOND / 2);
            migrateUntil(
                sides, direction, traffic, SECONDS * PER_SECOND, false, () -> byNew.get() > 0);
          });
      traffic.produceInto(
          other(sides, direction),
          PER_SECOND,
          () -> {
            int before = traffic.publishedCount();
            unpin(sides, direction);
            sides.migrateAll(direction, "--finish", "--wait", "300");
            awaitPublished(traffic, before + PER_SECOND);
          });

      awaitEmpty(sides, traffic);
      assertThat(traffic.repeats()).as("delivered twice").isEmpty();
      assertThat(traffic.deliveredCount()).isEqualTo(traffic.publishedCount());
      System.out.printf(
          "producers that switched before --finish: %d of %d groups out of order%n",
          outOfOrder(traffic).size(), traffic.published().size());
      assertThat(byNew.get()).as("deliveries by the new side").isPositive();
      sides.assertNothingLeftBehind();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL, false, false, false",
    "ONE_DATABASE, TO_LEGACY, false, false, true",
    "TWO_DATABASES, TO_HAREL, true, false, true",
    "TWO_DATABASES, TO_LEGACY, false, true, false"
  })
  void anAbortUnderWayLosesAndOvertakesNothing(
      Place place, Direction direction, boolean goConsumes, boolean killing, boolean always)
      throws Exception {
    run(always);
    try (Sides sides = Sides.in(place);
        Traffic traffic = new Traffic()) {
      pin(sides, direction);
      AtomicInteger byOld = consumeOld(sides, direction, traffic, goConsumes);
      // Too slow for all that comes: something is left there to go back.
      AtomicInteger byNew = traffic.deliverFrom(other(sides, direction), 4 * OLD_MILLIS);
      traffic.produceInto(
          old(sides, direction),
          PER_SECOND,
          () -> {
            awaitPublished(traffic, PER_SECOND / 2);
            migrateUntil(
                sides,
                direction,
                traffic,
                SECONDS * PER_SECOND / 2,
                killing,
                () -> movedGroups(sides, direction) > MANY && byNew.get() > 0);
            assertThat(movedGroups(sides, direction)).as("moved meanwhile").isGreaterThan(MANY);
            assertThat(byNew.get()).as("delivered by the new side").isPositive();
            CliRun abort = sides.migrate(direction, "--abort", "--wait", "300");
            assertThat(abort.exitCode()).as(abort.err()).isZero();
            unpin(sides, direction);
            assertThat(sides.snapshot(direction.back()).groups()).as("left behind").isEmpty();
          });

      assertDeliveredOnceInOrder(sides, traffic, byOld, byNew);
    }
  }
}
