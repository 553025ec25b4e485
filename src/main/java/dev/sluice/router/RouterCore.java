package dev.sluice.router;

import dev.sluice.delivery.Mediator;
import dev.sluice.queue.Queue;
import dev.sluice.router.RouterStatus.PoolStatus;
import dev.sluice.time.Time;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The lanes of all queues and the pools that they share. Every method runs on the router's thread,
 * which alone owns what is in here; polls, statements and calls run elsewhere and report back.
 */
final class RouterCore {
  private final Shared shared;
  private final List<Lane> lanes = new ArrayList<>();
  private final CompletableFuture<Void> stopped = new CompletableFuture<>();
  private int nextToPoll;
  private boolean started;
  private boolean stopping;

  /**
   * @param core runs tasks one after the other
   */
  RouterCore(
      Mediator mediator,
      Time time,
      RouterOptions options,
      RouterListener listener,
      Tally tally,
      Executor core) {
    Pools pools = new Pools(options.maxDeferral(), time, core, listener);
    this.shared =
        new Shared(
            mediator, time, options, core, pools, tally, listener, this::carryOn, this::pollInTurn);
  }

  /** Makes these the pools; see {@link Pools#set}. */
  void setPools(List<PoolSettings> settings) {
    Set<String> before = codes();
    shared.pools().set(settings);
    Set<String> changed = new HashSet<>(before);
    changed.removeAll(codes());
    Set<String> added = codes();
    added.removeAll(before);
    changed.addAll(added);
    if (!changed.isEmpty()) {
      lanes.forEach(lane -> lane.poolsChange(changed));
    }
    carryOn();
  }

  private Set<String> codes() {
    Set<String> codes = new HashSet<>();
    shared.pools().open().forEach(pool -> codes.add(pool.code()));
    return codes;
  }

  /**
   * Takes messages from one more queue.
   *
   * @param polls runs polls, which block
   * @param statements runs settlements, which block
   * @param extensions runs extensions of claims, which block; never behind a settlement that hangs
   * @param end runs when nothing of the queue is held any more after {@link Lane#stop}
   */
  Lane add(
      RoutedQueue queue, Executor polls, Executor statements, Executor extensions, Runnable end) {
    Lane lane =
        new Lane(
            queue,
            shared,
            polls,
            statements,
            extensions,
            stoppedLane -> {
              left(stoppedLane);
              end.run();
            });
    lanes.add(lane);
    if (stopping) {
      lane.stop();
    } else if (started) {
      lane.start();
    }
    return lane;
  }

  private void left(Lane lane) {
    lanes.remove(lane);
    if (stopping && lanes.isEmpty()) {
      stopped.complete(null);
    }
  }

  Optional<Lane> find(Queue queue) {
    return lanes.stream().filter(lane -> lane.isOf(queue)).findFirst();
  }

  void start() {
    if (!stopping && !started) {
      started = true;
      List.copyOf(lanes).forEach(Lane::start);
    }
  }

  void wake() {
    lanes.forEach(Lane::wake);
  }

  /** What every event ends with: workers are filled, and queues polled, each in its turn. */
  private void carryOn() {
    shared.pools().startDeliveries();
    List<Lane> all = List.copyOf(lanes);
    int first = nextToPoll;
    for (int i = 0; i < all.size(); i++) {
      int turn = (first + i) % all.size();
      Lane lane = all.get(turn);
      long before = lane.lastPollBegun();
      lane.carryOn();
      if (lane.lastPollBegun() != before) {
        nextToPoll = turn + 1;
      }
    }
  }

  private void pollInTurn() {
    long now = shared.time().nanos();
    lanes.stream()
        .filter(Lane::awaitsRoom)
        .max(Comparator.comparingLong(lane -> now - lane.lastPolledAt()))
        .ifPresent(Lane::pollNow);
  }

  /** Completes when all lanes have stopped after {@link #stop}. */
  CompletableFuture<Void> stopped() {
    return stopped;
  }

  /** Begins to stop; a second call changes nothing. */
  void stop() {
    if (stopping) {
      return;
    }
    stopping = true;
    List.copyOf(lanes).forEach(Lane::stop);
    if (lanes.isEmpty()) {
      stopped.complete(null);
    }
  }

  // --- what others see

  RouterStatus status() {
    Map<String, Integer> groups = new HashMap<>();
    for (Lane lane : lanes) {
      for (OrderedGroup<Held> group : lane.groups().all()) {
        groups.merge(group.pool(), 1, Integer::sum);
      }
    }
    List<PoolStatus> pools = new ArrayList<>();
    for (Pool pool : shared.pools().all()) {
      PoolSettings settings = pool.settings();
      pools.add(
          new PoolStatus(
              pool.code(),
              settings.concurrency(),
              settings.perMinute(),
              pool.buffered(),
              settings.capacity(),
              pool.delivering().size(),
              groups.getOrDefault(pool.code(), 0)));
    }
    return new RouterStatus(pools, lanes.stream().map(Lane::status).toList(), held(), stopping);
  }

  /** How many messages the registers know. */
  int held() {
    return lanes.stream().mapToInt(lane -> lane.register().size()).sum();
  }

  /** How many ordered groups are remembered. */
  int rememberedGroups() {
    return lanes.stream().mapToInt(lane -> lane.groups().all().size()).sum();
  }

  /**
   * A message and where it is.
   *
   * @param id its key in the table
   */
  record Placed(String queue, String id, Place place) {}

  /** Looks into each place in turn; a message that were in two would be listed twice. */
  List<Placed> places() {
    List<Placed> all = new ArrayList<>();
    for (Pool pool : shared.pools().all()) {
      pool.ready().forEach(m -> all.add(placed(m, Place.BUFFER)));
      pool.delivering().forEach(m -> all.add(placed(m, Place.WORKER)));
      pool.waiting().forEach(m -> all.add(placed(m, Place.BACKOFF)));
    }
    lanes.forEach(lane -> lane.eachOutsidePools((m, place) -> all.add(placed(m, place))));
    return all;
  }

  private static Placed placed(Held message, Place place) {
    return new Placed(message.lane().name(), message.id(), place);
  }
}
