package dev.sluice.time;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** A clock that stands still until a test moves it; due tasks run on the thread that moves it. */
public final class ManualTime implements Time {
  private record Task(long due, long order, Runnable body) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::order));
  private final Instant start;
  private long nanos;
  private long order;

  public ManualTime(Instant start) {
    this.start = start;
  }

  @Override
  public synchronized Instant now() {
    return start.plusNanos(nanos);
  }

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  @Override
  public synchronized Timer after(Duration delay, Runnable body) {
    Task task = new Task(nanos + Math.max(0, delay.toNanos()), order++, body);
    tasks.add(task);
    return () -> {
      synchronized (this) {
        tasks.remove(task);
      }
    };
  }

  /** When each waiting task is due, from now, soonest first. */
  public synchronized List<Duration> waiting() {
    List<Duration> delays = new ArrayList<>();
    tasks.stream()
        .sorted(tasks.comparator())
        .forEach(t -> delays.add(Duration.ofNanos(t.due - nanos)));
    return delays;
  }

  /** Moves the clock, stopping at each due task to run it. */
  public void advance(Duration by) {
    long end;
    synchronized (this) {
      end = nanos + by.toNanos();
    }
    while (true) {
      Task next;
      synchronized (this) {
        next = tasks.peek();
        if (next == null || next.due > end) {
          nanos = end;
          return;
        }
        tasks.poll();
        nanos = Math.max(nanos, next.due);
      }
      next.body.run();
    }
  }
}
