package dev.sluice.router;

import dev.sluice.delivery.Mediator;
import dev.sluice.delivery.Outcome;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import dev.sluice.router.Disposition.HandBack;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The way of a message from its poll to its settlement. Every method runs on the router's thread,
 * which alone owns what is in here; polls, statements and calls run elsewhere and report back.
 *
 * <p>A message is in one place: waiting in its group, in the pool (ready, called, between two
 * calls), or settling. The register knows it from its first claim until its settlement is over.
 */
final class RouterCore {
  private static final Duration AFTER_OUR_OWN_FAULT = Duration.ofSeconds(10);

  /** How long the last statements have once the drain time is over. */
  private static final Duration LAST_CALL = Duration.ofSeconds(5);

  private final Queue queue;
  private final Mediator mediator;
  private final Time time;
  private final RouterOptions options;
  private final Executor core;
  private final Executor polls;
  private final Events events;
  private final Tally tally;
  private final DispositionRule rule;
  private final Feed feed;
  private final Pool pool;
  private final Settler settler;
  private final FromSettler fromSettler = new FromSettler();
  private final ClaimExtender extender;
  private final InFlightRegister register = new InFlightRegister();
  private final Groups groups;
  private final List<Settlement> undecided = new ArrayList<>();
  private final FlushedGroups flushed = new FlushedGroups();
  private final FailureCounts failures = new FailureCounts();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private @Nullable Drain drain;
  private boolean heldNothingWhenPolled;
  private boolean stopping;
  private boolean drainTimeOver;

  /**
   * @param core runs tasks one after the other
   * @param polls runs polls, which block
   * @param statements runs all other statements, which block
   */
  RouterCore(
      Queue queue,
      Mediator mediator,
      Time time,
      RouterOptions options,
      Tally tally,
      Executor core,
      Executor polls,
      Executor statements) {
    this.queue = queue;
    this.mediator = mediator;
    this.time = time;
    this.options = options;
    this.tally = tally;
    this.core = core;
    this.polls = polls;
    this.events = new Events(Router.DEFAULT_POOL, queue.identifier());
    this.rule =
        new DispositionRule(queue.honoursDelayedReturn(), options.on5xx(), options.maxFailures());
    this.feed = new Feed(queue, options, time, core, polls, events, new FromFeed());
    this.pool = new Pool(options.concurrency(), time, core, this::deliver);
    this.groups = new Groups(pool::add, this::giveBackFollowers);
    this.settler = new Settler(queue, time, core, statements, events, fromSettler);
    this.extender =
        new ClaimExtender(
            queue, options.visibility(), time, core, statements, events, register, this::claimLost);
  }

  void start() {
    if (stopping) {
      return;
    }
    events.started(options);
    feed.start();
  }

  void wake() {
    feed.wake();
  }

  /** Completes when nothing is left to do; see {@link Router#drain}. */
  CompletableFuture<Void> drained() {
    return drained;
  }

  /** Completes when nothing is held any more, or the drain time is over. */
  CompletableFuture<Void> stopped() {
    return stopped;
  }

  // --- from the queue to a worker

  private void arrive(Held.Claim claim) {
    Delivery delivery = claim.delivery();
    Optional<Held> known = register.find(delivery.brokerId());
    if (known.isPresent()) {
      known.get().claimedAgain(claim);
      return;
    }
    Optional<OrderedGroup<Held>> group = groups.of(delivery);
    Held message = new Held(claim, group.orElse(null));
    register.add(message);
    if (flushed.covers(message.flushGroup(), time.nanos())) {
      suppress(message);
    } else if (group.isPresent()) {
      group.get().arrive(message, claim.poll());
      if (stopping) {
        group.get().retreat(Duration.ZERO);
      }
    } else if (stopping) {
      settle(Settlement.defer(message, Duration.ZERO), false);
    } else {
      pool.add(message);
    }
    group.ifPresent(this::advance);
  }

  private void advance(OrderedGroup<Held> group) {
    groups.advance(group, feed.lastEnded());
  }

  private void giveBackFollowers(OrderedGroup<Held> group, List<Held> generation, Duration delay) {
    events.followersGoBack(group, generation.size(), delay);
    generation.forEach(m -> settle(Settlement.defer(m, delay), true));
  }

  private void suppress(Held message) {
    tally.suppressed.increment();
    events.suppressed(message);
    settle(Settlement.ack(message), false);
  }

  private void deliver(Held message) {
    if (flushed.covers(message.flushGroup(), time.nanos())) {
      // The pool is in the middle of filling its workers: it hears of this one's end right after.
      core.execute(() -> suppressInsteadOfCall(message));
      return;
    }
    message.called();
    try {
      mediator
          .deliver(message.delivery())
          .whenComplete((outcome, fault) -> core.execute(() -> answered(message, outcome, fault)));
    } catch (Throwable e) {
      core.execute(() -> answered(message, null, e));
    }
  }

  private void suppressInsteadOfCall(Held message) {
    if (pool.finished(message)) {
      tally.suppressed.increment();
      events.suppressed(message);
      conclude(message, Settlement.ack(message));
      carryOn();
    }
  }

  // --- from an answer to a settlement

  private void answered(Held message, @Nullable Outcome outcome, @Nullable Throwable fault) {
    if (!pool.finished(message)) {
      return;
    }
    dispose(message, dispositionOf(message, outcome, fault));
    carryOn();
  }

  private Disposition dispositionOf(
      Held message, @Nullable Outcome outcome, @Nullable Throwable fault) {
    try {
      if (outcome == null) {
        throw fault == null ? new IllegalStateException("no outcome") : fault;
      }
      boolean failed = DispositionRule.isFailure(outcome);
      int count = failed ? failures.failed(message.id()) : failures.of(message.id());
      return rule.decide(outcome, message.calls(), count);
    } catch (Throwable e) {
      events.broke(message, e);
      return new Disposition.RetryInPlace(AFTER_OUR_OWN_FAULT);
    }
  }

  private void dispose(Held message, Disposition disposition) {
    if (disposition instanceof Disposition.RetryInPlace retry) {
      retry(message, retry.delay());
    } else if (disposition instanceof HandBack handBack) {
      handBack(message, handBack);
    } else if (disposition instanceof Disposition.Reject reject) {
      reject(message, reject);
    } else {
      if (disposition instanceof Disposition.AckAndFlush flush) {
        flushed.flush(message.flushGroup(), flush.time(), time.nanos());
        events.flushed(message, flush.time());
      }
      tally.delivered.increment();
      events.delivered(message);
      failures.forget(message.id());
      conclude(message, Settlement.ack(message));
    }
  }

  private void retry(Held message, Duration delay) {
    if (stopping) {
      handBack(message, new Disposition.Defer(DispositionRule.wholeSeconds(delay)));
    } else {
      events.retryWaits(message, delay);
      pool.callAgainAfter(message, delay);
    }
  }

  private void handBack(Held message, HandBack handBack) {
    events.handedBack(message, handBack);
    Duration delay = handBack.delay();
    Settlement settlement =
        handBack instanceof Disposition.Release
            ? Settlement.nack(message, delay)
            : Settlement.defer(message, delay);
    message.group().ifPresent(g -> g.headGoesBack(delay));
    settle(settlement, message.group().isPresent());
  }

  private void reject(Held message, Disposition.Reject reject) {
    events.rejected(message, reject, options.onReject());
    failures.forget(message.id());
    Settlement settlement =
        options.onReject() == RouterOptions.OnReject.DROP
            ? Settlement.ack(message)
            : Settlement.reject(message, reject.reason());
    tally.rejected.increment();
    Optional<OrderedGroup<Held>> group = message.group();
    if (group.isPresent() && message.delivery().message().mode() == DispatchMode.BLOCK_ON_ERROR) {
      group.get().headGoesBack(Duration.ZERO);
      settle(settlement, true);
    } else {
      conclude(message, settlement);
    }
  }

  /** Settles a message for good: its group goes on, or, if it is closing, follows its head. */
  private void conclude(Held message, Settlement settlement) {
    Optional<OrderedGroup<Held>> group = message.group();
    settle(settlement, group.isPresent() && group.get().headDone());
    group.ifPresent(this::advance);
  }

  private void settle(Settlement settlement, boolean owesCommit) {
    settlement.message().settle(owesCommit);
    settler.submit(settlement);
  }

  private final class FromSettler implements Settler.Listener {
    @Override
    public void settled(Settlement settlement, boolean stale) {
      Held message = settlement.message();
      Optional<Held.Claim> again = message.again();
      if (stale && again.isPresent() && message.isSameRow(again.get())) {
        // The claim had lapsed and a poll of ours took it anew: this end is meant for that one.
        message.adoptAgain();
        settler.submit(settlement.withNewestReceipt());
        return;
      }
      if (stale && again.isEmpty() && feed.isUnderWay()) {
        // The poll may bring in the claim that took the place of this one.
        undecided.add(settlement);
        return;
      }
      if (!stale) {
        count(settlement.kind());
      }
      over(message);
      again.ifPresent(RouterCore.this::arrive);
    }

    @Override
    public void leftToLapse(Settlement settlement) {
      Held message = settlement.message();
      if (message.owesCommit()) {
        message.group().orElseThrow().returnIsLeft(claimTime());
      }
      over(message);
    }

    @Override
    public void roundOver() {
      if (queue.hasExclusiveGroups()) {
        feed.wakeSoon();
      }
      carryOn();
    }

    private void count(Settlement.Kind kind) {
      switch (kind) {
        case NACK -> tally.released.increment();
        case DEFER -> tally.deferred.increment();
        // Counted when the target had answered.
        case ACK, REJECT -> {}
      }
    }
  }

  private void over(Held message) {
    register.remove(message);
    if (message.owesCommit()) {
      OrderedGroup<Held> group = message.group().orElseThrow();
      group.committed(feed.lastBegun());
      advance(group);
    }
  }

  /** A claim that lapsed and that nobody will settle for us any more. */
  private void claimLost(Held message) {
    if (message.isSettling() || register.find(message.id()).orElse(null) != message) {
      return;
    }
    events.claimLost(message);
    if (pool.isDelivering(message)) {
      // Whoever has it now may deliver it a second time; calling it back is not in our power.
      return;
    }
    pool.forget(message);
    register.remove(message);
    message
        .group()
        .ifPresent(
            group -> {
              group.lose(message);
              advance(group);
            });
    carryOn();
  }

  // --- what every event ends with

  private void carryOn() {
    pool.startDeliveries();
    feed.pollIfRoom();
    if (register.isEmpty()) {
      lookAtDrain();
    }
    stopIfDone();
  }

  private final class FromFeed implements Feed.Taker {
    @Override
    public int room() {
      // Messages between two calls count, or a target that refuses everything would fill the heap;
      // so do settlements that the database does not take.
      int waiting = register.size() - pool.delivering().size() - settler.backlog();
      int unsettled = Math.max(0, settler.backlog() - options.capacity());
      return options.capacity() - waiting - unsettled;
    }

    @Override
    public void beginning(Feed.Poll poll) {
      heldNothingWhenPolled = register.isEmpty();
    }

    @Override
    public void polled(Feed.Poll poll, PollResult result) {
      tally.polled.add(result.taken() - result.leftOut());
      if (drain != null && result.taken() > 0) {
        drain.someTaken();
      }
      if (result.quarantined() > 0) {
        tally.rejected.add(result.quarantined());
        events.quarantinedMalformed(result.quarantined());
      }
      long lapsesAt = poll.beganAt() + ClaimExtender.holdsFor(options.visibility()).toNanos();
      for (Delivery delivery : result.deliveries()) {
        arrive(new Held.Claim(delivery, poll.number(), lapsesAt));
      }
      decideWhatIsUndecided();
      groups.routed(poll.number());
      extender.watch();
      pool.startDeliveries();
      stopIfDone();
    }

    @Override
    public void idle(Feed.Poll poll, PollResult result) {
      if (register.isEmpty() && drain != null) {
        if (heldNothingWhenPolled) {
          drain.nothingLeft(result.inDoubt());
        } else {
          feed.wake();
        }
      }
    }

    @Override
    public void keepsFailing(Throwable cause) {
      // A router goes on: somebody may mend it. A drain is to end.
      if (drain != null) {
        drained.completeExceptionally(cause);
      }
    }

    @Override
    public void closed() {
      stop();
    }
  }

  private void decideWhatIsUndecided() {
    List<Settlement> stale = List.copyOf(undecided);
    undecided.clear();
    stale.forEach(s -> fromSettler.settled(s, true));
  }

  // --- the end of a drain

  /** Ends when a poll that began with nothing held finds nothing. */
  void drain(Duration wait) {
    drain = new Drain(queue, wait, time, core, polls, this::pollAnew, drained);
    pollAnew();
  }

  private void pollAnew() {
    heldNothingWhenPolled = false;
    feed.wake();
  }

  private void lookAtDrain() {
    if (drain != null && !heldNothingWhenPolled) {
      feed.wake();
    }
  }

  // --- shutdown

  /** Begins to stop; a second call changes nothing. */
  void stop() {
    if (stopping) {
      return;
    }
    stopping = true;
    events.stopping(pool.delivering().size());
    feed.stop();
    for (Pool.Wait wait : pool.takeWaiting()) {
      Duration left = Duration.ofNanos(Math.max(0, wait.dueAt() - time.nanos()));
      giveBack(wait.message(), DispositionRule.wholeSeconds(left));
    }
    pool.takeReady().forEach(m -> giveBack(m, Duration.ZERO));
    for (OrderedGroup<Held> group : groups.all()) {
      group.retreat(Duration.ZERO);
      advance(group);
    }
    settler.hurry();
    Time.Timer unused =
        time.after(options.drainTime(), () -> core.execute(this::leaveWhatIsBeingDelivered));
    stopIfDone();
  }

  private void giveBack(Held message, Duration delay) {
    Optional<OrderedGroup<Held>> group = message.group();
    if (group.isPresent()) {
      group.get().retreatWithHead(delay);
    } else {
      settle(Settlement.defer(message, delay), false);
    }
  }

  private void leaveWhatIsBeingDelivered() {
    if (stopped.isDone()) {
      return;
    }
    drainTimeOver = true;
    List<Held> left = pool.takeDelivering();
    events.drainTimeOver(left.size());
    for (Held message : left) {
      register.remove(message);
      message
          .group()
          .ifPresent(
              group -> {
                group.headIsLeft(claimTime());
                advance(group);
              });
    }
    settler.lastCall();
    Time.Timer unused = time.after(LAST_CALL, () -> core.execute(this::end));
    stopIfDone();
  }

  private void stopIfDone() {
    if (stopping
        && settler.isIdle()
        && (drainTimeOver || (register.isEmpty() && !feed.isUnderWay()))) {
      end();
    }
  }

  private void end() {
    if (!stopped.isDone()) {
      events.stopped();
      stopped.complete(null);
    }
  }

  /** No claim of ours lapses later than in this time. */
  private Duration claimTime() {
    return DispositionRule.wholeSeconds(options.visibility());
  }

  // --- for tests

  /**
   * A message and where it is.
   *
   * @param id its key in the table
   */
  record Placed(String id, Place place) {}

  /** Looks into each place in turn; a message that were in two would be listed twice. */
  List<Placed> places() {
    List<Placed> all = new ArrayList<>();
    pool.ready().forEach(m -> all.add(new Placed(m.id(), Place.BUFFER)));
    groups.all().stream()
        .flatMap(g -> g.waiting().stream())
        .forEach(m -> all.add(new Placed(m.id(), Place.BUFFER)));
    pool.delivering().forEach(m -> all.add(new Placed(m.id(), Place.WORKER)));
    pool.waiting().forEach(m -> all.add(new Placed(m.id(), Place.BACKOFF)));
    undecided.forEach(s -> all.add(new Placed(s.message().id(), Place.SETTLING)));
    settler.each(m -> all.add(new Placed(m.id(), Place.SETTLING)));
    return all;
  }

  /** How many messages the register knows. */
  int held() {
    return register.size();
  }

  /** How many groups are remembered. */
  int rememberedGroups() {
    return groups.all().size();
  }
}
