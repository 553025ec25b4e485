package dev.sluice.monitor;

import dev.sluice.delivery.BreakerStatus;
import dev.sluice.router.RouterStatus;
import dev.sluice.router.RouterStatus.PoolStatus;
import dev.sluice.router.RouterStatus.QueueStatus;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The series that show a state. Made anew for each scrape from what is there, so a pool or a queue
 * that was removed has none; what is not known is left out rather than 0.
 *
 * <p>Source of the {@code fc_} names, labels and values: the Go router.
 */
final class Gauges {
  private Gauges() {}

  static MetricSnapshot build(String version) {
    return InfoSnapshot.builder()
        .name("sluice_build")
        .help("The version that runs.")
        .dataPoint(
            InfoSnapshot.InfoDataPointSnapshot.builder()
                .labels(Labels.of("version", version))
                .build())
        .build();
  }

  static MetricSnapshot up(View view) {
    Family up = Family.gauge("sluice_router_up", "1 while the router answers, else 0.");
    up.add(view instanceof View.Seen);
    return up.snapshot();
  }

  static List<MetricSnapshot> of(RouterStatus status) {
    Family pipeline =
        Family.gauge("fc_in_pipeline_messages", "Messages that the process holds, in any state.");
    pipeline.add(status.inPipeline());
    Family stopping = Family.gauge("sluice_router_stopping", "1 once it was told to stop, else 0.");
    stopping.add(status.stopping());
    List<MetricSnapshot> all = new ArrayList<>(List.of(pipeline.snapshot(), stopping.snapshot()));
    all.addAll(pools(status.pools()));
    all.addAll(queues(status.queues()));
    return all;
  }

  private static List<MetricSnapshot> pools(List<PoolStatus> pools) {
    Family size =
        Family.gauge("fc_pool_queue_size", "Messages that wait for a worker or their next call.");
    Family active = Family.gauge("fc_pool_active_workers", "Messages that are being delivered.");
    Family groups =
        Family.gauge("fc_pool_message_groups", "Ordered groups that have messages in the pool.");
    Family capacity = Family.gauge("sluice_pool_capacity", "How many messages may wait.");
    Family concurrency =
        Family.gauge("sluice_pool_concurrency", "How many messages may be delivered at a time.");
    for (PoolStatus pool : pools) {
      size.add(pool.buffered(), "pool", pool.code());
      active.add(pool.active(), "pool", pool.code());
      groups.add(pool.groups(), "pool", pool.code());
      capacity.add(pool.capacity(), "pool", pool.code());
      concurrency.add(pool.concurrency(), "pool", pool.code());
    }
    return snapshots(size, active, groups, capacity, concurrency);
  }

  private static List<MetricSnapshot> queues(List<QueueStatus> queues) {
    Family ready =
        Family.forAll("sluice_queue_ready", "1 while the database takes and gives, else 0.");
    Family held = Family.gauge("sluice_held_messages", "Messages of the queue that we hold.");
    Family unsettled =
        Family.gauge("sluice_unsettled_messages", "Messages that are decided, not yet committed.");
    Family flushed =
        Family.gauge("sluice_flushed_groups", "Groups that are acked without a call for now.");
    for (QueueStatus queue : queues) {
      String name = Shown.queue(queue.queue());
      ready.add(queue.isReady(), "queue", name);
      held.add(queue.held(), "queue", name);
      unsettled.add(queue.unsettled(), "queue", name);
      flushed.add(queue.flushed().size(), "queue", name);
    }
    return snapshots(ready, held, unsettled, flushed);
  }

  static List<MetricSnapshot> ofBreakers(List<BreakerStatus> breakers) {
    Family open =
        Family.forAny(
            "fc_circuit_breaker_open", "1 while calls of the target are refused, else 0.");
    Family calls =
        Family.counter("fc_circuit_breaker_calls", "Calls of the target, by what they counted as.");
    Family refused =
        Family.counter(
            "sluice_circuit_breaker_refused", "Calls that were not made: the breaker was open.");
    for (BreakerStatus breaker : breakers) {
      String target = Shown.target(breaker.target());
      open.add(breaker.open(), "target", target);
      calls.add(breaker.succeeded(), "target", target, "outcome", "success");
      calls.add(breaker.failed(), "target", target, "outcome", "failure");
      refused.add(breaker.refused(), "target", target);
    }
    return snapshots(open, calls, refused);
  }

  static List<MetricSnapshot> ofCounts(List<QueueCounts.Counted> counts) {
    Family pending = Family.gauge("fc_queue_pending_messages", "Messages that could be claimed.");
    Family inFlight =
        Family.gauge("fc_queue_in_flight_messages", "Messages that are claimed, by anyone.");
    Family delayed =
        Family.gauge("sluice_queue_delayed_messages", "Messages that are not yet visible.");
    Family lapsed =
        Family.gauge("sluice_queue_lapsed_messages", "Messages whose claim has lapsed.");
    Family quarantine =
        Family.gauge("sluice_quarantine_messages", "Messages in the quarantine of the queue.");
    for (QueueCounts.Counted count : counts) {
      pending.add(count.metrics().pending(), "queue", count.queue());
      inFlight.add(count.metrics().inFlight(), "queue", count.queue());
      lapsed.add(count.metrics().lapsed(), "queue", count.queue());
      count.metrics().delayed().ifPresent(n -> delayed.add(n, "queue", count.queue()));
      count.metrics().quarantined().ifPresent(n -> quarantine.add(n, "queue", count.queue()));
    }
    return snapshots(pending, inFlight, delayed, lapsed, quarantine);
  }

  private static List<MetricSnapshot> snapshots(Family... families) {
    return Stream.of(families).map(Family::snapshot).toList();
  }
}
