package dev.sluice.router;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * How a {@link Router} works; {@link #DEFAULTS} with what differs. Checked when made.
 *
 * @param batch how many messages one poll claims at most, 1 to 10,000
 * @param pollInterval how often an idle queue is polled, 1 ms to 1 h
 * @param drainTime how long running deliveries have after {@link Router#stop}, up to 1 h
 * @param maxFailures after how many failures a message is rejected; 0 for never
 * @param on5xx what a 5xx means that is neither 501, 502, 503 nor 504
 * @param onReject what becomes of rejected messages
 * @param onBlock what becomes of a group whose head is rejected and is to block it
 * @param maxDeferral for how long a message is sent away at most when its pool is full, 5 s to 1 d
 */
public record RouterOptions(
    int batch,
    Duration pollInterval,
    Duration drainTime,
    int maxFailures,
    On5xx on5xx,
    OnReject onReject,
    OnBlock onBlock,
    Duration maxDeferral) {

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

  /** What becomes of a {@code BLOCK_ON_ERROR} group whose head is rejected. */
  public enum OnBlock {
    /** It stops until somebody looks: what comes of it goes to quarantine behind its head. */
    QUARANTINE,
    /** What waits behind the head is acked without a call; the group goes on after that. */
    ACK
  }

  /** As the Go router works by default. */
  public static final RouterOptions DEFAULTS =
      new RouterOptions(
          500,
          Duration.ofSeconds(1),
          Duration.ofSeconds(60),
          0,
          On5xx.RELEASE,
          OnReject.QUARANTINE,
          OnBlock.QUARANTINE,
          Duration.ofHours(1));

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public RouterOptions {
    checkRange("batch", batch, 1, 10_000);
    checkRange("pollInterval", pollInterval, Duration.ofMillis(1), Duration.ofHours(1));
    checkRange("drainTime", drainTime, Duration.ZERO, Duration.ofHours(1));
    checkRange("maxFailures", maxFailures, 0, Integer.MAX_VALUE);
    checkRange("maxDeferral", maxDeferral, Duration.ofSeconds(5), Duration.ofDays(1));
  }

  /** The same with polls of at most this many messages. */
  public RouterOptions withBatch(int batch) {
    return with(draft -> draft.batch = batch);
  }

  /** The same with an idle queue polled this often. */
  public RouterOptions withPollInterval(Duration pollInterval) {
    return with(draft -> draft.pollInterval = pollInterval);
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

  /** The same with this end for groups that are to block. */
  public RouterOptions withOnBlock(OnBlock onBlock) {
    return with(draft -> draft.onBlock = onBlock);
  }

  /** The same with this longest time away for messages whose pool is full. */
  public RouterOptions withMaxDeferral(Duration maxDeferral) {
    return with(draft -> draft.maxDeferral = maxDeferral);
  }

  /** The options while one of them is changed. */
  private static final class Draft {
    private int batch;
    private Duration pollInterval;
    private Duration drainTime;
    private int maxFailures;
    private On5xx on5xx;
    private OnReject onReject;
    private OnBlock onBlock;
    private Duration maxDeferral;

    Draft(RouterOptions options) {
      batch = options.batch;
      pollInterval = options.pollInterval;
      drainTime = options.drainTime;
      maxFailures = options.maxFailures;
      on5xx = options.on5xx;
      onReject = options.onReject;
      onBlock = options.onBlock;
      maxDeferral = options.maxDeferral;
    }

    RouterOptions options() {
      return new RouterOptions(
          batch, pollInterval, drainTime, maxFailures, on5xx, onReject, onBlock, maxDeferral);
    }
  }

  private RouterOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
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
