package dev.sluice.router;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/**
 * A router at one instant.
 *
 * @param pools in no particular order; pools that were removed are listed until they are empty
 * @param queues in no particular order
 * @param inPipeline how many messages the process holds, in whatever state
 * @param stopping whether it was told to stop
 */
public record RouterStatus(
    List<PoolStatus> pools, List<QueueStatus> queues, int inPipeline, boolean stopping) {

  public RouterStatus {
    pools = List.copyOf(pools);
    queues = List.copyOf(queues);
  }

  /**
   * A pool.
   *
   * @param perMinute its limit; empty for none
   * @param buffered messages that wait for a worker, or for their next call
   * @param capacity how many may wait
   * @param active messages that are being delivered
   * @param groups ordered groups that have messages in it
   */
  public record PoolStatus(
      String code,
      int concurrency,
      OptionalInt perMinute,
      int buffered,
      int capacity,
      int active,
      int groups) {}

  /**
   * A queue.
   *
   * @param polled whether a poll has succeeded since the start or the last failure
   * @param unsettled messages whose disposition is known and not committed
   * @param settling whether the last round of settlements reached the database
   * @param held messages of it that the process holds
   * @param flushed groups whose messages are acked without a call for now
   */
  public record QueueStatus(
      String queue,
      boolean polled,
      int unsettled,
      boolean settling,
      int held,
      List<FlushedGroup> flushed) {
    public QueueStatus {
      flushed = List.copyOf(flushed);
    }

    /** Whether the database takes and gives. */
    public boolean isReady() {
      return polled && settling;
    }
  }

  /**
   * A group that its target wants no more of.
   *
   * @param left for how long
   */
  public record FlushedGroup(String group, Duration left) {}
}
