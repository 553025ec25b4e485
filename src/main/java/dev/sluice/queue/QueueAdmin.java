package dev.sluice.queue;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What people do to a queue by hand. Safe for use by many threads; throws as {@link Queue} does.
 *
 * <p>Where the quarantine table is missing, reading it finds nothing and writing it throws {@link
 * SchemaException}.
 */
public interface QueueAdmin {

  /** This queue's figures; all zero for a queue that nobody has written to. */
  QueueStats stats();

  /** The figures of every queue in the table, by name. */
  List<QueueStats> statsOfAllQueues();

  /**
   * The messages that a poll would claim now, in its order, claiming nothing.
   *
   * @param group only this group, if present
   * @param limit how many at most, from 1
   */
  List<PeekedMessage> peek(Optional<String> group, int limit);

  /**
   * How the database sees ids that are about to be published to this queue; empty where messages
   * are delivered in the order in which they were published, whatever their ids.
   */
  Optional<PublishPreview> previewPublish(List<String> ids);

  /** Why messages of ours should not be published to this queue, if somebody else would suffer. */
  Optional<String> objectionToPublishing();

  /**
   * Looks through the whole queue for messages that nobody can claim, and makes them claimable.
   *
   * @return how many groups had such messages
   */
  int repair();

  /** Quarantined messages, oldest first in group order. */
  List<FailedMessage> listFailed(FailedFilter filter, int limit);

  /**
   * Puts quarantined messages back in the queue, visible now, never claimed, in their old place.
   * All chosen messages of a group go in one transaction. One whose id is back in the queue stays.
   */
  RequeueResult requeueFailed(FailedFilter filter);

  /**
   * Deletes quarantined messages for good.
   *
   * @return how many
   */
  int discardFailed(FailedFilter filter);

  /** The statements that {@link Queue#initSchema} runs, then those of the extras, as one script. */
  String schemaScript();

  /**
   * Creates an optional part of the schema without blocking writers; does nothing if it is there.
   *
   * @throws IllegalArgumentException if this backend has no such part
   */
  void createExtra(SchemaReport.Extra extra);

  /**
   * Drops an optional part of the schema that we made; does nothing if it is not there.
   *
   * @throws IllegalArgumentException if this backend has no such part
   */
  void dropExtra(SchemaReport.Extra extra);

  /**
   * How the database sees ids.
   *
   * @param now its clock, in whole seconds
   * @param ranks for each id its place in the order in which messages of one second are claimed;
   *     the same id has the same rank
   * @param waiting those of the ids that the queue holds already
   */
  record PublishPreview(Instant now, List<Long> ranks, Set<String> waiting) {
    public PublishPreview {
      ranks = List.copyOf(ranks);
      waiting = Set.copyOf(waiting);
    }
  }

  /**
   * What a requeue did.
   *
   * @param requeued how many messages are back in the queue
   * @param inTheWay ids that stay in quarantine because the queue holds a message of that id
   */
  record RequeueResult(int requeued, List<String> inTheWay) {
    public RequeueResult {
      inTheWay = List.copyOf(inTheWay);
    }
  }
}
