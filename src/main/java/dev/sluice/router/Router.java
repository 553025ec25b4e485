package dev.sluice.router;

import dev.sluice.delivery.Mediator;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueException;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages from queues to their targets: claims them in batches, calls each target through a
 * {@link Mediator}, as often at a time as its pool allows, keeps the order of ordered groups, and
 * settles what is done.
 *
 * <p>A router runs once: {@link #start}, then {@link #stop}; or {@link #drain}, which is both.
 * Queues and pools may come and go while it runs. It closes neither the queues nor the mediator.
 * Safe for use by many threads; daemon threads of its own work for it: {@code sluice-router}, and
 * for each queue {@code sluice-poller}, {@code sluice-settler} and {@code sluice-extender}.
 *
 * <p>Source: the Go router; what differs is marked "ours" in the documentation.
 */
public final class Router implements AutoCloseable {
  private static final Duration STATUS_PATIENCE = Duration.ofSeconds(5);

  /** What belongs to a queue outside the router's thread. */
  private final class Attached {
    private final RoutedQueue routed;
    private final Mailbox polls = new Mailbox("sluice-poller");
    private final Mailbox statements = new Mailbox("sluice-settler");
    private final Mailbox extensions = new Mailbox("sluice-extender");
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private @Nullable AutoCloseable listening;

    Attached(RoutedQueue routed) {
      this.routed = routed;
    }

    void enter() {
      mailbox.execute(
          () -> core.add(routed, polls, statements, extensions, () -> end.complete(null)));
    }

    synchronized void listen() {
      if (listening == null && !end.isDone()) {
        listening =
            routed
                .queue()
                .listen(
                    () -> mailbox.execute(() -> core.find(routed.queue()).ifPresent(Lane::wake)));
      }
    }

    synchronized void detach() {
      polls.endNow();
      // A statement may hang; nothing depends on its end.
      statements.endNow();
      extensions.endNow();
      AutoCloseable open = listening;
      listening = null;
      if (open != null) {
        try {
          open.close();
        } catch (Exception e) {
          throw new IllegalStateException("closing the listener failed", e);
        }
      }
    }
  }

  private final Time time;
  private final Tally tally = new Tally();
  private final Mailbox mailbox = new Mailbox("sluice-router");
  private final List<Attached> attached = new CopyOnWriteArrayList<>();
  private final RouterCore core;
  private boolean started;
  private boolean listens;

  private Router(Builder builder) {
    this.time = builder.time;
    this.core =
        new RouterCore(builder.mediator, time, builder.options, builder.listener, tally, mailbox);
    setPools(builder.pools);
    builder.queues.forEach(this::add);
  }

  /** A router with {@link RouterOptions#DEFAULTS} and the default pool, to be made different. */
  public static Builder builder(Mediator mediator, Time time) {
    return new Builder(mediator, time);
  }

  /**
   * Makes these the pools, from the next message on; {@link PoolSettings#DEFAULT} joins them unless
   * one of them has its code. A pool that is not among them delivers what it has.
   */
  public void setPools(List<PoolSettings> pools) {
    List<PoolSettings> copy = List.copyOf(pools);
    mailbox.execute(() -> core.setPools(copy));
  }

  /** Takes messages from one more queue, at once if the router runs. */
  public synchronized void add(RoutedQueue queue) {
    Attached one = new Attached(queue);
    attached.add(one);
    one.enter();
    if (listens) {
      one.listen();
    }
  }

  /**
   * Takes no more messages from a queue, gives back what is buffered, and leaves running deliveries
   * the drain time.
   *
   * @return completes when nothing of the queue is held any more, so that it may be closed; at once
   *     for a queue that is not there
   */
  public CompletionStage<Void> remove(Queue queue) {
    List<Attached> gone = attached.stream().filter(a -> a.routed.queue() == queue).toList();
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (Attached one : gone) {
      attached.remove(one);
      mailbox.execute(() -> core.find(queue).ifPresent(Lane::stop));
      // Not on the router's thread: the listener's end may take a moment.
      ends.add(one.end.thenRunAsync(one::detach));
    }
    return CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new));
  }

  /**
   * What it has at this moment.
   *
   * @throws IllegalStateException if its thread does not answer within 5 s, or has ended
   */
  public RouterStatus status() {
    return ask(RouterCore::status);
  }

  /** What the router's own thread, which owns all state, finds. */
  <T> T ask(Function<RouterCore, T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    mailbox.execute(() -> answer.complete(question.apply(core)));
    try {
      return answer.get(STATUS_PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("router: interrupted while it was asked for its status", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("router: its thread does not answer", e);
    }
  }

  /**
   * Begins to poll and to deliver; returns at once. A database that is down is waited for.
   *
   * @throws IllegalStateException if the router was started before
   */
  public synchronized void start() {
    begin();
    listens = true;
    attached.forEach(Attached::listen);
  }

  private synchronized void begin() {
    if (started) {
      throw new IllegalStateException("router: was started before");
    }
    started = true;
    mailbox.execute(core::start);
  }

  /** Polls idle queues at once: something new is there. Does nothing when not running. */
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
    attached.forEach(Attached::detach);
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
   * @throws IllegalStateException if the router was started before, or has not exactly one queue
   * @throws QueueException if polls keep failing though the database answers, or the rest cannot be
   *     counted at the end; what was held is settled or given back before
   */
  public RouterReport drain(Duration wait) {
    if (wait.isNegative()) {
      throw new IllegalArgumentException("wait: must not be negative, was " + wait);
    }
    if (attached.size() != 1) {
      throw new IllegalStateException("drain: needs one queue, has " + attached.size());
    }
    Queue queue = attached.get(0).routed.queue();
    long began = time.nanos();
    CompletableFuture<Void> drained = new CompletableFuture<>();
    mailbox.execute(() -> core.find(queue).ifPresent(lane -> lane.drain(wait, drained)));
    begin();
    boolean interrupted = false;
    Optional<Throwable> failure = Optional.empty();
    try {
      Object unused = CompletableFuture.anyOf(drained, core.stopped()).get();
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
    private final Mediator mediator;
    private final Time time;
    private final List<PoolSettings> pools = new ArrayList<>();
    private final List<RoutedQueue> queues = new ArrayList<>();
    private RouterOptions options = RouterOptions.DEFAULTS;
    private RouterListener listener = RouterListener.NONE;

    private Builder(Mediator mediator, Time time) {
      this.mediator = mediator;
      this.time = time;
    }

    /** Replaces all options. */
    public Builder options(RouterOptions options) {
      this.options = options;
      return this;
    }

    /** Adds a pool, or replaces that of the same code. */
    public Builder pool(PoolSettings pool) {
      return pools(List.of(pool));
    }

    /** Adds pools, or replaces those of the same codes. */
    public Builder pools(List<PoolSettings> more) {
      pools.addAll(more);
      return this;
    }

    /**
     * Adds a queue.
     *
     * @param visibility the visibility timeout that it was opened with
     * @throws IllegalArgumentException if the visibility is out of range
     */
    public Builder queue(Queue queue, Duration visibility) {
      queues.add(new RoutedQueue(queue, visibility));
      return this;
    }

    /** Replaces who hears what the router does. */
    public Builder listener(RouterListener listener) {
      this.listener = listener;
      return this;
    }

    /** The router, not started. */
    public Router build() {
      return new Router(this);
    }
  }
}
