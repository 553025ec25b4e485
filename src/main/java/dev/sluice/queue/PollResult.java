package dev.sluice.queue;

import java.util.List;

/**
 * What one poll took from its queue.
 *
 * @param deliveries the messages claimed, oldest first
 * @param taken how many rows the poll claimed, the malformed ones among them; a poll that took as
 *     many as it asked for may have left more
 * @param quarantined how many of the rows taken were malformed and are in quarantine now
 * @param leftOut how many of the rows taken carry no message and were given back at once
 * @param doubt why an empty result does not mean an empty queue, if so
 */
public record PollResult(
    List<Delivery> deliveries, int taken, int quarantined, int leftOut, Doubt doubt) {

  /** What a poll that took nothing does not know. */
  public enum Doubt {
    /** There was nothing to claim. */
    NONE,
    /** More may turn out to be claimable within seconds without anybody's doing. */
    SOON,
    /** Not everything was looked at; the next poll looks further. */
    UNSEEN
  }

  /** Took nothing. */
  public static final PollResult EMPTY = new PollResult(List.of(), 0, 0);

  public PollResult {
    deliveries = List.copyOf(deliveries);
  }

  /** Nothing was left out, and nothing is in doubt. */
  public PollResult(List<Delivery> deliveries, int taken, int quarantined) {
    this(deliveries, taken, quarantined, 0, Doubt.NONE);
  }

  /** Whether there may be more although nothing was taken. */
  public boolean inDoubt() {
    return doubt != Doubt.NONE;
  }
}
