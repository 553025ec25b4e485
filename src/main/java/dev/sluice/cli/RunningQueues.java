package dev.sluice.cli;

import dev.sluice.config.QueueConfig;
import dev.sluice.config.RouterConfig;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.SchemaException;
import dev.sluice.queue.uri.QueueUri;
import dev.sluice.router.RoutedQueue;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the queues that a router serves in step with its config. One whose database does not answer
 * is tried again and again, and holds up no other.
 *
 * <p>A queue whose settings change is opened anew once nothing of the old one is held: served twice
 * at the same time, its groups would lose their order.
 *
 * <p>Safe for use by many threads.
 */
final class RunningQueues implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RunningQueues.class);
  private static final Duration RETRY = Duration.ofSeconds(5);

  /** What only a person can mend is looked at less often. */
  private static final Duration SLOW_RETRY = Duration.ofMinutes(1);

  /** Opens the queues that a config names. */
  @FunctionalInterface
  interface Opener {
    /**
     * Opens a queue and looks at its tables; does not wait for its database.
     *
     * @throws SchemaException if tables are missing or differ
     * @throws QueueException if the database does not answer, or refuses us
     */
    Opened open(QueueConfig config);
  }

  /** A queue with what it needs, to be closed together. */
  interface Opened extends AutoCloseable {
    Queue queue();

    @Override
    void close();
  }

  /** A queue that is wanted, or was. */
  private static final class Slot {
    final QueueConfig config;

    /** Completes when the start need not wait for it any longer. */
    final CompletableFuture<Void> verdict = new CompletableFuture<>();

    /** Whether what a person must mend ends the start, rather than being told in the log. */
    final boolean first;

    boolean begun;
    boolean wanted = true;
    @Nullable Opened opened;
    Time.@Nullable Timer retry;
    @Nullable RuntimeException failure;
    String told = "";

    Slot(QueueConfig config, boolean first) {
      this.config = config;
      this.first = first;
    }
  }

  private final QueueSet router;
  private final Opener opener;
  private final Time time;
  private final Executor executor;

  // Guarded by this.
  private final Map<QueueConfig, Slot> slots = new LinkedHashMap<>();
  private final List<Slot> leaving = new ArrayList<>();
  private boolean bounded;
  private boolean closed;

  /**
   * @param executor for what may block; not the thread of the clock
   */
  RunningQueues(QueueSet router, Opener opener, Time time, Executor executor) {
    this.router = router;
    this.opener = opener;
    this.time = time;
    this.executor = executor;
  }

  /**
   * Serves what the first config says. Returns when each queue is served, or its database was found
   * not to answer yet.
   *
   * @param patience wait for every database, at most so long; empty to leave it to the background
   * @throws CommandException if the tables of a queue are missing or differ, or its database
   *     refuses us or does not answer within the patience
   */
  void start(RouterConfig config, Optional<Duration> patience) {
    List<Slot> first = begin(config, patience.isPresent());
    Optional<Time.Timer> end = patience.map(duration -> time.after(duration, () -> giveUp(first)));
    CompletableFuture<Void> all =
        CompletableFuture.allOf(
            first.stream().map(slot -> slot.verdict).toArray(CompletableFuture[]::new));
    // What a person must mend is told at once, whoever else is waited for.
    first.forEach(
        slot ->
            slot.verdict.exceptionally(
                failure -> {
                  all.completeExceptionally(failure);
                  return null;
                }));
    try {
      all.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new CompletionException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException("interrupted while queues were opened", e);
    } finally {
      end.ifPresent(Time.Timer::cancel);
    }
  }

  private synchronized List<Slot> begin(RouterConfig config, boolean bounded) {
    this.bounded = bounded;
    apply(config, true);
    return List.copyOf(slots.values());
  }

  private synchronized void giveUp(List<Slot> slots) {
    slots.forEach(
        slot ->
            slot.verdict.completeExceptionally(
                slot.failure == null
                    ? CommandException.failed(
                        "queue '"
                            + slot.config.name()
                            + "': no answer in time from "
                            + slot.config.uri().safe())
                    : named(slot, slot.failure)));
  }

  /** Serves what this config says from now on; returns before queues are opened and closed. */
  void apply(RouterConfig config) {
    apply(config, false);
  }

  private synchronized void apply(RouterConfig config, boolean first) {
    if (closed) {
      return;
    }
    router.setPools(config.pools());
    for (Slot slot : List.copyOf(slots.values())) {
      if (!config.queues().contains(slot.config)) {
        leave(slot);
      }
    }
    config.queues().forEach(queue -> slots.computeIfAbsent(queue, key -> new Slot(key, first)));
    beginWhatCan();
  }

  private void leave(Slot slot) {
    slots.remove(slot.config);
    slot.wanted = false;
    slot.verdict.complete(null);
    cancelRetry(slot);
    Opened opened = slot.opened;
    if (opened == null) {
      return;
    }
    leaving.add(slot);
    log.info("event=queue_removed queue={}", LogLine.quoted(slot.config.name()));
    router
        .remove(opened.queue())
        .whenComplete((done, failure) -> executor.execute(() -> left(slot)));
  }

  private void left(Slot slot) {
    release(slot);
    synchronized (this) {
      leaving.remove(slot);
      beginWhatCan();
    }
  }

  private void beginWhatCan() {
    for (Slot slot : List.copyOf(slots.values())) {
      if (!slot.begun && !closed && leaving.stream().noneMatch(old -> areOne(old, slot))) {
        slot.begun = true;
        executor.execute(() -> attempt(slot));
      }
    }
  }

  // By name alone, where the host, user or password of one table may have changed.
  private static boolean areOne(Slot one, Slot other) {
    QueueUri uri = one.config.uri();
    return one.config.name().equals(other.config.name())
        || (uri.backend() == QueueUri.Backend.HAREL
            && uri.safe().equals(other.config.uri().safe()));
  }

  private void attempt(Slot slot) {
    try {
      Opened opened = opener.open(slot.config);
      if (!serve(slot, opened)) {
        opened.close();
      }
    } catch (RuntimeException e) {
      failed(slot, e);
    }
  }

  private synchronized boolean serve(Slot slot, Opened opened) {
    if (!slot.wanted || closed) {
      return false;
    }
    slot.opened = opened;
    router.add(new RoutedQueue(opened.queue(), slot.config.visibility()));
    slot.verdict.complete(null);
    log.info(
        "event=queue_added queue={} uri={}",
        LogLine.quoted(slot.config.name()),
        LogLine.quoted(slot.config.uri().safe()));
    return true;
  }

  private synchronized void failed(Slot slot, RuntimeException failure) {
    if (!slot.wanted || closed) {
      return;
    }
    boolean down = failure instanceof QueueException e && e.isConnectionFailure();
    if (!down && slot.first && !slot.verdict.isDone()) {
      slot.verdict.completeExceptionally(named(slot, failure));
      return;
    }
    tellOnce(slot, failure, down);
    slot.failure = failure;
    slot.retry = time.after(down ? RETRY : SLOW_RETRY, () -> executor.execute(() -> attempt(slot)));
    if (!bounded) {
      slot.verdict.complete(null);
    }
  }

  private static void tellOnce(Slot slot, RuntimeException failure, boolean down) {
    String reason = line(slot, failure).text();
    if (reason.equals(slot.told)) {
      return;
    }
    slot.told = reason;
    String queue = LogLine.quoted(slot.config.name());
    if (down) {
      log.warn("event=queue_unreachable queue={} reason={}", queue, LogLine.quoted(reason));
    } else {
      log.error("event=queue_unusable queue={} reason={}", queue, LogLine.quoted(reason));
    }
  }

  private static CommandException named(Slot slot, RuntimeException failure) {
    ErrorLine line = line(slot, failure);
    return new CommandException(
        line.exitCode(), "queue '" + slot.config.name() + "': " + line.text(), failure);
  }

  private static ErrorLine line(Slot slot, RuntimeException failure) {
    ErrorLine line = ErrorLine.of(failure, Optional.of(slot.config.uri().safe()));
    return new ErrorLine(line.exitCode(), line.text().replace("--uri", "queueUri"));
  }

  private static void cancelRetry(Slot slot) {
    if (slot.retry != null) {
      slot.retry.cancel();
    }
  }

  private void release(Slot slot) {
    Opened opened;
    synchronized (this) {
      opened = slot.opened;
      slot.opened = null;
    }
    if (opened != null) {
      opened.close();
    }
  }

  /** Closes all queues. Only for a router that is stopped. */
  @Override
  public void close() {
    List<Slot> open;
    synchronized (this) {
      closed = true;
      open = new ArrayList<>(slots.values());
      open.addAll(leaving);
    }
    for (Slot slot : open) {
      cancelRetry(slot);
      release(slot);
    }
  }
}
