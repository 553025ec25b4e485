package dev.sluice.router;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.PollResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What comes in from one queue: each message to its pool and its group, or, where it finds no
 * place, back at once. Owned by the router's thread.
 */
final class Arrivals implements Feed.Taker {
  /** For how long a queue is taken to feed a pool after its last message for it. */
  private static final long FEEDS_NANOS = Duration.ofMinutes(5).toNanos();

  private final Lane lane;
  private final Shared shared;
  private final Map<Pool, Long> lastFed = new HashMap<>();
  private final Map<Pool, Integer> expected = new HashMap<>();
  private final Map<String, Integer> turnedAway = new HashMap<>();
  private boolean heldNothingWhenPolled;
  private int admitted;

  Arrivals(Lane lane, Shared shared) {
    this.lane = lane;
    this.shared = shared;
  }

  // --- room

  @Override
  public int room() {
    return Math.max(0, (feedsAreKnown() ? roomIn(fed()) : leastRoom()) - surplus());
  }

  private boolean feedsAreKnown() {
    return !lastFed.isEmpty();
  }

  /** What may come in may all be for one pool. */
  private int leastRoom() {
    return shared.pools().open().stream()
        .mapToInt(Pool::room)
        .filter(room -> room > 0)
        .min()
        .orElse(0);
  }

  @Override
  public boolean hasMuchRoom() {
    int batch = shared.options().batch();
    return fed().stream()
        .anyMatch(pool -> pool.room() >= Math.min(batch, pool.settings().capacity() / 4));
  }

  @Override
  public int roomElsewhere() {
    Collection<Pool> fed = fed();
    return roomIn(shared.pools().open().stream().filter(pool -> !fed.contains(pool)).toList())
        - surplus();
  }

  private static int roomIn(Collection<Pool> pools) {
    return pools.stream().mapToInt(pool -> Math.max(0, pool.room())).sum();
  }

  /** What the queue has lately had messages for; all pools, as long as that is not known. */
  private Collection<Pool> fed() {
    long now = shared.time().nanos();
    lastFed.values().removeIf(last -> now - last > FEEDS_NANOS);
    lastFed.keySet().retainAll(shared.pools().open());
    return lastFed.isEmpty() ? shared.pools().open() : lastFed.keySet();
  }

  /** What the database does not take back must not fill the heap. */
  private int surplus() {
    int capacity = fed().stream().mapToInt(pool -> pool.settings().capacity()).sum();
    return Math.max(0, lane.register().size() - admitted - capacity);
  }

  /** A message of the lane gives up its place in its pool. */
  void leavePool(Held message) {
    if (message.leavePool()) {
      admitted--;
    }
  }

  // --- polls

  @Override
  public void beginning(Feed.Poll poll, int max) {
    heldNothingWhenPolled = lane.register().isEmpty();
    for (Pool pool : fed()) {
      int share = Math.min(max, Math.max(0, pool.room()));
      pool.expect(share);
      expected.put(pool, share);
    }
  }

  @Override
  public void polled(Feed.Poll poll, PollResult result, Set<String> blocked) {
    expected.forEach((pool, share) -> pool.expect(-share));
    expected.clear();
    lane.count(result);
    long lapsesAt = poll.beganAt() + ClaimExtender.holdsFor(lane.visibility()).toNanos();
    for (Delivery delivery : result.deliveries()) {
      arrive(new Held.Claim(delivery, poll.number(), lapsesAt), blocked);
    }
    turnedAway.forEach(lane.events()::poolFull);
    turnedAway.clear();
    lane.ends().decideWhatIsUndecided();
    lane.groups().routed(poll.number());
    lane.watchClaims();
    shared.pools().startDeliveries();
    lane.stopIfDone();
  }

  @Override
  public void pollInTurn() {
    shared.pollInTurn().run();
  }

  @Override
  public void mayHaveMore() {
    shared.carryOn().run();
  }

  @Override
  public void idle(Feed.Poll poll, PollResult result) {
    if (lane.register().isEmpty()) {
      lane.nothingCameIn(heldNothingWhenPolled, result.inDoubt());
    }
  }

  /** Looks once more before the lane counts as empty. */
  void pollAnew() {
    heldNothingWhenPolled = false;
    lane.wake();
  }

  /** Whether the last poll began while something was held, so that it says little of the queue. */
  boolean heldSomethingWhenPolled() {
    return !heldNothingWhenPolled;
  }

  @Override
  public void keepsFailing(Throwable cause) {
    lane.pollsKeepFailing(cause);
  }

  @Override
  public void closed() {
    lane.stop();
  }

  // --- one message

  /** A claim that came in while the message was being settled. */
  void arriveAgain(Held.Claim claim) {
    arrive(claim, Set.of());
  }

  private void arrive(Held.Claim claim, Set<String> blocked) {
    Delivery delivery = claim.delivery();
    Optional<Held> known = lane.register().find(delivery.brokerId());
    if (known.isPresent()) {
      known.get().claimedAgain(claim);
      return;
    }
    Pool pool = poolOf(delivery);
    Optional<OrderedGroup<Held>> group = lane.groups().of(delivery, pool);
    Held message = new Held(claim, lane, pool, group.orElse(null));
    lane.register().add(message);
    if (lane.isFlushed(message)) {
      lane.ends().suppress(message);
    } else if (group.isPresent()) {
      arrive(message, group.get(), claim.poll(), blocked);
    } else if (lane.isStopping()) {
      lane.ends().settle(Settlement.defer(message, Duration.ZERO), false);
    } else if (pool.hasRoom()) {
      admit(message);
      pool.add(message);
    } else {
      turnAway(message);
    }
    group.ifPresent(lane::advance);
  }

  private Pool poolOf(Delivery delivery) {
    String code = delivery.message().poolCode();
    if (shared.pools().isNewlyUnknown(code)) {
      lane.events().unknownPool(code);
    }
    Pool pool = shared.pools().of(code);
    lastFed.put(pool, shared.time().nanos());
    return pool;
  }

  private void arrive(Held message, OrderedGroup<Held> group, long poll, Set<String> blocked) {
    if (group.isClosedTo(poll)) {
      group.arrive(message, poll);
    } else if (blocked.contains(message.delivery().claimGroup())) {
      lane.ends().leaveAtOnce(Settlement.rejectBehind(message));
    } else if (lane.isStopping()) {
      group.arrive(message, poll);
      group.retreat(Duration.ZERO);
    } else if (lane.groups().isHeldBackElsewhere(group)) {
      lane.ends().leaveAtOnce(Settlement.defer(message, OrderedGroup.LEAST_DELAY_BEHIND));
    } else if (group.followsTail(poll) || !message.pool().hasRoom()) {
      turnAway(message);
    } else {
      admit(message);
      group.arrive(message, poll);
    }
  }

  private void turnAway(Held message) {
    turnedAway.merge(message.pool().code(), 1, Integer::sum);
    lane.ends().leaveAtOnce(Settlement.defer(message, lane.reserve(message.pool())));
  }

  private void admit(Held message) {
    message.admit();
    admitted++;
  }

  /**
   * The pools are about to change: ordered groups whose messages will go elsewhere keep their order
   * over it.
   */
  void poolsChange(Set<String> codes) {
    List<OrderedGroup<Held>> moving = new ArrayList<>();
    for (OrderedGroup<Held> group : lane.groups().all()) {
      if (codes.contains(group.pool()) || group.pool().equals(PoolSettings.DEFAULT_CODE)) {
        moving.add(group);
      }
    }
    moving.forEach(lane.groups()::move);
  }
}
