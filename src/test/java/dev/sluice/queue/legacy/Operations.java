package dev.sluice.queue.legacy;

import dev.sluice.model.LegacyRow;
import dev.sluice.model.RandomTable;
import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.Message;
import dev.sluice.queue.QueueRow;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/** Random lives of the table. */
final class Operations {
  private static final int LONGEST_LIFE = 40;

  private Operations() {}

  static Arbitrary<List<Operation>> lives() {
    return operation()
        .list()
        .ofMaxSize(LONGEST_LIFE)
        .withSizeDistribution(RandomDistribution.uniform());
  }

  private static Arbitrary<Operation> operation() {
    return Arbitraries.frequencyOf(
        Tuple.of(8, polls()),
        Tuple.of(4, Combinators.combine(session(), picks()).as(Operation.Ack::new)),
        Tuple.of(3, Combinators.combine(session(), picks(), delay()).as(Operation.Nack::new)),
        Tuple.of(2, Combinators.combine(session(), picks(), delay()).as(Operation.Defer::new)),
        Tuple.of(2, Combinators.combine(session(), picks(), reason()).as(Operation.Reject::new)),
        Tuple.of(2, Combinators.combine(session(), picks(), lease()).as(Operation.Extend::new)),
        Tuple.of(3, Combinators.combine(session(), rows()).as(Operation.Publish::new)),
        Tuple.of(1, unstorable()),
        Tuple.of(2, foreign()),
        Tuple.of(1, Combinators.combine(session(), filter()).as(Operation.Requeue::new)),
        Tuple.of(1, Combinators.combine(session(), filter()).as(Operation.Discard::new)),
        Tuple.of(1, Combinators.combine(session(), count()).as(Operation.Peek::new)),
        Tuple.of(4, Arbitraries.integers().between(1, 40).map(Operation.Tick::new)));
  }

  private static Arbitrary<Operation> polls() {
    return Combinators.combine(session(), count()).as(Operation.Poll::new);
  }

  private static Arbitrary<Integer> session() {
    return Arbitraries.of(0, 0, 1, 1, 2);
  }

  private static Arbitrary<Integer> count() {
    return Arbitraries.integers().between(1, 12);
  }

  private static Arbitrary<List<Integer>> picks() {
    Arbitrary<Integer> pick = Arbitraries.integers().between(0, 20);
    return Arbitraries.oneOf(pick.list().ofSize(1), pick.list().ofMaxSize(6).uniqueElements());
  }

  private static Arbitrary<Duration> delay() {
    return Arbitraries.of(0L, 0L, 1L, 999L, 1000L, 1001L, 7000L, 30_000L).map(Duration::ofMillis);
  }

  private static Arbitrary<Duration> lease() {
    return Arbitraries.of(1000L, 1001L, 30_000L, 300_000L).map(Duration::ofMillis);
  }

  private static Arbitrary<String> reason() {
    return Arbitraries.of("zebra", "HTTP 410 'gone'", "100% of_it", "", "ü".repeat(1001));
  }

  private static Arbitrary<String> queue() {
    return Arbitraries.frequency(
        Tuple.of(4, RandomTable.QUEUE), Tuple.of(1, RandomTable.OTHER_QUEUE));
  }

  private static Arbitrary<List<QueueRow>> rows() {
    return row().list().ofMaxSize(5);
  }

  private static Arbitrary<QueueRow> row() {
    return Combinators.combine(
            queue(), RandomTable.ids().filter(id -> !id.isEmpty()), RandomTable.groups())
        .as((queue, id, group) -> new QueueRow(queue, message(id, group)));
  }

  private static Message message(String id, String group) {
    Message message = Message.of(id, "https://t.example/hook");
    return group == null ? message : message.withGroup(group);
  }

  private static Arbitrary<Operation> unstorable() {
    Arbitrary<QueueRow> bad =
        Arbitraries.of(
            new QueueRow(RandomTable.QUEUE, message("n\0l", "g")),
            new QueueRow(RandomTable.QUEUE, message("m1", "g\0")),
            new QueueRow("or\0ders", message("m1", "g")));
    return Combinators.combine(session(), row(), bad).as(Operation.PublishUnstorable::new);
  }

  private static Arbitrary<Operation> foreign() {
    return RandomTable.tablesWithMalformedRows()
        .filter(table -> !table.rows().isEmpty())
        .map(table -> new Operation.Foreign(unclaimed(table.rows().get(0))));
  }

  private static LegacyRow unclaimed(LegacyRow row) {
    return row.withReceipt(null);
  }

  private static Arbitrary<FailedFilter> filter() {
    return Arbitraries.oneOf(
        Arbitraries.just(FailedFilter.ALL),
        RandomTable.ids().list().ofMinSize(1).ofMaxSize(40).uniqueElements().map(Operations::these),
        RandomTable.groups().map(group -> new FailedFilter(List.of(), group, null)),
        Arbitraries.of("ZEBRA", "0% OF_", "%", "gone'")
            .map(reason -> new FailedFilter(List.of(), null, reason)));
  }

  private static FailedFilter these(List<String> ids) {
    return new FailedFilter(ids, null, null);
  }
}
