package dev.sluice.monitor;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongBinaryOperator;

/**
 * One series of each set of labels, while it is gathered. Names that are shown need not be unique:
 * two queues of one name in two databases, two targets that differ in their queries. What has the
 * same labels is one series. Not safe for use by many threads.
 */
final class Family {
  private final String name;
  private final String help;
  private final boolean counter;
  private final LongBinaryOperator merge;
  private final Map<Labels, Long> values = new LinkedHashMap<>();

  private Family(String name, String help, boolean counter, LongBinaryOperator merge) {
    this.name = name;
    this.help = help;
    this.counter = counter;
    this.merge = merge;
  }

  /** A gauge; values of the same labels are added up. */
  static Family gauge(String name, String help) {
    return new Family(name, help, false, Long::sum);
  }

  /** A gauge that is 1 when it is so for all, else 0. */
  static Family forAll(String name, String help) {
    return new Family(name, help, false, Math::min);
  }

  /** A gauge that is 1 when it is so for any, else 0. */
  static Family forAny(String name, String help) {
    return new Family(name, help, false, Math::max);
  }

  /**
   * A counter; values of the same labels are added up.
   *
   * @param name without the {@code _total} that it is shown with
   */
  static Family counter(String name, String help) {
    return new Family(name, help, true, Long::sum);
  }

  /**
   * Adds a value.
   *
   * @param labels names and values, in turns
   */
  void add(long value, String... labels) {
    Long unused = values.merge(Labels.of(labels), value, merge::applyAsLong);
  }

  void add(boolean value, String... labels) {
    add(value ? 1 : 0, labels);
  }

  MetricSnapshot snapshot() {
    return counter ? counters() : gauges();
  }

  private MetricSnapshot counters() {
    CounterSnapshot.Builder all = CounterSnapshot.builder().name(name).help(help);
    values.forEach(
        (labels, value) ->
            all.dataPoint(
                CounterSnapshot.CounterDataPointSnapshot.builder()
                    .labels(labels)
                    .value((double) value)
                    .build()));
    return all.build();
  }

  private MetricSnapshot gauges() {
    GaugeSnapshot.Builder all = GaugeSnapshot.builder().name(name).help(help);
    values.forEach(
        (labels, value) ->
            all.dataPoint(
                GaugeSnapshot.GaugeDataPointSnapshot.builder()
                    .labels(labels)
                    .value((double) value)
                    .build()));
    return all.build();
  }
}
