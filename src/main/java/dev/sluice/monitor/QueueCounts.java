package dev.sluice.monitor;

import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

/**
 * What the queues hold, as the database counts it. A count costs the database a scan, so it is
 * taken only when somebody looks, at most once in {@link QueueCount#INTERVAL}, and never by the
 * thread that looks. Safe for use by many threads.
 */
final class QueueCounts {

  /**
   * One queue's.
   *
   * @param queue its name, fit to be shown
   */
  record Counted(String queue, QueueMetrics metrics) {}

  private final Time time;
  private final Executor executor;
  private final List<QueueCount> counts = new CopyOnWriteArrayList<>();

  QueueCounts(Time time, Executor executor) {
    this.time = time;
    this.executor = executor;
  }

  void add(Queue queue) {
    counts.add(new QueueCount(queue, time, executor));
  }

  void remove(Queue queue) {
    counts.removeIf(count -> count.counts(queue));
  }

  /** The counts that are known and not too old; has those that are due taken anew. */
  List<Counted> current() {
    List<QueueCount> all = List.copyOf(counts);
    all.forEach(QueueCount::refreshIfDue);
    List<Counted> known = new ArrayList<>();
    for (QueueCount count : all) {
      count.current().ifPresent(metrics -> known.add(new Counted(count.queue(), metrics)));
    }
    return known;
  }
}
