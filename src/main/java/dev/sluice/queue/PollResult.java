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
 * @param inDoubt whether more may turn out to be claimable within seconds without anybody's doing,
 *     so that an empty result does not mean an empty queue
 */
public record PollResult(
    List<Delivery> deliveries, int taken, int quarantined, int leftOut, boolean inDoubt) {

  /** Took nothing. */
  public static final PollResult EMPTY = new PollResult(List.of(), 0, 0);

  public PollResult {
    deliveries = List.copyOf(deliveries);
  }

  /** Nothing was left out, and nothing is in doubt. */
  public PollResult(List<Delivery> deliveries, int taken, int quarantined) {
    this(deliveries, taken, quarantined, 0, false);
  }
}
