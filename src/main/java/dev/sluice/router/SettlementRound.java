package dev.sluice.router;

import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Rejection;
import dev.sluice.queue.Return;
import dev.sluice.router.Settlement.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One round of settlements against the database: a statement for each kind, one by one where that
 * fails. Runs on the settler's thread and touches nothing of the router's state.
 */
final class SettlementRound {

  /** What came of one settlement. */
  sealed interface Result {
    Settlement settlement();
  }

  /** It is committed. */
  record Committed(Settlement settlement) implements Result {}

  /** Its claim held nothing: lapsed and taken again, or settled by a call whose answer was lost. */
  record Stale(Settlement settlement) implements Result {}

  /**
   * The database did not do it.
   *
   * @param connection whether the connection failed, rather than this settlement or one that has to
   *     come before it
   */
  record Failed(Settlement settlement, boolean connection, String cause) implements Result {}

  private final Queue queue;
  private final List<Result> results = new ArrayList<>();
  private Optional<String> connectionLost = Optional.empty();

  private SettlementRound(Queue queue) {
    this.queue = queue;
  }

  /** Settles all of them and reports on each. Throws nothing. */
  static List<Result> run(Queue queue, List<Settlement> settlements) {
    SettlementRound round = new SettlementRound(queue);
    for (Kind kind : Kind.values()) {
      List<Settlement> ofKind = settlements.stream().filter(s -> s.kind() == kind).toList();
      if (!ofKind.isEmpty()) {
        round.together(kind, ofKind);
      }
    }
    return round.results;
  }

  private void together(Kind kind, List<Settlement> settlements) {
    if (connectionLost.isPresent()) {
      keep(settlements, connectionLost.get());
      return;
    }
    try {
      report(settlements, statement(kind, settlements));
    } catch (Throwable e) {
      if (isConnectionFailure(e)) {
        keep(settlements, describe(e));
      } else if (settlements.size() == 1) {
        results.add(new Failed(settlements.get(0), false, describe(e)));
      } else {
        oneByOne(kind, settlements);
      }
    }
  }

  // A group's messages go back in order or not at all: past one that failed, a later one would be
  // claimable while the earlier is still in flight.
  private void oneByOne(Kind kind, List<Settlement> settlements) {
    Map<OrderedGroup<Held>, Failed> stuck = new HashMap<>();
    for (Settlement settlement : settlements) {
      Optional<OrderedGroup<Held>> group = settlement.message().group();
      Optional<Failed> before = group.map(stuck::get);
      if (before.isPresent()) {
        results.add(new Failed(settlement, before.get().connection(), before.get().cause()));
        continue;
      }
      together(kind, List.of(settlement));
      if (results.get(results.size() - 1) instanceof Failed failed) {
        group.ifPresent(g -> stuck.put(g, failed));
      }
    }
  }

  private Set<Receipt> statement(Kind kind, List<Settlement> settlements) {
    return switch (kind) {
      case ACK -> queue.ackBatch(settlements.stream().map(Settlement::receipt).toList());
      case REJECT ->
          queue.rejectBatch(
              settlements.stream()
                  .map(s -> new Rejection(s.receipt(), s.reason(), s.onlyWhileBlocked()))
                  .toList());
      case NACK -> queue.nackBatch(returns(settlements));
      case DEFER -> queue.deferBatch(returns(settlements));
    };
  }

  private static List<Return> returns(List<Settlement> settlements) {
    return settlements.stream().map(s -> new Return(s.receipt(), s.delay())).toList();
  }

  private void report(List<Settlement> settlements, Set<Receipt> stale) {
    for (Settlement settlement : settlements) {
      results.add(
          stale.contains(settlement.receipt()) ? new Stale(settlement) : new Committed(settlement));
    }
  }

  private void keep(List<Settlement> settlements, String cause) {
    connectionLost = Optional.of(cause);
    settlements.forEach(s -> results.add(new Failed(s, true, cause)));
  }

  private static boolean isConnectionFailure(Throwable e) {
    return e instanceof QueueException failure && failure.isConnectionFailure();
  }

  private static String describe(Throwable e) {
    return e instanceof QueueException ? String.valueOf(e.getMessage()) : e.getClass().getName();
  }
}
