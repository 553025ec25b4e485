package dev.sluice.queue;

import java.util.List;

/**
 * What one poll took from its queue.
 *
 * @param deliveries the messages claimed, oldest first
 * @param taken how many rows the poll claimed, the malformed ones among them; a poll that took as
 *     many as it asked for may have left more
 * @param quarantined how many of the rows taken were malformed and are in quarantine now
 */
public record PollResult(List<Delivery> deliveries, int taken, int quarantined) {

  /** Took nothing. */
  public static final PollResult EMPTY = new PollResult(List.of(), 0, 0);

  public PollResult {
    deliveries = List.copyOf(deliveries);
  }
}
