package dev.sluice.time;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The machine's own clock, with one daemon thread for the timers. */
public final class SystemTime implements Time, AutoCloseable {
  private final ScheduledThreadPoolExecutor timers;

  public SystemTime() {
    timers =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "sluice-timer");
              thread.setDaemon(true);
              return thread;
            });
    timers.setRemoveOnCancelPolicy(true);
  }

  @Override
  public Instant now() {
    return Clock.systemUTC().instant();
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public Timer after(Duration delay, Runnable task) {
    ScheduledFuture<?> future =
        timers.schedule(task, Math.max(0, delay.toNanos()), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  /** Drops the tasks that wait. */
  @Override
  public void close() {
    timers.shutdownNow();
  }
}
