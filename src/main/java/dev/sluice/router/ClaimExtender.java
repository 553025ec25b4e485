package dev.sluice.router;

import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.Receipt;
import dev.sluice.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Keeps the claims that this process still holds alive: extends them when a third of the visibility
 * timeout is left, each with all others of its claim group, many in one statement.
 *
 * <p>Owned by the router's thread, but for the statement.
 */
final class ClaimExtender {
  private static final Duration SHORT_CLAIM = Duration.ofSeconds(2);

  private static final Duration LEAST_PAUSE = Duration.ofMillis(100);

  /** A claim as it was when the statement went out. */
  private record Asked(Held message, Receipt receipt) {}

  private final Queue queue;
  private final Duration visibility;
  private final Time time;
  private final Executor core;
  private final Executor extensions;
  private final Events events;
  private final InFlightRegister register;
  private final Consumer<Held> lost;
  private final Duration pause;
  private boolean timed;
  private boolean failing;

  /**
   * @param lost learns of messages whose claim is gone
   */
  ClaimExtender(
      Queue queue,
      Duration visibility,
      Time time,
      Executor core,
      Executor extensions,
      Events events,
      InFlightRegister register,
      Consumer<Held> lost) {
    this.queue = queue;
    this.visibility = visibility;
    this.time = time;
    this.core = core;
    this.extensions = extensions;
    this.events = events;
    this.register = register;
    this.lost = lost;
    Duration twelfth = visibility.dividedBy(12);
    this.pause = twelfth.compareTo(LEAST_PAUSE) > 0 ? twelfth : LEAST_PAUSE;
  }

  /** A claim has come in: it will be looked at in time. */
  void watch() {
    if (!timed && !register.isEmpty()) {
      lookAfter(visibility.minus(visibility.dividedBy(3)));
    }
  }

  private void lookAfter(Duration delay) {
    timed = true;
    Time.Timer unused = time.after(delay, () -> core.execute(this::look));
  }

  private void look() {
    timed = false;
    if (register.isEmpty()) {
      return;
    }
    // A little early for some, so that claims of many polls share a statement.
    long third = visibility.dividedBy(3).toNanos();
    List<Held> due = register.lapsingBy(time.nanos() + third + pause.toNanos());
    if (due.isEmpty()) {
      lookAgain();
    } else {
      extend(due.stream().map(m -> new Asked(m, m.receipt())).toList());
    }
  }

  private void lookAgain() {
    long now = time.nanos();
    long soonest = visibility.toNanos();
    for (Held message : register.all()) {
      soonest = Math.min(soonest, message.lapsesAt() - now);
    }
    Duration untilDue = Duration.ofNanos(soonest).minus(visibility.dividedBy(3));
    lookAfter(untilDue.compareTo(pause) > 0 ? untilDue : pause);
  }

  /**
   * For how long a claim holds at least: the table keeps whole seconds, and cuts the present one.
   */
  static Duration holdsFor(Duration visibility) {
    return visibility.compareTo(SHORT_CLAIM) > 0 ? visibility.minusSeconds(1) : visibility;
  }

  private void extend(List<Asked> asked) {
    timed = true;
    extensions.execute(
        () -> {
          long began = time.nanos();
          try {
            Set<Receipt> stale =
                queue.extendVisibility(asked.stream().map(Asked::receipt).toList(), visibility);
            core.execute(() -> extended(asked, stale, began + holdsFor(visibility).toNanos()));
          } catch (Throwable e) {
            core.execute(() -> failed(e));
          }
        });
  }

  private void extended(List<Asked> asked, Set<Receipt> stale, long lapsesAt) {
    if (failing) {
      failing = false;
      events.extendingResumed();
    }
    List<Held> gone = new ArrayList<>();
    for (Asked claim : asked) {
      if (!claim.message().receipt().equals(claim.receipt())) {
        continue;
      }
      if (stale.contains(claim.receipt())) {
        gone.add(claim.message());
      }
      claim.message().extendedTo(lapsesAt);
    }
    gone.forEach(lost);
    lookAgain();
  }

  private void failed(Throwable cause) {
    if (!failing) {
      failing = true;
      events.extendingFails(
          cause instanceof QueueException
              ? String.valueOf(cause.getMessage())
              : cause.getClass().getName());
    }
    lookAfter(pause);
  }
}
