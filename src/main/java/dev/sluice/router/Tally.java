package dev.sluice.router;

import java.util.concurrent.atomic.LongAdder;

/** Counts; written by the router's thread, read by any. */
final class Tally {
  final LongAdder polled = new LongAdder();
  final LongAdder delivered = new LongAdder();
  final LongAdder deferred = new LongAdder();
  final LongAdder released = new LongAdder();
  final LongAdder rejected = new LongAdder();
  final LongAdder suppressed = new LongAdder();

  RouterProgress progress() {
    return new RouterProgress(
        polled.sum(),
        delivered.sum(),
        deferred.sum(),
        released.sum(),
        rejected.sum(),
        suppressed.sum());
  }
}
