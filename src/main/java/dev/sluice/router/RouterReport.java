package dev.sluice.router;

/**
 * How a drain went; the counts of {@code drain --json}.
 *
 * @param queue the queue's name
 * @param progress what was done
 * @param remaining all messages that are left in the queue, whatever their state
 * @param seconds how long it took
 */
public record RouterReport(String queue, RouterProgress progress, long remaining, double seconds) {

  /** Messages delivered per second; 0 for a drain that took no time. */
  public double perSecond() {
    return seconds > 0 ? progress.delivered() / seconds : 0;
  }
}
