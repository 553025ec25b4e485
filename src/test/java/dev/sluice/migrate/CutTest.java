package dev.sluice.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.cli.CliRun;
import dev.sluice.migrate.Scissors.Cut;
import dev.sluice.migrate.Sides.Direction;
import dev.sluice.migrate.Sides.Place;
import dev.sluice.model.LegacyRow;
import dev.sluice.testing.ScaledTries;
import dev.sluice.testing.TestDatabase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The session of the source, that of the target, or the whole process ends at each statement of a
 * migration, one after the other, before the server has done it and after; then it is run again.
 */
@Isolated("runs the program some hundred times")
class CutTest {
  /**
   * How much is cut: a third of the different statements; each of them where it is first, in the
   * middle and last; everywhere.
   */
  private static final boolean MANY = ScaledTries.SCALE > 1;

  private static final int SHARE = 3;
  private static final int TRIES = 5;

  private static final boolean ALL = ScaledTries.SCALE >= 100;

  /** Who dies. */
  enum Victim {
    SOURCE,
    TARGET,
    PROCESS
  }

  /** What it dies in. */
  enum Ending {
    PLAIN,
    FINISH,
    ABORT
  }

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL, PROCESS",
    "ONE_DATABASE, TO_LEGACY, PROCESS",
    "TWO_DATABASES, TO_HAREL, SOURCE",
    "TWO_DATABASES, TO_HAREL, TARGET",
    "TWO_DATABASES, TO_HAREL, PROCESS",
    "TWO_DATABASES, TO_LEGACY, SOURCE",
    "TWO_DATABASES, TO_LEGACY, TARGET",
    "TWO_DATABASES, TO_LEGACY, PROCESS"
  })
  void aMigrationThatDiesAtAnyStatementIsFinishedByTheNext(
      Place place, Direction direction, Victim victim) throws Exception {
    diesAtEachStatement(place, direction, victim, Ending.PLAIN);
  }

  @ParameterizedTest
  @CsvSource({
    "ONE_DATABASE, TO_HAREL, PROCESS, FINISH",
    "ONE_DATABASE, TO_LEGACY, PROCESS, FINISH",
    "TWO_DATABASES, TO_HAREL, PROCESS, FINISH",
    "TWO_DATABASES, TO_LEGACY, PROCESS, FINISH",
    "TWO_DATABASES, TO_HAREL, SOURCE, FINISH",
    "TWO_DATABASES, TO_LEGACY, TARGET, FINISH",
    "ONE_DATABASE, TO_HAREL, PROCESS, ABORT",
    "ONE_DATABASE, TO_LEGACY, PROCESS, ABORT",
    "TWO_DATABASES, TO_HAREL, PROCESS, ABORT",
    "TWO_DATABASES, TO_LEGACY, PROCESS, ABORT",
    "TWO_DATABASES, TO_HAREL, SOURCE, ABORT",
    "TWO_DATABASES, TO_LEGACY, TARGET, ABORT"
  })
  void anEndThatDiesAtAnyStatementIsReachedByTheNext(
      Place place, Direction direction, Victim victim, Ending ending) throws Exception {
    diesAtEachStatement(place, direction, victim, ending);
  }

  private static void diesAtEachStatement(
      Place where, Direction direction, Victim victim, Ending ending) throws Exception {
    try (Sides sides = Sides.in(where)) {
      prepare(sides, direction, ending);
      List<String> requests = runCut(sides, direction, victim, ending, Scissors.none()).requests();
      int share = Objects.hash(where.name(), direction.name(), victim.name(), ending.name());
      List<Integer> places = places(requests, Math.floorMod(share, SHARE));
      int cuts = 0;
      for (int place : places) {
        Cut either = cuts % 2 == 0 ? Cut.BEFORE : Cut.AFTER;
        for (Cut cut : MANY ? List.of(Cut.values()) : List.of(either)) {
          String when = "%s statement %d, %s".formatted(cut, place, requests.get(place - 1));
          assertThat(diesAt(sides, direction, victim, ending, place, cut, when)).as(when).isTrue();
          cuts++;
        }
      }
      System.out.printf(
          "%s %s %s %s: %d statements, %d of them different, %d cuts%n",
          where, direction, victim, ending, requests.size(), new HashSet<>(requests).size(), cuts);
    }
  }

  /**
   * Tries it some times: how many statements there are before that one is no matter of course, as a
   * migration that has to wait looks again and again.
   */
  private static boolean diesAt(
      Sides sides,
      Direction direction,
      Victim victim,
      Ending ending,
      int place,
      Cut cut,
      String when)
      throws Exception {
    boolean died = false;
    for (int i = 0; i < TRIES && !died; i++) {
      Snapshot all = prepare(sides, direction, ending);
      Scissors scissors = runCut(sides, direction, victim, ending, Scissors.at(place, cut));
      died = scissors.haveCut();
      if (died) {
        finish(sides, direction, ending, all, when);
      }
    }
    return died;
  }

  /** Which requests are cut, by number from 1; what comes before the migration begins is none. */
  private static List<Integer> places(List<String> requests, int share) {
    int begins = 0;
    while (!requests.get(begins).contains("SET lock_timeout")) {
      begins++;
    }
    Map<String, List<Integer>> bySql = new LinkedHashMap<>();
    for (int n = begins; n < requests.size(); n++) {
      bySql.computeIfAbsent(requests.get(n), sql -> new ArrayList<>()).add(n + 1);
    }
    Set<Integer> places = new TreeSet<>();
    int statement = share;
    for (List<Integer> same : bySql.values()) {
      if (ALL) {
        places.addAll(same);
      } else if (MANY) {
        places.addAll(List.of(same.get(0), same.get(same.size() / 2), same.get(same.size() - 1)));
      } else if (statement++ % SHARE == 0) {
        places.add(same.get(same.size() / 2));
      }
    }
    return List.copyOf(places);
  }

  private static Snapshot prepare(Sides sides, Direction direction, Ending ending)
      throws Exception {
    for (TestDatabase database : List.of(sides.legacy(), sides.harel())) {
      Sides.execute(database, "DROP TABLE IF EXISTS sluice_migration");
    }
    Sides.execute(sides.legacy(), "DELETE FROM queue_messages");
    Sides.execute(sides.harel(), "DELETE FROM transport_messages; DELETE FROM transport_groups");
    fill(sides, direction);
    if (ending == Ending.PLAIN) {
      return sides.snapshot(direction);
    }
    return interruptHalfway(sides, direction);
  }

  // One group is larger than a batch, ids sort backwards, one head is delayed, one row has no
  // group.
  private static void fill(Sides sides, Direction direction) throws Exception {
    if (direction == Direction.TO_LEGACY) {
      for (int n = 9; n > 0; n--) {
        String group = n > 4 ? "large" : "g" + n % 2;
        sides.event(group, Snapshot.payload("m" + n, group));
      }
      sides.event("busy", Snapshot.payload("b1", "busy"));
      sides.event("busy", Snapshot.payload("b2", "busy"));
      return;
    }
    List<LegacyRow> rows = new ArrayList<>();
    for (int n = 9; n > 0; n--) {
      rows.add(Sides.waiting(n > 4 ? "large" : "g" + n % 2, "m" + n, 1_700_000_000L + n % 2));
    }
    rows.add(Sides.waiting("busy", "b1", 1_700_000_000L));
    rows.add(Sides.waiting("busy", "b2", 1_700_000_000L));
    sides.load(rows);
    Sides.execute(
        sides.legacy(),
        "UPDATE queue_messages SET visible_at = 4000000000 WHERE id = 'm2';"
            + "UPDATE queue_messages SET message_group_id = NULL WHERE id = 'm1'");
  }

  /** All but one group is moved and held, and producers have written to a held group since. */
  private static Snapshot interruptHalfway(Sides sides, Direction direction) throws Exception {
    if (direction == Direction.TO_HAREL) {
      sides.claim("b1");
    } else {
      sides.lease("busy");
    }
    CliRun run = sides.migrate(direction);
    assertThat(run.exitCode()).as(run.err()).isEqualTo(4);
    long now = System.currentTimeMillis() / 1000;
    if (direction == Direction.TO_HAREL) {
      sides.lapse("b1");
      sides.row("large", "later2", now - 1);
      sides.row("large", "later1", now);
    } else {
      sides.free("busy");
      sides.event("large", Snapshot.payload("later2", "large"));
      sides.event("large", Snapshot.payload("later1", "large"));
    }
    return sides.snapshot(direction.back()).followedBy(sides.snapshot(direction));
  }

  private static String[] options(Ending ending) {
    return switch (ending) {
      case PLAIN -> new String[] {"--batch", "4", "--wait", "300"};
      case FINISH -> new String[] {"--batch", "4", "--wait", "300", "--finish"};
      case ABORT -> new String[] {"--batch", "4", "--wait", "300", "--abort"};
    };
  }

  private static Scissors runCut(
      Sides sides, Direction direction, Victim victim, Ending ending, Scissors scissors)
      throws Exception {
    boolean one = sides.legacy() == sides.harel();
    List<CutProxy> proxies = new ArrayList<>();
    Runnable die =
        () -> {
          if (victim == Victim.PROCESS) {
            proxies.forEach(CutProxy::refuse);
          }
        };
    try (CutProxy from =
            new CutProxy(
                sides.source(direction).uri(),
                one || victim != Victim.TARGET ? scissors : Scissors.none(),
                die);
        CutProxy to =
            new CutProxy(
                sides.target(direction).uri(),
                victim != Victim.SOURCE ? scissors : Scissors.none(),
                die)) {
      proxies.add(from);
      proxies.add(one ? from : to);
      CliRun run = migrate(direction, proxies.get(0).uri(), proxies.get(1).uri(), options(ending));
      assertThat(run.exitCode())
          .as(run.err())
          .isIn(scissors.haveCut() ? List.of(0, 1) : List.of(0));
      return scissors;
    }
  }

  private static CliRun migrate(
      Direction direction, String source, String target, String... options) {
    return direction == Direction.TO_HAREL
        ? Sides.migrate(source, Sides.asHarel(target), options)
        : Sides.migrate(Sides.asHarel(source), target, options);
  }

  private static void finish(
      Sides sides, Direction direction, Ending ending, Snapshot all, String when) {
    CliRun run = sides.migrate(direction, options(ending));
    assertThat(run.exitCode()).as("%s: %s", when, run.err()).isZero();
    boolean back = ending == Ending.ABORT;
    assertThat(sides.snapshot(back ? direction : direction.back()).groups())
        .as(when)
        .isEqualTo(all.groups());
    assertThat(sides.snapshot(back ? direction.back() : direction).groups()).as(when).isEmpty();
    sides.assertNothingLeftBehind();
    assertThat(sides.harelHolds()).as(when).isSubsetOf("g0");
  }
}
