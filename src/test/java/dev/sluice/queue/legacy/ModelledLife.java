package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.model.FailedRow;
import dev.sluice.model.LegacyModel;
import dev.sluice.model.LegacyRow;
import dev.sluice.model.LegacyTable;
import dev.sluice.model.RandomTable;
import dev.sluice.queue.Counters;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.MalformedMessageException;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.PeekedMessage;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueAdmin.RequeueResult;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Rejection;
import dev.sluice.queue.Return;
import dev.sluice.queue.StaleReceiptException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A table and its model living the same life: two sessions on one queue and one on another. Each
 * operation is done to both, then everything that can be seen is compared.
 */
final class ModelledLife implements AutoCloseable {
  private static final String NOBODYS_RECEIPT = "6f7c0de1-never-given:m1";

  private final Arena arena;
  private final LegacyModel model;
  private final List<Queue> sessions;
  private final List<Tally> tallies = List.of(new Tally(), new Tally(), new Tally());
  private final List<String> receipts = new ArrayList<>();
  private final Map<String, String> modelReceipts = new HashMap<>();
  private long now;

  ModelledLife(Arena arena, RandomTable table, Duration visibility, boolean exclusiveGroups)
      throws SQLException {
    this.arena = arena;
    this.now = table.now();
    this.model =
        new LegacyModel(
            arena.idOrder(RandomTable.EVERY_ID),
            visibility.toSeconds(),
            exclusiveGroups,
            ModelledLife::isMalformed);
    this.sessions =
        List.of(
            arena.open(RandomTable.QUEUE, this::now, visibility, exclusiveGroups),
            arena.open(RandomTable.QUEUE, this::now, visibility, exclusiveGroups),
            arena.open(RandomTable.OTHER_QUEUE, this::now, visibility, exclusiveGroups));
    table.load(arena.own());
    model.load(table.rows());
    receipts.add(NOBODYS_RECEIPT);
    receipts.add("no receipt of ours");
    table.rows().stream().map(LegacyRow::receipt).filter(r -> r != null).forEach(receipts::add);
  }

  private long now() {
    return now;
  }

  private static boolean isMalformed(String payload) {
    try {
      MessageJson.read(payload);
      return false;
    } catch (MalformedMessageException e) {
      return true;
    }
  }

  /** What a session should have counted. */
  private static final class Tally {
    private long polled;
    private long acked;
    private long nacked;
    private long deferred;
    private long rejected;

    Counters counters() {
      return new Counters(polled, acked, nacked, deferred, rejected);
    }
  }

  void perform(Operation operation) throws SQLException {
    if (operation instanceof Operation.Poll o) {
      poll(o);
    } else if (operation instanceof Operation.Peek o) {
      peek(o);
    } else if (operation instanceof Operation.Ack o) {
      ack(o);
    } else if (operation instanceof Operation.Nack o) {
      nack(o);
    } else if (operation instanceof Operation.Defer o) {
      defer(o);
    } else if (operation instanceof Operation.Reject o) {
      reject(o);
    } else if (operation instanceof Operation.Extend o) {
      extend(o);
    } else if (operation instanceof Operation.Publish o) {
      publish(o);
    } else if (operation instanceof Operation.PublishUnstorable o) {
      publishUnstorable(o);
    } else if (operation instanceof Operation.Foreign o) {
      foreign(o);
    } else if (operation instanceof Operation.Requeue o) {
      requeue(o);
    } else if (operation instanceof Operation.Discard o) {
      discard(o);
    } else if (operation instanceof Operation.Tick o) {
      now += o.seconds();
    }
    compareEverything(operation);
  }

  private String queueOf(int session) {
    return session == 2 ? RandomTable.OTHER_QUEUE : RandomTable.QUEUE;
  }

  private void poll(Operation.Poll o) {
    LegacyModel.Polled expected = model.poll(queueOf(o.session()), o.max(), now);

    PollResult polled = sessions.get(o.session()).poll(o.max());

    assertThat(polled.deliveries().stream().map(Delivery::brokerId))
        .as("%s", o)
        .containsExactlyElementsOf(expected.delivered().stream().map(LegacyRow::id).toList());
    assertThat(polled.taken()).as("taken by %s", o).isEqualTo(expected.taken());
    assertThat(polled.quarantined()).as("quarantined by %s", o).isEqualTo(expected.quarantined());
    for (int i = 0; i < expected.delivered().size(); i++) {
      LegacyRow row = expected.delivered().get(i);
      Delivery delivery = polled.deliveries().get(i);
      assertDelivers(delivery, row);
      receipts.add(delivery.receipt().value());
      modelReceipts.put(delivery.receipt().value(), String.valueOf(row.receipt()));
    }
    assertOnePollUuid(polled);
    Tally tally = tallies.get(o.session());
    tally.polled += expected.delivered().size();
    tally.rejected += expected.quarantined();
  }

  private static void assertDelivers(Delivery delivery, LegacyRow row) {
    assertThat(delivery.queue()).isEqualTo(row.queue());
    assertThat(delivery.payload()).isEqualTo(row.payload());
    assertThat(delivery.kind()).isEqualTo(Delivery.Kind.MESSAGE);
    assertThat(delivery.claimGroup()).isEqualTo(row.claimGroup());
    assertThat(delivery.receives()).isEqualTo(row.receives());
    assertThat(delivery.createdAt()).isEqualTo(Instant.ofEpochSecond(row.createdAt()));
    assertThat(delivery.visibleAt()).isEqualTo(Instant.ofEpochSecond(row.visibleAt()));
    assertThat(delivery.receipt().value()).matches("(?s)[0-9a-f-]{36}:.*").endsWith(":" + row.id());
  }

  private static void assertOnePollUuid(PollResult polled) {
    assertThat(polled.deliveries().stream().map(d -> d.receipt().value().substring(0, 36)))
        .as("the uuid of the poll")
        .allMatch(uuid -> polled.deliveries().get(0).receipt().value().startsWith(uuid));
  }

  private void peek(Operation.Peek o) {
    List<String> expected =
        model.claimable(queueOf(o.session()), o.limit(), now).stream().map(LegacyRow::id).toList();

    assertThat(sessions.get(o.session()).admin().peek(Optional.empty(), o.limit()))
        .as("%s", o)
        .extracting(PeekedMessage::id)
        .isEqualTo(expected);
  }

  private void ack(Operation.Ack o) {
    List<Receipt> picked = picked(o.picks());
    Set<Receipt> stale = staleAfter(picked, r -> model.ack(queueOf(o.session()), r));
    Queue queue = sessions.get(o.session());

    if (picked.size() != 1) {
      assertThat(queue.ackBatch(picked)).as("%s", o).isEqualTo(stale);
    } else if (stale.isEmpty()) {
      queue.ack(picked.get(0));
    } else {
      assertThatThrownBy(() -> queue.ack(picked.get(0)))
          .as("%s", o)
          .isInstanceOf(StaleReceiptException.class);
    }
    tallies.get(o.session()).acked += picked.size() - stale.size();
  }

  private void nack(Operation.Nack o) {
    List<Receipt> picked = picked(o.picks());
    Set<Receipt> stale = handBack(o.session(), picked, o.delay());
    Queue queue = sessions.get(o.session());

    if (picked.size() == 1) {
      queue.nack(picked.get(0), o.delay());
    } else {
      assertThat(queue.nackBatch(returns(picked, o.delay()))).as("%s", o).isEqualTo(stale);
    }
    tallies.get(o.session()).nacked += picked.size() - stale.size();
  }

  private void defer(Operation.Defer o) {
    List<Receipt> picked = picked(o.picks());
    Set<Receipt> stale = handBack(o.session(), picked, o.delay());
    Queue queue = sessions.get(o.session());

    if (picked.size() == 1) {
      queue.defer(picked.get(0), o.delay());
    } else {
      assertThat(queue.deferBatch(returns(picked, o.delay()))).as("%s", o).isEqualTo(stale);
    }
    tallies.get(o.session()).deferred += picked.size() - stale.size();
  }

  private Set<Receipt> handBack(int session, List<Receipt> picked, Duration delay) {
    return staleAfter(picked, r -> model.handBack(queueOf(session), r, wholeSeconds(delay), now));
  }

  private static List<Return> returns(List<Receipt> receipts, Duration delay) {
    return receipts.stream().map(receipt -> new Return(receipt, delay)).toList();
  }

  private void reject(Operation.Reject o) {
    List<Receipt> picked = picked(o.picks());
    Set<Receipt> stale =
        staleAfter(picked, r -> model.reject(queueOf(o.session()), r, o.reason(), now));
    Queue queue = sessions.get(o.session());

    if (picked.size() == 1) {
      assertThat(queue.reject(picked.get(0), o.reason())).as("%s", o).isEqualTo(stale.isEmpty());
    } else {
      List<Rejection> rejections =
          picked.stream().map(receipt -> new Rejection(receipt, o.reason())).toList();
      assertThat(queue.rejectBatch(rejections)).as("%s", o).isEqualTo(stale);
    }
    tallies.get(o.session()).rejected += picked.size() - stale.size();
  }

  private void extend(Operation.Extend o) {
    List<Receipt> picked = picked(o.picks());
    long seconds = wholeSeconds(o.duration());
    Set<Receipt> stale =
        staleAfter(picked, r -> model.extend(queueOf(o.session()), r, seconds, now));

    assertThat(sessions.get(o.session()).extendVisibility(picked, o.duration()))
        .as("%s", o)
        .isEqualTo(stale);
  }

  private static long wholeSeconds(Duration duration) {
    return (duration.toMillis() + 999) / 1000;
  }

  private List<Receipt> picked(Collection<Integer> picks) {
    return picks.stream()
        .map(pick -> new Receipt(receipts.get(receipts.size() - 1 - pick % receipts.size())))
        .distinct()
        .toList();
  }

  private Set<Receipt> staleAfter(List<Receipt> picked, Predicate<String> settle) {
    Set<Receipt> stale = new HashSet<>();
    for (Receipt receipt : picked) {
      String real = receipt.value();
      if (!settle.test(modelReceipts.getOrDefault(real, real))) {
        stale.add(receipt);
      }
    }
    return stale;
  }

  private void publish(Operation.Publish o) {
    assertThat(sessions.get(o.session()).insertBatch(o.rows()))
        .as("%s", o)
        .isEqualTo(model.insertBatch(o.rows(), now));
  }

  private void publishUnstorable(Operation.PublishUnstorable o) {
    assertThatThrownBy(() -> sessions.get(o.session()).insertBatch(List.of(o.good(), o.bad())))
        .as("%s", o)
        .isInstanceOf(IllegalArgumentException.class);
  }

  private void foreign(Operation.Foreign o) throws SQLException {
    boolean taken =
        model.rows().stream()
            .anyMatch(r -> r.queue().equals(o.row().queue()) && r.id().equals(o.row().id()));
    if (!taken) {
      LegacyTable.load(arena.own(), List.of(o.row()));
      model.load(List.of(o.row()));
    }
  }

  private void requeue(Operation.Requeue o) {
    LegacyModel.Requeued expected = model.requeue(queueOf(o.session()), o.filter(), now);

    RequeueResult result = sessions.get(o.session()).admin().requeueFailed(o.filter());

    assertThat(result.requeued()).as("%s", o).isEqualTo(expected.requeued());
    assertThat(result.inTheWay())
        .as("%s", o)
        .containsExactlyInAnyOrderElementsOf(expected.inTheWay());
  }

  private void discard(Operation.Discard o) {
    assertThat(sessions.get(o.session()).admin().discardFailed(o.filter()))
        .as("%s", o)
        .isEqualTo(model.discard(queueOf(o.session()), o.filter()));
  }

  private void compareEverything(Operation after) throws SQLException {
    assertThat(LegacyTable.rows(arena.own()).stream().map(this::asTheModelSees))
        .as("the table after %s", after)
        .containsExactlyInAnyOrderElementsOf(model.rows());
    assertQuarantine(after);
    for (int session = 0; session < sessions.size(); session++) {
      Queue queue = sessions.get(session);
      assertThat(queue.metrics())
          .as("metrics of session %d after %s", session, after)
          .isEqualTo(model.metrics(queueOf(session), now));
      assertThat(queue.counters())
          .as("counters of session %d after %s", session, after)
          .isEqualTo(tallies.get(session).counters());
    }
  }

  private LegacyRow asTheModelSees(LegacyRow row) {
    return row.receipt() == null
        ? row
        : row.withReceipt(modelReceipts.getOrDefault(row.receipt(), row.receipt()));
  }

  /** The words for a malformed payload are the backend's own. */
  private void assertQuarantine(Operation after) throws SQLException {
    List<FailedRow> real =
        LegacyTable.failed(arena.own()).stream()
            .map(row -> isMalformed(row.payload()) ? row.withAnyError() : row)
            .toList();
    List<FailedRow> expected =
        model.failed().stream()
            .map(row -> isMalformed(row.payload()) ? row.withAnyError() : row)
            .toList();
    assertThat(real)
        .as("the quarantine after %s", after)
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  @Override
  public void close() {
    sessions.forEach(Queue::close);
  }
}
