package dev.sluice.router;

import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Rejection;
import dev.sluice.router.Disposition.HandBack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How the messages of one queue end: what is decided, what that means for their groups, and what
 * came of it in the database. Owned by the router's thread.
 */
final class Ends implements Settler.Listener {
  private final Lane lane;
  private final Shared shared;
  private final List<Settlement> undecided = new ArrayList<>();

  Ends(Lane lane, Shared shared) {
    this.lane = lane;
    this.shared = shared;
  }

  // --- decided

  void dispose(Held message, Disposition disposition) {
    if (disposition instanceof Disposition.RetryInPlace retry) {
      retry(message, retry.delay());
    } else if (disposition instanceof HandBack handBack) {
      handBack(message, handBack);
    } else if (disposition instanceof Disposition.Reject reject) {
      reject(message, reject);
    } else {
      if (disposition instanceof Disposition.AckAndFlush flush) {
        lane.flush(message, flush.time());
      }
      shared.tally().delivered.increment();
      shared.listener().processed(message.pool().code(), true);
      lane.events().delivered(message);
      lane.failures().forget(message.id());
      conclude(message, Settlement.ack(message));
    }
  }

  private void retry(Held message, Duration delay) {
    if (lane.isStopping()) {
      handBack(message, new Disposition.Defer(DispositionRule.wholeSeconds(delay)));
    } else {
      lane.events().retryWaits(message, delay);
      message.pool().callAgainAfter(message, delay);
    }
  }

  private void handBack(Held message, HandBack handBack) {
    lane.events().handedBack(message, handBack);
    Duration delay = handBack.delay();
    Settlement settlement;
    if (handBack instanceof Disposition.Release) {
      shared.listener().processed(message.pool().code(), false);
      settlement = Settlement.nack(message, delay);
    } else {
      settlement = Settlement.defer(message, delay);
    }
    message.group().ifPresent(g -> g.headGoesBack(delay));
    settle(settlement, message.group().isPresent());
  }

  private void reject(Held message, Disposition.Reject reject) {
    Optional<OrderedGroup<Held>> group =
        message
            .group()
            .filter(g -> message.delivery().message().mode() == DispatchMode.BLOCK_ON_ERROR);
    boolean blocks =
        group.isPresent() && shared.options().onBlock() == RouterOptions.OnBlock.QUARANTINE;
    boolean drops = !blocks && shared.options().onReject() == RouterOptions.OnReject.DROP;
    lane.events().rejected(message, reject, drops, blocks);
    lane.failures().forget(message.id());
    shared.tally().rejected.increment();
    shared.listener().processed(message.pool().code(), false);
    if (blocks) {
      block(message, group.get(), reject.reason());
      return;
    }
    Settlement settlement =
        drops ? Settlement.ack(message) : Settlement.reject(message, reject.reason());
    List<Held> acked = group.map(OrderedGroup::takeUntried).orElse(List.of());
    conclude(message, settlement);
    acked.forEach(this::suppress);
  }

  /** Its group stops, in this process at once, and everywhere once it is in quarantine. */
  private void block(Held message, OrderedGroup<Held> group, String reason) {
    group.headBlocks();
    settle(Settlement.reject(message, Rejection.BLOCKED + reason), true);
    for (OrderedGroup<Held> other : lane.groups().inOtherPools(group)) {
      other.block();
      lane.advance(other);
    }
  }

  /** Acks a message without a call. */
  void suppress(Held message) {
    shared.tally().suppressed.increment();
    shared.listener().suppressed(message.pool().code());
    lane.events().suppressed(message);
    settle(Settlement.ack(message), false);
  }

  /** As {@link #suppress}, of a message whose turn it is. */
  void suppressHead(Held message) {
    shared.tally().suppressed.increment();
    shared.listener().suppressed(message.pool().code());
    lane.events().suppressed(message);
    conclude(message, Settlement.ack(message));
  }

  /** Settles a message for good: its group goes on, or, if it is closing, follows its head. */
  private void conclude(Held message, Settlement settlement) {
    Optional<OrderedGroup<Held>> group = message.group();
    settle(settlement, group.isPresent() && group.get().headDone());
    group.ifPresent(lane::advance);
  }

  /** A generation of a group follows what went before it: back, or into quarantine. */
  void followersGoBack(OrderedGroup<Held> group, List<Held> generation, Duration delay) {
    lane.events().followersGoBack(group, generation.size(), delay);
    for (Held message : generation) {
      settle(
          group.isBlocked() ? Settlement.rejectBehind(message) : Settlement.defer(message, delay),
          true);
    }
  }

  /** Settles a message that came in and finds no place here. */
  void leaveAtOnce(Settlement settlement) {
    Held message = settlement.message();
    message.leaveAtOnce();
    message.group().ifPresent(OrderedGroup::tailLeaves);
    settle(settlement, message.group().isPresent());
  }

  /**
   * Hands a settlement to the database.
   *
   * @param owesCommit whether its group waits until that is done
   */
  void settle(Settlement settlement, boolean owesCommit) {
    settlement.message().settle(owesCommit);
    lane.leavePool(settlement.message());
    lane.settler().submit(settlement);
  }

  // --- done

  @Override
  public void settled(Settlement settlement, boolean stale) {
    Held message = settlement.message();
    Optional<Held.Claim> again = message.again();
    if (stale && again.isPresent() && message.isSameRow(again.get())) {
      // The claim had lapsed and a poll of ours took it anew: this end is meant for that one.
      message.adoptAgain();
      lane.settler().submit(settlement.withNewestReceipt());
      return;
    }
    if (stale && again.isEmpty() && lane.isPolling()) {
      // The poll may bring in the claim that took the place of this one.
      undecided.add(settlement);
      return;
    }
    if (!stale) {
      count(settlement.kind());
    }
    over(message);
    again.ifPresent(lane::arriveAgain);
  }

  @Override
  public void leftToLapse(Settlement settlement) {
    Held message = settlement.message();
    if (message.owesCommit()) {
      OrderedGroup<Held> group = message.group().orElseThrow();
      if (message.leavesAtOnce()) {
        group.tailIsLeft();
      } else {
        group.returnIsLeft(lane.claimTime());
      }
    }
    over(message);
  }

  @Override
  public void roundOver() {
    lane.roundOver();
    shared.carryOn().run();
  }

  private void count(Settlement.Kind kind) {
    switch (kind) {
      case NACK -> shared.tally().released.increment();
      case DEFER -> shared.tally().deferred.increment();
      // Counted when the target had answered.
      case ACK, REJECT -> {}
    }
    shared.listener().settled(lane.name(), kind.end());
  }

  private void over(Held message) {
    lane.register().remove(message);
    if (message.owesCommit()) {
      OrderedGroup<Held> group = message.group().orElseThrow();
      if (message.leavesAtOnce()) {
        group.tailCommitted(lane.lastPollBegun());
      } else {
        group.committed(lane.lastPollBegun());
      }
      lane.advance(group);
    }
  }

  void decideWhatIsUndecided() {
    List<Settlement> stale = List.copyOf(undecided);
    undecided.clear();
    stale.forEach(s -> settled(s, true));
  }

  List<Settlement> undecided() {
    return undecided;
  }
}
