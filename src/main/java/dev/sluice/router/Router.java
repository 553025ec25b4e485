package dev.sluice.router;

import dev.sluice.delivery.Mediator;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueException;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/**
 * Takes messages from a queue to their targets: claims them in batches, calls each target through a
 * {@link Mediator}, keeps the order of ordered groups, and settles what is done.
 *
 * <p>A router runs once: {@link #start}, then {@link #stop}; or {@link #drain}, which is both. It
 * closes neither the queue nor the mediator. Safe for use by many threads; three of its own,
 * daemons, work for it: {@code sluice-router}, {@code sluice-poller}, {@code sluice-settler}.
 *
 * <p>Source: the Go router; what differs is marked "ours" in the documentation.
 */
public final class Router implements AutoCloseable {
  static final String DEFAULT_POOL = "DEFAULT-POOL";

  private final Queue queue;
  private final Time time;
  private final Tally tally = new Tally();
  private final Mailbox mailbox = new Mailbox("sluice-router");
  private final Mailbox polls = new Mailbox("sluice-poller");
  private final Mailbox statements = new Mailbox("sluice-settler");
  private final RouterCore core;
  private boolean started;

  private Router(Builder builder) {
    this.queue = builder.queue;
    this.time = builder.time;
    this.core =
        new RouterCore(
            queue, builder.mediator, time, builder.options, tally, mailbox, polls, statements);
  }

  /** A router with {@link RouterOptions#DEFAULTS}, to be made different. */
  public static Builder builder(Queue queue, Mediator mediator, Time time) {
    return new Builder(queue, mediator, time);
  }

  /**
   * Begins to poll and to deliver; returns at once. A database that is down is waited for.
   *
   * @throws IllegalStateException if the router was started before
   */
  public synchronized void start() {
    if (started) {
      throw new IllegalStateException("router: was started before");
    }
    started = true;
    mailbox.execute(core::start);
  }

  /** Polls at once if the queue is idle: something new is there. Does nothing when not running. */
  public void wake() {
    mailbox.execute(core::wake);
  }

  /**
   * Stops and waits until that is done: polls no more, gives back what is buffered, and leaves
   * running deliveries the drain time. What is still being delivered then stays claimed and is
   * redelivered when its claim lapses. Waits on when interrupted; a second call waits for the
   * first.
   */
  public void stop() {
    mailbox.execute(core::stop);
    awaitStopped();
    mailbox.end();
    // A statement may hang; nothing depends on its end.
    polls.endNow();
    statements.endNow();
  }

  /** Waits until the router is stopped, by whomever. */
  public void awaitStopped() {
    core.stopped().join();
  }

  /** {@link #drain(Duration)} that waits for nothing. */
  public RouterReport drain() {
    return drain(Duration.ZERO);
  }

  /**
   * Starts, delivers until nothing is claimable and nothing is held, and stops. Ends early, and as
   * cleanly, when {@link #stop} is called or the calling thread is interrupted.
   *
   * @param wait how long to wait, once nothing is claimable, for messages that are delayed or
   *     claimed by others; ends before that when the queue is empty
   * @return what was done; {@link RouterReport#remaining} tells whether something is left
   * @throws IllegalArgumentException if the wait is negative
   * @throws IllegalStateException if the router was started before
   * @throws QueueException if polls keep failing though the database answers, or the rest cannot be
   *     counted at the end; what was held is settled or given back before
   */
  public RouterReport drain(Duration wait) {
    if (wait.isNegative()) {
      throw new IllegalArgumentException("wait: must not be negative, was " + wait);
    }
    long began = time.nanos();
    mailbox.execute(() -> core.drain(wait));
    start();
    boolean interrupted = false;
    Optional<Throwable> failure = Optional.empty();
    try {
      Object unused = CompletableFuture.anyOf(core.drained(), core.stopped()).get();
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (ExecutionException e) {
      failure = Optional.ofNullable(e.getCause());
    }
    try {
      stop();
      if (failure.isPresent()) {
        throw failure.get() instanceof QueueException e
            ? e
            : new CompletionException(failure.get());
      }
      double seconds = (time.nanos() - began) / 1e9;
      return new RouterReport(queue.identifier(), progress(), queue.metrics().total(), seconds);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** What has been done so far; never waits. */
  public RouterProgress progress() {
    return tally.progress();
  }

  /** {@link #stop}, if it was started. */
  @Override
  public void close() {
    stop();
  }

  /** Makes a {@link Router}. Not safe for use by many threads. */
  public static final class Builder {
    private final Queue queue;
    private final Mediator mediator;
    private final Time time;
    private RouterOptions options = RouterOptions.DEFAULTS;

    private Builder(Queue queue, Mediator mediator, Time time) {
      this.queue = queue;
      this.mediator = mediator;
      this.time = time;
    }

    /** Replaces all options. */
    public Builder options(RouterOptions options) {
      this.options = options;
      return this;
    }

    /** The router, not started. */
    public Router build() {
      return new Router(this);
    }
  }
}
