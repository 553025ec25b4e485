package dev.sluice.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits between repetitions until it is stopped. Thread-safe. */
final class Ticker {
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final Duration interval;

  Ticker(Duration interval) {
    this.interval = interval;
  }

  /** Waits for the interval; returns false, at once, when stopped. */
  boolean next() throws InterruptedException {
    return !stopped.await(Math.max(1, interval.toMillis()), TimeUnit.MILLISECONDS);
  }

  void stop() {
    stopped.countDown();
  }
}
