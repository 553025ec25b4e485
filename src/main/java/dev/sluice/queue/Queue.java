package dev.sluice.queue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * One named queue of {@link Message messages} in a PostgreSQL database, delivered at least once and
 * in order within each group.
 *
 * <p>A {@linkplain #poll poll} claims messages for the visibility timeout. Each claim ends in
 * exactly one of {@link #ack}, {@link #nack}, {@link #defer} or {@link #reject}, or lapses and is
 * redelivered. Every operation is one round trip to the database, batches too, and each batch is
 * all or nothing.
 *
 * <p>Instances are safe for use by many threads. Calls block; {@link AsyncQueue} is the
 * asynchronous twin. Every operation throws {@link QueueException} when the database fails, with
 * the SQL state, and {@link QueueClosedException} after {@link #close}; these two are not repeated
 * below.
 *
 * <p>Source: the Go router's queue interface; the batches, {@code reject} and {@code
 * extendVisibility} are ours.
 */
public interface Queue extends AutoCloseable {

  /** The queue's name, as producers write it. Stable over the life of the instance. */
  String identifier();

  /**
   * Claims up to {@code max} messages, oldest first, and returns them in that order; how far that
   * holds between groups in a long backlog, its backend says. Never waits for a message or for
   * another poller's locks.
   *
   * @param max how many messages to claim at most, from 1
   * @throws IllegalArgumentException if {@code max < 1}
   */
  PollResult poll(int max);

  /**
   * Deletes the message that this claim holds.
   *
   * @throws StaleReceiptException if the claim is unknown or outdated; nothing is deleted then
   */
  default void ack(Receipt receipt) {
    if (!ackBatch(List.of(receipt)).isEmpty()) {
      throw new StaleReceiptException("ack", identifier(), receipt);
    }
  }

  /**
   * Deletes the messages that these claims hold, in one statement.
   *
   * @return the receipts that held nothing, because the claim is unknown or outdated; never null
   */
  Set<Receipt> ackBatch(Collection<Receipt> receipts);

  /**
   * Gives a message back after a failure, to become claimable after {@code delay}. An outdated
   * receipt changes nothing and is no error.
   *
   * @param delay zero for at once; fractions of a second are rounded up where the backend keeps
   *     whole seconds
   * @throws IllegalArgumentException if the delay is negative
   */
  default void nack(Receipt receipt, Duration delay) {
    nackBatch(List.of(new Return(receipt, delay)));
  }

  /**
   * Gives messages back after failures, in one statement.
   *
   * @return the receipts that held nothing
   */
  Set<Receipt> nackBatch(Collection<Return> returns);

  /**
   * Gives a message back that has not failed, as {@link #nack} otherwise.
   *
   * @throws IllegalArgumentException if the delay is negative
   */
  default void defer(Receipt receipt, Duration delay) {
    deferBatch(List.of(new Return(receipt, delay)));
  }

  /**
   * Gives messages back that have not failed, in one statement.
   *
   * @return the receipts that held nothing
   */
  Set<Receipt> deferBatch(Collection<Return> returns);

  /**
   * Moves a message to quarantine while this claim still holds it; else does nothing.
   *
   * @param reason kept beside the message, cut at 1,000 characters
   * @return whether the message was moved
   */
  default boolean reject(Receipt receipt, String reason) {
    return rejectBatch(List.of(new Rejection(receipt, reason))).isEmpty();
  }

  /**
   * Moves messages to quarantine, in one statement; or gives those back that are to go there {@link
   * Rejection#onlyWhileBlocked} and whose group is blocked neither now nor by an earlier rejection
   * of the batch, as {@link #defer} without a delay does. A requeue or discard at the same time
   * comes before the whole of it, or after.
   *
   * @param rejections of a receipt that is there more than once, the first
   * @return the receipts that held nothing
   */
  Set<Receipt> rejectBatch(Collection<Rejection> rejections);

  /**
   * Which of these groups are blocked: quarantine holds a row of theirs, whose reason begins with
   * {@link Rejection#BLOCKED}. Empty where there is no quarantine.
   *
   * @param groups as {@link Delivery#claimGroup} names them: the message's group, where its
   *     producer wrote the column as it must
   */
  Set<String> blockedGroups(Collection<String> groups);

  /**
   * Keeps claims alive: each that still holds lapses {@code duration} from now, all at one instant.
   * Pass all claims that a process holds of a group in one call, so that a later message never
   * lapses before an earlier one.
   *
   * @param duration at least one second; fractions are rounded up
   * @return the receipts that held nothing
   * @throws IllegalArgumentException if the duration is less than a second
   */
  Set<Receipt> extendVisibility(Collection<Receipt> receipts, Duration duration);

  /** Whether a message that goes back with a delay holds back the later ones of its group. */
  boolean honoursDelayedReturn();

  /**
   * Whether a group gives nothing while a message of it is in flight, so that settling one makes
   * the next claimable.
   */
  boolean hasExclusiveGroups();

  /**
   * Publishes one message. One whose id waits in the queue already is left alone, where the backend
   * keeps ids apart: the harel transport does not, and delivers both.
   *
   * @return the message's id
   * @throws IllegalArgumentException if the message cannot be stored (a NUL in its id or group)
   */
  default String publish(Message message) {
    return publishBatch(List.of(message)).get(0);
  }

  /**
   * Publishes messages in their order, in one statement, all or nothing.
   *
   * @return all ids, in the order given; an empty list for an empty batch
   * @throws IllegalArgumentException if one of them cannot be stored; nothing is written then
   */
  default List<String> publishBatch(List<Message> messages) {
    return insertBatch(messages.stream().map(m -> new QueueRow(identifier(), m)).toList());
  }

  /**
   * Publishes messages to the queues that the rows name, in one statement, all or nothing.
   *
   * @return all ids, in the order given; an empty list for an empty batch
   * @throws IllegalArgumentException if one of them cannot be stored; nothing is written then
   */
  List<String> insertBatch(List<QueueRow> rows);

  /**
   * Creates the tables where they are missing. Alters and drops nothing that it did not make.
   *
   * <p>Only for the owner of the database: the router never calls it.
   */
  void initSchema();

  /** Compares what is in the database with what this backend needs. Creates nothing. */
  SchemaReport checkSchema();

  /**
   * Listens for the wake-up trigger of the schema ({@link SchemaReport.Extra#NOTIFY}), on a thread
   * and a connection that all queues of a database share, until closed or this queue is. Reconnects
   * by itself; while there is no connection or no trigger, nothing is heard. A trigger that comes
   * later is noticed within 30 s.
   *
   * <p>Heard is what is inserted: publishes, requeues, what a migration brings. What goes back, is
   * due later or lapses is not.
   *
   * @param wake called when something was published to this queue, once for many where they come
   *     fast, and once whenever listening begins; must not block
   */
  AutoCloseable listen(Runnable wake);

  /** Counts of this queue in the database, taken in one statement. */
  QueueMetrics metrics();

  /** What this instance did since it was made. Does not touch the database. */
  Counters counters();

  /** Whether the database answers within 2 seconds. Never throws. */
  boolean healthy();

  /** What people do by hand: look in, repair, create the schema. Never needed to drain a queue. */
  QueueAdmin admin();

  /** Ends this instance for good; every later call but {@link #healthy} throws. Idempotent. */
  @Override
  void close();
}
