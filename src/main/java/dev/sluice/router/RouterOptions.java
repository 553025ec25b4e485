package dev.sluice.router;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * How a {@link Router} works; {@link #DEFAULTS} with what differs. Checked when made.
 *
 * @param concurrency how many messages are delivered at the same time, 1 to 10,000
 * @param batch how many messages one poll claims at most, 1 to 10,000
 * @param pollInterval how often an idle queue is polled, 1 ms to 1 h
 * @param visibility the visibility timeout that the queue was opened with, 1 s to 12 h; claims that
 *     are still held are extended by it when a third of it is left
 * @param drainTime how long running deliveries have after {@link Router#stop}, up to 1 h
 * @param maxFailures after how many failures a message is rejected; 0 for never
 * @param on5xx what a 5xx means that is neither 501, 502, 503 nor 504
 * @param onReject what becomes of rejected messages
 */
public record RouterOptions(
    int concurrency,
    int batch,
    Duration pollInterval,
    Duration visibility,
    Duration drainTime,
    int maxFailures,
    On5xx on5xx,
    OnReject onReject) {

  /** What a 5xx means that is neither 501, 502, 503 nor 504. */
  public enum On5xx {
    /** The message goes back and is tried again later. */
    RELEASE,
    /** The message is rejected. */
    REJECT
  }

  /** What becomes of rejected messages. */
  public enum OnReject {
    /** They are moved to quarantine, for someone to look at. */
    QUARANTINE,
    /** They are deleted. */
    DROP
  }

  /** Concurrency 20, and the other defaults of the Go router. */
  public static final RouterOptions DEFAULTS =
      new RouterOptions(
          20,
          500,
          Duration.ofSeconds(1),
          Duration.ofSeconds(120),
          Duration.ofSeconds(60),
          0,
          On5xx.RELEASE,
          OnReject.QUARANTINE);

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public RouterOptions {
    checkRange("concurrency", concurrency, 1, 10_000);
    checkRange("batch", batch, 1, 10_000);
    checkRange("pollInterval", pollInterval, Duration.ofMillis(1), Duration.ofHours(1));
    checkRange("visibility", visibility, Duration.ofSeconds(1), Duration.ofHours(12));
    checkRange("drainTime", drainTime, Duration.ZERO, Duration.ofHours(1));
    checkRange("maxFailures", maxFailures, 0, Integer.MAX_VALUE);
  }

  /** The same with this many deliveries at a time. */
  public RouterOptions withConcurrency(int concurrency) {
    return with(draft -> draft.concurrency = concurrency);
  }

  /** The same with polls of at most this many messages. */
  public RouterOptions withBatch(int batch) {
    return with(draft -> draft.batch = batch);
  }

  /** The same with an idle queue polled this often. */
  public RouterOptions withPollInterval(Duration pollInterval) {
    return with(draft -> draft.pollInterval = pollInterval);
  }

  /** The same with this visibility timeout. */
  public RouterOptions withVisibility(Duration visibility) {
    return with(draft -> draft.visibility = visibility);
  }

  /** The same with this much time for running deliveries at the end. */
  public RouterOptions withDrainTime(Duration drainTime) {
    return with(draft -> draft.drainTime = drainTime);
  }

  /** The same with messages rejected after this many failures; 0 for never. */
  public RouterOptions withMaxFailures(int maxFailures) {
    return with(draft -> draft.maxFailures = maxFailures);
  }

  /** The same with this meaning of a 5xx. */
  public RouterOptions withOn5xx(On5xx on5xx) {
    return with(draft -> draft.on5xx = on5xx);
  }

  /** The same with this end for rejected messages. */
  public RouterOptions withOnReject(OnReject onReject) {
    return with(draft -> draft.onReject = onReject);
  }

  /** The options while one of them is changed. */
  private static final class Draft {
    private int concurrency;
    private int batch;
    private Duration pollInterval;
    private Duration visibility;
    private Duration drainTime;
    private int maxFailures;
    private On5xx on5xx;
    private OnReject onReject;

    Draft(RouterOptions options) {
      concurrency = options.concurrency;
      batch = options.batch;
      pollInterval = options.pollInterval;
      visibility = options.visibility;
      drainTime = options.drainTime;
      maxFailures = options.maxFailures;
      on5xx = options.on5xx;
      onReject = options.onReject;
    }

    RouterOptions options() {
      return new RouterOptions(
          concurrency, batch, pollInterval, visibility, drainTime, maxFailures, on5xx, onReject);
    }
  }

  private RouterOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** How many messages wait in the process at most: 40 per delivery at a time, at least 100. */
  int capacity() {
    return Math.max(40 * concurrency, 100);
  }

  private static void checkRange(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + ": must be from " + least + " to " + most + ", was " + value);
    }
  }

  private static void checkRange(String name, Duration value, Duration least, Duration most) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          name + ": must be from " + least + " to " + most + ", was " + value);
    }
  }
}
