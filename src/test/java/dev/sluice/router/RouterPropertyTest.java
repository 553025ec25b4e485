package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.Outcome;
import dev.sluice.router.FakeQueue.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Random schedules of answers, polls, statements, faults and lapses against one router. */
class RouterPropertyTest {
  private static final List<Outcome> OUTCOMES =
      List.of(
          Rig.OK,
          Rig.DOWN,
          Rig.REFUSED,
          Rig.BUSY,
          new Outcome.Deferred(0),
          new Outcome.Deferred(3),
          new Outcome.Unreachable("refused", 1));
  private static final List<Duration> TIMES =
      List.of(
          Duration.ofMillis(2),
          Duration.ofSeconds(1),
          Duration.ofSeconds(12),
          Duration.ofSeconds(65));
  private static final List<String> STATEMENTS =
      List.of("ack", "nack", "defer", "reject", "extend");

  private static final List<Fault> FAULTS =
      List.of(Fault.CONNECTION_LOST, Fault.ANSWER_LOST, Fault.STATEMENT);

  /** What happens next. */
  enum Kind {
    PUBLISH,
    ANSWER,
    PASS,
    HOLD_POLLS,
    RUN_POLL,
    BRING_IN,
    RELEASE_POLLS,
    HOLD_STATEMENTS,
    RUN_STATEMENT,
    TELL_STATEMENT,
    RELEASE_STATEMENTS,
    FAIL,
    HEAL
  }

  record Op(Kind kind, int choice) {}

  /** A router, and what its targets and producers know. */
  private static final class Run {
    final Rig rig = new Rig().start();
    final List<String> published = new ArrayList<>();
    final Set<String> done = new LinkedHashSet<>();
    private int callsSeen;

    void apply(Op op) {
      int choice = op.choice();
      switch (op.kind()) {
        case PUBLISH -> publish("g" + choice % 3);
        case ANSWER -> answer(choice);
        case PASS -> rig.advance(TIMES.get(choice % TIMES.size()));
        case HOLD_POLLS -> rig.holdPolls();
        case RUN_POLL -> rig.runPoll();
        case BRING_IN -> rig.bringIn();
        case RELEASE_POLLS -> rig.releasePolls();
        case HOLD_STATEMENTS -> rig.holdStatements();
        case RUN_STATEMENT -> rig.runStatement();
        case TELL_STATEMENT -> rig.tellStatement();
        case RELEASE_STATEMENTS -> rig.releaseStatements();
        case FAIL ->
            rig.queue.fail(
                FAULTS.get(choice % FAULTS.size()), STATEMENTS.get(choice % STATEMENTS.size()));
        case HEAL -> rig.queue.heal();
      }
      check();
    }

    private void publish(String group) {
      String id = group + "-" + published.size();
      published.add(id);
      rig.ordered(group, id).wake();
    }

    private void answer(int choice) {
      List<String> running = rig.target.running();
      if (!running.isEmpty()) {
        String id = running.get(choice % running.size());
        Outcome outcome = OUTCOMES.get(choice % OUTCOMES.size());
        if (outcome.equals(Rig.OK) || outcome.equals(Rig.REFUSED)) {
          done.add(id);
        }
        rig.answer(id, outcome);
      }
    }

    /** In one place each, and nobody called before all that were published before it are done. */
    void check() {
      rig.checkPlaces();
      List<String> calls = rig.calls();
      for (; callsSeen < calls.size(); callsSeen++) {
        String called = calls.get(callsSeen);
        List<String> before =
            published.stream()
                .takeWhile(id -> !id.equals(called))
                .filter(id -> group(id).equals(group(called)))
                .toList();
        assertThat(done).as("done before %s is called", called).containsAll(before);
      }
    }

    void heal() {
      rig.queue.heal();
      rig.releasePolls();
      rig.releaseStatements();
    }

    void finish() {
      for (int i = 0; i < 2_000 && !(rig.queue.isEmpty() && rig.core().held() == 0); i++) {
        for (String id : rig.target.running()) {
          done.add(id);
          rig.answer(id, Rig.OK);
        }
        rig.advance(Duration.ofSeconds(2));
        check();
      }
    }
  }

  @Property(seed = "2026", tries = 400)
  void nothingIsLostAndNobodyOvertakes(@ForAll("schedules") List<Op> schedule) {
    Run run = new Run();
    schedule.forEach(run::apply);
    run.heal();
    run.finish();

    assertThat(run.rig.queue.isEmpty()).isTrue();
    assertThat(run.done).containsExactlyInAnyOrderElementsOf(run.published);
    assertThat(run.rig.core().held()).isZero();
  }

  @Property(seed = "2026", tries = 200)
  void afterAStopTheQueueHasWhatIsNotDoneAndNoTailBeforeItsHead(
      @ForAll("faultlessSchedules") List<Op> schedule) {
    Run run = new Run();
    schedule.forEach(run::apply);
    run.heal();
    // What lies in the queue already, a head in flight does not hold back.
    Set<String> held = new LinkedHashSet<>();
    run.rig.core().places().forEach(placed -> held.add(placed.id()));
    run.rig.stop();
    run.check();
    run.rig.advance(Duration.ofSeconds(70));
    run.check();

    assertThat(run.rig.core().stopped()).isDone();
    List<String> left = new ArrayList<>(run.published);
    left.removeAll(run.done);
    assertThat(run.rig.queue.rows().stream().map(r -> r.split(" ", -1)[0]))
        .containsExactlyElementsOf(left);
    Map<String, Long> headClaims = new HashMap<>();
    for (String row : run.rig.queue.rows()) {
      String[] parts = row.split(" ", -1);
      long due = parts.length > 2 ? Long.parseLong(parts[2]) : 0;
      if (held.contains(parts[0])) {
        assertThat(due).as(row).isGreaterThanOrEqualTo(headClaims.getOrDefault(group(row), 0L));
      }
      if (parts[1].equals("claimed")) {
        headClaims.merge(group(row), due, Math::max);
      }
    }
  }

  private static String group(String id) {
    return id.substring(0, id.indexOf('-'));
  }

  @Provide
  Arbitrary<List<Op>> schedules() {
    return ops(List.of(Kind.values()));
  }

  @Provide
  Arbitrary<List<Op>> faultlessSchedules() {
    List<Kind> kinds = new ArrayList<>(List.of(Kind.values()));
    kinds.remove(Kind.FAIL);
    kinds.remove(Kind.HOLD_STATEMENTS);
    return ops(kinds);
  }

  private static Arbitrary<List<Op>> ops(List<Kind> kinds) {
    List<Kind> weighted = new ArrayList<>(kinds);
    weighted.addAll(
        List.of(Kind.PUBLISH, Kind.PUBLISH, Kind.PUBLISH, Kind.ANSWER, Kind.ANSWER, Kind.ANSWER));
    weighted.add(Kind.PASS);
    return Combinators.combine(Arbitraries.of(weighted), Arbitraries.integers().between(0, 419))
        .as(Op::new)
        .list()
        .ofMaxSize(60);
  }
}
