package dev.sluice.router;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * When messages that find their pool full return: each a slot after the one before it, from the
 * time on at which the pool has delivered what it holds. A pool delivers at the rate of its last
 * five minutes; where that is unknown, what it holds is taken to last 30 s and a slot is 1 s.
 *
 * <p>The rate is that of the completions after the first over the time from the first to the last,
 * since n completions bound n - 1 intervals. It is unknown with fewer than two completions, or with
 * all of them at one instant. When the next completion is overdue, the rate is that which it would
 * make by coming now: so neither a burst that was followed by nothing nor a pool that has come to a
 * halt looks fast for long.
 *
 * <p>A message returns after at least 5 s, and at most the longest delay less up to a quarter of
 * it, by chance, so that the many that are beyond it do not return at once. Chance moves nothing
 * that returns within three quarters of the longest delay: its slot is its own. The longest delay
 * goes before the 5 s if it is shorter. A reservation is where a message returns but for chance; it
 * is no later than the longest delay from now, so that messages that return before their turn and
 * reserve anew do not drive the reservations ever further away while the pool runs dry.
 *
 * <p>Pure: instants are nanoseconds with any origin. Takes constant memory and amortised constant
 * time. Owned by one thread.
 */
final class Reservations {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long WINDOW = Duration.ofMinutes(5).toNanos();
  private static final long SHORTEST = Duration.ofSeconds(5).toNanos();
  private static final Duration LONGEST = Duration.ofHours(1);
  private static final long UNKNOWN_DRAIN = 30 * SECOND;
  private static final long UNKNOWN_SLOT = SECOND;
  private static final double JITTER = 0.25;

  /** Completions within less than a second; as one, they leave the window together. */
  private static final class Batch {
    final long firstAt;
    long count;

    Batch(long firstAt) {
      this.firstAt = firstAt;
    }
  }

  private final long longest;
  private final long shortest;
  private final Deque<Batch> batches = new ArrayDeque<>();
  private long completions;
  private long lastAt;
  private boolean reserved;
  private long reservedUntil;

  /**
   * Makes the schedule of a pool that has not delivered anything yet.
   *
   * @param longest the longest delay; zero for 1 h
   * @throws IllegalArgumentException if it is negative
   */
  Reservations(Duration longest) {
    if (longest.isNegative()) {
      throw new IllegalArgumentException("longest delay is negative: " + longest);
    }
    this.longest = (longest.isZero() ? LONGEST : longest).toNanos();
    shortest = Math.min(SHORTEST, this.longest);
  }

  /** The pool is done with a message, whatever came of it. */
  void completed(long now) {
    forgetOld(now);
    if (batches.isEmpty() || now - batches.getLast().firstAt >= SECOND) {
      batches.addLast(new Batch(now));
    }
    batches.getLast().count++;
    completions++;
    lastAt = now;
  }

  /**
   * Reserves the next slot.
   *
   * @param buffered how many messages the pool holds
   * @param random01 chance, from 0 to 1
   * @return in how long the message is to return
   */
  Duration reserve(int buffered, long now, double random01) {
    forgetOld(now);
    double perMessage = nanosPerCompletion(now);
    boolean known = perMessage > 0;
    long slot = known ? Math.round(perMessage) : UNKNOWN_SLOT;
    long drain = known ? Math.round(buffered * perMessage) : UNKNOWN_DRAIN;
    // Cut before the sum, which could overflow.
    long room = Math.min(Math.max(drain, reach(now)), longest);
    long wanted = Math.min(room + slot, longest);
    long delay = Math.max(wanted, shortest);
    reserved = true;
    reservedUntil = now + delay;
    long limit = longest - (long) (longest * JITTER * random01);
    return Duration.ofNanos(Math.max(shortest, Math.min(delay, limit)));
  }

  /** How far from now the reservations reach; zero if none lies ahead. */
  Duration reservedFor(long now) {
    return Duration.ofNanos(reach(now));
  }

  private long reach(long now) {
    return reserved ? Math.max(0, reservedUntil - now) : 0;
  }

  /** How long the pool takes for one message; 0 if that is unknown. */
  private double nanosPerCompletion(long now) {
    if (completions < 2 || lastAt == batches.getFirst().firstAt) {
      return 0;
    }
    long firstAt = batches.getFirst().firstAt;
    double seen = (double) (lastAt - firstAt) / (completions - 1);
    double ifOneCameNow = (double) (now - firstAt) / completions;
    return Math.max(seen, ifOneCameNow);
  }

  private void forgetOld(long now) {
    while (!batches.isEmpty() && now - batches.getFirst().firstAt > WINDOW) {
      completions -= batches.removeFirst().count;
    }
  }
}
