package dev.sluice.router;

import dev.sluice.delivery.Backoff;
import dev.sluice.delivery.Outcome;
import dev.sluice.router.Disposition.Ack;
import dev.sluice.router.Disposition.AckAndFlush;
import dev.sluice.router.Disposition.Defer;
import dev.sluice.router.Disposition.Reject;
import dev.sluice.router.Disposition.Release;
import dev.sluice.router.Disposition.RetryInPlace;
import java.time.Duration;

/**
 * What follows from an outcome: the table of the Go router, with our differences. A pure function
 * of its arguments.
 *
 * @param honoursDelayedReturn whether a delayed message holds back its group in the queue
 */
record DispositionRule(boolean honoursDelayedReturn, RouterOptions.On5xx on5xx, int maxFailures) {
  private static final int CALLS_IN_PLACE = 10;
  private static final int FAILURES_AT_FACE_VALUE = 3;
  private static final long LONGEST_RELEASE_SECONDS = 15 * 60;

  /** Whether an outcome counts as a failure of its message. */
  static boolean isFailure(Outcome outcome) {
    return outcome instanceof Outcome.Unavailable
        || outcome instanceof Outcome.ProcessError
        || outcome instanceof Outcome.Unreachable;
  }

  /**
   * What to do with a message now.
   *
   * @param calls how often it was called since it was claimed, this call included
   * @param failures how often it failed as far as this process knows, this call included
   */
  Disposition decide(Outcome outcome, int calls, int failures) {
    if (outcome instanceof Outcome.Delivered) {
      return new Ack();
    }
    if (outcome instanceof Outcome.DeliveredAndFlush flush) {
      return new AckAndFlush(Duration.ofSeconds(flush.seconds()));
    }
    if (outcome instanceof Outcome.Deferred deferred) {
      return deferred(deferred.delaySeconds(), calls);
    }
    if (outcome instanceof Outcome.RateLimited limited) {
      return rateLimited(limited.retryAfterSeconds(), calls);
    }
    if (outcome instanceof Outcome.Permanent permanent) {
      return new Reject(permanent.reason(), permanent.critical());
    }
    if (outcome instanceof Outcome.ProcessError error) {
      return on5xx == RouterOptions.On5xx.REJECT
          ? new Reject(error.reason(), false)
          : failed(error.reason(), error.delaySeconds(), failures);
    }
    if (outcome instanceof Outcome.Unavailable unavailable) {
      return failed(unavailable.reason(), unavailable.delaySeconds(), failures);
    }
    if (outcome instanceof Outcome.Unreachable unreachable) {
      return failed(unreachable.reason(), unreachable.delaySeconds(), failures);
    }
    if (outcome instanceof Outcome.CircuitOpen open) {
      return new Release(Duration.ofSeconds(open.resetSeconds()), "circuit open");
    }
    throw new IllegalArgumentException("no rule for " + outcome.getClass().getSimpleName());
  }

  private Disposition deferred(long asked, int calls) {
    if (asked > 0 && honoursDelayedReturn) {
      return new Defer(Duration.ofSeconds(asked));
    }
    Duration backoff = Backoff.DEFERRED.delay(calls - 1, asked);
    return calls < CALLS_IN_PLACE ? new RetryInPlace(backoff) : new Defer(wholeSeconds(backoff));
  }

  private static Disposition rateLimited(long asked, int calls) {
    Duration backoff = Backoff.RATE_LIMITED.delay(calls - 1, asked);
    return calls < CALLS_IN_PLACE
        ? new RetryInPlace(backoff)
        : new Release(wholeSeconds(backoff), "429 on each of " + calls + " calls");
  }

  private Disposition failed(String reason, long asked, int failures) {
    if (maxFailures > 0 && failures >= maxFailures) {
      return new Reject(failures + " failures, the last: " + reason, false);
    }
    int doublings = Math.min(Math.max(0, failures - FAILURES_AT_FACE_VALUE), 20);
    long seconds = Math.min(asked << doublings, LONGEST_RELEASE_SECONDS);
    return new Release(Duration.ofSeconds(seconds), reason);
  }

  /** Rounds up, so that nothing comes back before its time. */
  static Duration wholeSeconds(Duration delay) {
    return Duration.ofSeconds(delay.plusNanos(999_999_999).toSeconds());
  }
}
