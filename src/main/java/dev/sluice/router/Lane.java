package dev.sluice.router;

import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import dev.sluice.router.RouterStatus.FlushedGroup;
import dev.sluice.router.RouterStatus.QueueStatus;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One queue's way through the router: the life of its parts, and what they share. Every method runs
 * on the router's thread; polls and statements run elsewhere and report back.
 *
 * <p>A message is in one place: waiting in its group, in a pool (ready, called, between two calls),
 * or settling. The register knows it from its first claim until its settlement is over.
 */
final class Lane {
  /** How long the last statements have once the drain time is over. */
  private static final Duration LAST_CALL = Duration.ofSeconds(5);

  private final Queue queue;
  private final Duration visibility;
  private final Shared shared;
  private final Executor polls;
  private final Events events;
  private final InFlightRegister register = new InFlightRegister();
  private final FlushedGroups flushed = new FlushedGroups();
  private final FailureCounts failures = new FailureCounts();
  private final Arrivals arrivals;
  private final Calls calls;
  private final Ends ends;
  private final Groups groups;
  private final Feed feed;
  private final Settler settler;
  private final ClaimExtender extender;
  private final Consumer<Lane> whenStopped;
  private @Nullable Drain drain;
  private long lastReturn;
  private boolean stopping;
  private boolean drainTimeOver;
  private boolean ended;

  /**
   * @param polls runs polls, which block
   * @param statements runs settlements, which block
   * @param extensions runs extensions of claims, which block
   * @param whenStopped hears when nothing is held any more, or the drain time is over
   */
  Lane(
      RoutedQueue routed,
      Shared shared,
      Executor polls,
      Executor statements,
      Executor extensions,
      Consumer<Lane> whenStopped) {
    this.queue = routed.queue();
    this.visibility = routed.visibility();
    this.shared = shared;
    this.polls = polls;
    this.whenStopped = whenStopped;
    this.lastReturn = shared.time().nanos();
    RouterOptions options = shared.options();
    Time time = shared.time();
    Executor core = shared.core();
    this.events = new Events(queue.identifier());
    this.arrivals = new Arrivals(this, shared);
    this.ends = new Ends(this, shared);
    this.calls =
        new Calls(
            this,
            shared,
            new DispositionRule(
                queue.honoursDelayedReturn(), options.on5xx(), options.maxFailures()));
    this.groups = new Groups(message -> message.pool().add(message), ends::followersGoBack);
    this.feed = new Feed(queue, options, time, core, polls, events, arrivals);
    this.settler = new Settler(queue, time, core, statements, events, ends);
    this.extender =
        new ClaimExtender(
            queue, visibility, time, core, extensions, events, register, this::claimLost);
  }

  // --- what its parts ask of each other

  boolean isOf(Queue other) {
    return queue == other;
  }

  String name() {
    return queue.identifier();
  }

  Duration visibility() {
    return visibility;
  }

  Events events() {
    return events;
  }

  InFlightRegister register() {
    return register;
  }

  FailureCounts failures() {
    return failures;
  }

  Groups groups() {
    return groups;
  }

  Ends ends() {
    return ends;
  }

  Settler settler() {
    return settler;
  }

  boolean isStopping() {
    return stopping;
  }

  boolean isPolling() {
    return feed.isUnderWay();
  }

  long lastPollBegun() {
    return feed.lastBegun();
  }

  void deliver(Held message) {
    calls.deliver(message);
  }

  void arriveAgain(Held.Claim claim) {
    arrivals.arriveAgain(claim);
  }

  void leavePool(Held message) {
    arrivals.leavePool(message);
  }

  void advance(OrderedGroup<Held> group) {
    groups.advance(group, feed.lastEnded());
  }

  void watchClaims() {
    extender.watch();
  }

  boolean isFlushed(Held message) {
    return flushed.covers(message.flushGroup(), shared.time().nanos());
  }

  void flush(Held message, Duration time) {
    flushed.flush(message.flushGroup(), time, shared.time().nanos());
    events.flushed(message, time);
  }

  /** In how long a message may come back that finds no room in its pool. */
  Duration reserve(Pool pool) {
    Duration delay = DispositionRule.wholeSeconds(pool.reserve());
    long back = shared.time().nanos() + delay.toNanos();
    if (back - lastReturn > 0) {
      lastReturn = back;
    }
    return delay;
  }

  void count(PollResult result) {
    shared.tally().polled.add(result.taken() - result.leftOut());
    if (!result.deliveries().isEmpty()) {
      shared.listener().received(name(), result.deliveries().size());
    }
    if (drain != null && result.taken() > 0) {
      drain.someTaken();
    }
    if (result.quarantined() > 0) {
      shared.tally().rejected.add(result.quarantined());
      for (int i = 0; i < result.quarantined(); i++) {
        shared.listener().settled(name(), RouterListener.End.REJECTED);
      }
      events.quarantinedMalformed(result.quarantined());
    }
  }

  /** No claim of ours lapses later than in this time. */
  Duration claimTime() {
    return DispositionRule.wholeSeconds(visibility);
  }

  /** A round of settlements is over. */
  void roundOver() {
    if (queue.hasExclusiveGroups()) {
      feed.wakeSoon();
    }
  }

  /** A claim that lapsed and that nobody will settle for us any more. */
  private void claimLost(Held message) {
    if (message.isSettling() || register.find(message.id()).orElse(null) != message) {
      return;
    }
    events.claimLost(message);
    if (message.pool().isDelivering(message)) {
      // Whoever has it now may deliver it a second time; calling it back is not in our power.
      return;
    }
    message.pool().forget(message);
    arrivals.leavePool(message);
    register.remove(message);
    message
        .group()
        .ifPresent(
            group -> {
              group.lose(message);
              advance(group);
            });
    shared.carryOn().run();
  }

  // --- life

  void start() {
    if (!stopping) {
      events.started();
      feed.start();
    }
  }

  void wake() {
    feed.wake();
  }

  boolean awaitsRoom() {
    return feed.awaitsRoom();
  }

  long lastPolledAt() {
    return feed.lastPolledAt();
  }

  void pollNow() {
    feed.pollNow();
  }

  /** What every event ends with. */
  void carryOn() {
    feed.pollIfRoom();
    if (register.isEmpty() && drain != null && arrivals.heldSomethingWhenPolled()) {
      feed.wake();
    }
    stopIfDone();
  }

  /**
   * Looks for the end of the queue: a poll that began with nothing held and finds nothing.
   *
   * @param drained completes then; see {@link Router#drain}
   */
  void drain(Duration wait, CompletableFuture<Void> drained) {
    drain =
        new Drain(
            queue,
            wait,
            shared.time(),
            shared.core(),
            polls,
            this::untilLastReturn,
            arrivals::pollAnew,
            drained);
    arrivals.pollAnew();
  }

  private Duration untilLastReturn() {
    return Duration.ofNanos(Math.max(0, lastReturn - shared.time().nanos()));
  }

  void nothingCameIn(boolean heldNothingWhenPolled, boolean inDoubt) {
    if (drain == null) {
      return;
    }
    if (heldNothingWhenPolled) {
      drain.nothingLeft(inDoubt);
    } else {
      feed.wake();
    }
  }

  /** A router goes on: somebody may mend it. A drain is to end. */
  void pollsKeepFailing(Throwable cause) {
    if (drain != null) {
      drain.fails(cause);
    }
  }

  /** Begins to stop; a second call changes nothing. */
  void stop() {
    if (stopping) {
      return;
    }
    stopping = true;
    events.stopping(delivering());
    feed.stop();
    List<Pool> pools = shared.pools().all();
    for (Pool pool : pools) {
      for (Pool.Wait wait : pool.takeWaiting(this)) {
        Duration left = Duration.ofNanos(Math.max(0, wait.dueAt() - shared.time().nanos()));
        giveBack(wait.message(), DispositionRule.wholeSeconds(left));
      }
      pool.takeReady(this).forEach(m -> giveBack(m, Duration.ZERO));
    }
    for (OrderedGroup<Held> group : groups.all()) {
      group.retreat(Duration.ZERO);
      advance(group);
    }
    settler.hurry();
    Time.Timer unused =
        shared
            .time()
            .after(
                shared.options().drainTime(),
                () -> shared.core().execute(this::leaveWhatIsBeingDelivered));
    stopIfDone();
  }

  private void giveBack(Held message, Duration delay) {
    if (message.group().isPresent()) {
      message.group().get().retreatWithHead(delay);
    } else {
      ends.settle(Settlement.defer(message, delay), false);
    }
  }

  private void leaveWhatIsBeingDelivered() {
    if (ended) {
      return;
    }
    drainTimeOver = true;
    int left = 0;
    for (Pool pool : shared.pools().all()) {
      for (Held message : pool.takeDelivering(this)) {
        left++;
        leave(message);
      }
    }
    events.drainTimeOver(left);
    settler.lastCall();
    Time.Timer unused = shared.time().after(LAST_CALL, () -> shared.core().execute(this::end));
    stopIfDone();
  }

  private void leave(Held message) {
    register.remove(message);
    arrivals.leavePool(message);
    if (message.group().isPresent()) {
      OrderedGroup<Held> group = message.group().get();
      group.headIsLeft(claimTime());
      advance(group);
    }
  }

  void stopIfDone() {
    if (stopping
        && settler.isIdle()
        && (drainTimeOver || (register.isEmpty() && !feed.isUnderWay()))) {
      end();
    }
  }

  private void end() {
    if (!ended) {
      ended = true;
      events.stopped();
      whenStopped.accept(this);
    }
  }

  /** The pools with these codes come or go. */
  void poolsChange(Set<String> codes) {
    arrivals.poolsChange(codes);
  }

  // --- what others see

  QueueStatus status() {
    List<FlushedGroup> groupsFlushed = flushed.list(shared.time().nanos());
    return new QueueStatus(
        name(),
        feed.succeeds(),
        settler.backlog(),
        settler.reachesDatabase(),
        register.size(),
        groupsFlushed);
  }

  private long delivering() {
    return shared.pools().all().stream()
        .flatMap(pool -> pool.delivering().stream())
        .filter(message -> message.lane() == this)
        .count();
  }

  /** Tells of each message that is neither in a pool nor known to nobody. */
  void eachOutsidePools(BiConsumer<Held, Place> visitor) {
    groups.all().stream()
        .flatMap(g -> g.waiting().stream())
        .forEach(m -> visitor.accept(m, Place.BUFFER));
    ends.undecided().forEach(s -> visitor.accept(s.message(), Place.SETTLING));
    settler.each(m -> visitor.accept(m, Place.SETTLING));
  }
}
