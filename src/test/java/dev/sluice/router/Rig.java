package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.Outcome;
import dev.sluice.queue.DispatchMode;
import dev.sluice.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** A router without threads: time and every step of its threads are the test's. */
final class Rig {
  static final Duration VISIBILITY = Duration.ofMinutes(2);
  static final Outcome OK = new Outcome.Delivered();
  static final Outcome DOWN = new Outcome.Unavailable("503", 30);
  static final Outcome REFUSED = new Outcome.Permanent("400 bad", false);
  static final Outcome BUSY = new Outcome.RateLimited(2);

  final ManualTime time = new ManualTime(Instant.parse("2026-11-29T12:00:00Z"));
  final FakeQueue queue = new FakeQueue(time, VISIBILITY);
  final ScriptedMediator target = new ScriptedMediator();
  final Tally tally = new Tally();
  final Steps coreSteps = new Steps();
  final Steps polls = new Steps();
  final Steps statements = new Steps();
  private final RouterOptions options;
  private final List<PoolSettings> pools;
  private final List<Runnable> pollNews = new ArrayList<>();
  private final List<Runnable> statementNews = new ArrayList<>();
  private Executor divert = coreSteps;
  private boolean pollsHeld;
  private boolean statementsHeld;
  private RouterCore core;
  private Lane lane;

  Rig() {
    this(RouterOptions.DEFAULTS);
  }

  Rig(RouterOptions options, PoolSettings... pools) {
    this.options = options;
    this.pools = List.of(pools);
    this.core = newCore();
    this.lane = enter(core);
  }

  /** With so many workers in the default pool. */
  static Rig workers(int concurrency) {
    return new Rig(RouterOptions.DEFAULTS, PoolSettings.of(PoolSettings.DEFAULT_CODE, concurrency));
  }

  private RouterCore newCore() {
    RouterCore made =
        new RouterCore(target, time, options, RouterListener.NONE, tally, this::toCore);
    made.setPools(pools);
    return made;
  }

  private Lane enter(RouterCore made) {
    return made.add(new RoutedQueue(queue, VISIBILITY), polls, statements, statements, () -> {});
  }

  /** Makes the router anew, for a queue that has been changed. */
  Rig rebuilt() {
    core = newCore();
    lane = enter(core);
    return this;
  }

  RouterCore core() {
    return core;
  }

  Lane lane() {
    return lane;
  }

  Rig ordered(String group, String... ids) {
    return with(DispatchMode.NEXT_ON_ERROR, group, ids);
  }

  Rig immediate(String... ids) {
    for (String id : ids) {
      queue.put(id, "g-" + id, DispatchMode.IMMEDIATE);
    }
    return this;
  }

  Rig with(DispatchMode mode, String group, String... ids) {
    for (String id : ids) {
      queue.put(id, group, mode);
    }
    return this;
  }

  /** Messages of no order for a pool. */
  Rig inPool(String pool, String... ids) {
    for (String id : ids) {
      queue.put(id, "g-" + id, DispatchMode.IMMEDIATE, pool);
    }
    return this;
  }

  /** Messages of an ordered group for a pool. */
  Rig orderedInPool(String pool, String group, String... ids) {
    for (String id : ids) {
      queue.put(id, group, DispatchMode.NEXT_ON_ERROR, pool);
    }
    return this;
  }

  /** Other pools from now on, beside the default one. */
  Rig pools(PoolSettings... settings) {
    coreSteps.execute(() -> core.setPools(List.of(settings)));
    return settleDown();
  }

  Rig start() {
    coreSteps.execute(core::start);
    return settleDown();
  }

  Rig stop() {
    coreSteps.execute(core::stop);
    return settleDown();
  }

  Rig wake() {
    coreSteps.execute(core::wake);
    return settleDown();
  }

  /** Answers a call and lets all that follows from it happen, short of what needs time. */
  Rig answer(String id, Outcome outcome) {
    target.answer(id, outcome);
    return settleDown();
  }

  Rig breakDown(String id, Throwable fault) {
    target.breakDown(id, fault);
    return settleDown();
  }

  Rig advance(Duration by) {
    // In small steps, so that what a timer sets off happens before the next one rings.
    Duration step = Duration.ofMillis(100);
    Duration left = by;
    while (!left.isZero()) {
      Duration next = left.compareTo(step) < 0 ? left : step;
      time.advance(next);
      settleDown();
      left = left.minus(next);
    }
    return this;
  }

  /** Lets lingering settlements go. */
  Rig linger() {
    return advance(Settler.LINGER);
  }

  /** From now on polls wait for {@link #runPoll}, or for {@link #releasePolls}. */
  Rig holdPolls() {
    pollsHeld = true;
    return this;
  }

  /** Runs the statement of the poll that waits; the router hears of it at {@link #bringIn}. */
  boolean runPoll() {
    return runApart(polls, pollNews);
  }

  /** The router hears of the poll whose statement ran. */
  Rig bringIn() {
    pollNews.forEach(coreSteps::execute);
    pollNews.clear();
    return settleDown();
  }

  Rig releasePolls() {
    pollsHeld = false;
    return bringIn();
  }

  /** From now on settlements wait for {@link #runStatement}, or for {@link #releaseStatements}. */
  Rig holdStatements() {
    statementsHeld = true;
    return this;
  }

  /** Runs the round that waits; the router hears of it at {@link #tellStatement}. */
  boolean runStatement() {
    return runApart(statements, statementNews);
  }

  /** The router hears of the round that ran. */
  Rig tellStatement() {
    statementNews.forEach(coreSteps::execute);
    statementNews.clear();
    return settleDown();
  }

  Rig releaseStatements() {
    statementsHeld = false;
    return tellStatement();
  }

  private boolean runApart(Steps thread, List<Runnable> news) {
    if (!news.isEmpty()) {
      return false;
    }
    divert = news::add;
    boolean ran = thread.step();
    divert = coreSteps;
    return ran;
  }

  private void toCore(Runnable task) {
    divert.execute(task);
  }

  Rig settleDown() {
    boolean moved = true;
    while (moved) {
      moved = coreSteps.step();
      moved |= !pollsHeld && polls.step();
      moved |= !statementsHeld && statements.step();
    }
    return this;
  }

  /** Each message that the router holds is in one place, and known to the register. */
  Rig checkPlaces() {
    List<String> ids = core.places().stream().map(RouterCore.Placed::id).toList();
    assertThat(ids).doesNotHaveDuplicates().hasSize(core.held());
    return this;
  }

  /** The statements so far, without the polls. */
  List<String> settlements() {
    return queue.log().stream().filter(s -> !s.equals("poll")).toList();
  }

  List<String> calls() {
    return target.calls();
  }
}
