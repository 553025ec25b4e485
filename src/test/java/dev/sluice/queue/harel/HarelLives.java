package dev.sluice.queue.harel;

import dev.sluice.queue.harel.HarelStep.NewEvent;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/**
 * Random lives of the tables. All times are quarters of a second, so that they can be added without
 * rounding and leases end exactly when somebody looks.
 */
final class HarelLives {
  /** Every group that lives speak of, some in another order with people than with bytes. */
  static final List<String> GROUPS = List.of("g", "h", "G", "a:b:1", "ü x", "");

  /** How many processes there are. */
  static final int PROCESSES = 2;

  private static final int LONGEST_LIFE = 80;

  private HarelLives() {}

  static Arbitrary<List<HarelStep>> lives() {
    return step().list().ofMaxSize(LONGEST_LIFE).withSizeDistribution(RandomDistribution.uniform());
  }

  private static Arbitrary<HarelStep> step() {
    return Arbitraries.frequencyOf(
        Tuple.of(3, Combinators.combine(process(), event()).as(HarelStep.Publish::new)),
        Tuple.of(3, Combinators.combine(process(), events()).as(HarelStep.PublishBatch::new)),
        Tuple.of(12, claims()),
        Tuple.of(5, Combinators.combine(process(), picks()).as(HarelStep.Ack::new)),
        Tuple.of(4, Combinators.combine(process(), picks(), delay()).as(HarelStep.Nack::new)),
        Tuple.of(4, Combinators.combine(process(), picks(), error()).as(HarelStep.Reject::new)),
        Tuple.of(5, Combinators.combine(process(), picks(), lease()).as(HarelStep.Extend::new)),
        Tuple.of(1, others()),
        Tuple.of(3, Combinators.combine(process(), picks()).as(HarelStep.Requeue::new)),
        Tuple.of(3, foreign()),
        Tuple.of(5, lease().map(HarelStep.Tick::new)));
  }

  private static Arbitrary<HarelStep> claims() {
    return Combinators.combine(
            process(),
            Arbitraries.of("w1", "host:2 ü"),
            lease(),
            Arbitraries.of(0, 0, 0, 1, 2, 4, 5),
            Arbitraries.of(1, 1, 2, 3, 10))
        .as(HarelStep.Claim::new);
  }

  private static Arbitrary<HarelStep> others() {
    Arbitrary<Boolean> either = Arbitraries.of(false, true);
    return Combinators.combine(process(), pick(), pick(), either, either)
        .as(HarelStep.SettleOther::new);
  }

  private static Arbitrary<HarelStep> foreign() {
    Arbitrary<HarelStep> leases =
        Combinators.combine(
                group(), Arbitraries.of("py:1", "py:2"), quarters(-8, 8), priority(), messages())
            .as(HarelStep.Foreign::new);
    Arbitrary<HarelStep> served =
        Combinators.combine(group(), quarters(-8, 8), priority(), messages())
            .as((g, in, p, n) -> new HarelStep.Foreign(g, null, in, p, n));
    Arbitrary<HarelStep> fresh =
        Combinators.combine(group(), priority(), messages())
            .as((g, p, n) -> new HarelStep.Foreign(g, null, null, p, n));
    return Arbitraries.oneOf(leases, served, fresh);
  }

  private static Arbitrary<Integer> process() {
    return Arbitraries.integers().between(0, PROCESSES - 1);
  }

  private static Arbitrary<String> group() {
    return Arbitraries.frequencyOf(
        Tuple.of(2, Arbitraries.just(GROUPS.get(0))), Tuple.of(1, Arbitraries.of(GROUPS)));
  }

  private static Arbitrary<NewEvent> event() {
    Arbitrary<String> named = group().filter(group -> !group.isEmpty());
    return Combinators.combine(named, Arbitraries.integers().between(0, 4)).as(NewEvent::new);
  }

  private static Arbitrary<List<NewEvent>> events() {
    return event().list().ofMaxSize(5);
  }

  private static Arbitrary<Integer> pick() {
    return Arbitraries.frequencyOf(
        Tuple.of(2, Arbitraries.integers().between(0, 2)),
        Tuple.of(1, Arbitraries.integers().between(0, 12)));
  }

  private static Arbitrary<List<Integer>> picks() {
    return Arbitraries.oneOf(pick().list().ofSize(1), pick().list().ofMaxSize(6).uniqueElements());
  }

  private static Arbitrary<Double> delay() {
    return Arbitraries.of(0.0, 0.25, 1.0, 5.5);
  }

  private static Arbitrary<Double> lease() {
    return Arbitraries.of(1.0, 1.25, 1.75, 5.5);
  }

  private static Arbitrary<Integer> priority() {
    return Arbitraries.integers().between(-2, 7);
  }

  private static Arbitrary<Integer> messages() {
    return Arbitraries.of(0, 0, 1, 2);
  }

  private static Arbitrary<String> error() {
    return Arbitraries.of("zebra", "HTTP 410 'gone'", "");
  }

  private static Arbitrary<Double> quarters(int from, int to) {
    return Arbitraries.integers().between(from, to).map(quarters -> quarters / 4.0);
  }
}
