package dev.sluice.queue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * The asynchronous twin of {@link Queue}: the same operations, each of which returns at once.
 *
 * <p>A stage completes with what the blocking call returns, or exceptionally with what it throws,
 * wrapped as stages do in a {@link java.util.concurrent.CompletionException}. Cancelling a stage
 * before its call began keeps it from the database; after that it undoes nothing.
 *
 * <p>Instances are safe for use by many threads.
 */
public interface AsyncQueue extends AutoCloseable {

  /**
   * The twin of this queue. Give it as many threads as the queue has connections: a call holds one
   * while its statement runs, and calls beyond that wait in the executor, holding none.
   */
  static AsyncQueue of(Queue queue, Executor executor) {
    return new ExecutorAsyncQueue(queue, executor);
  }

  /** See {@link Queue#identifier}. */
  String identifier();

  /** See {@link Queue#poll}. */
  CompletionStage<PollResult> poll(int max);

  /** See {@link Queue#ack}. */
  CompletionStage<Void> ack(Receipt receipt);

  /** See {@link Queue#ackBatch}. */
  CompletionStage<Set<Receipt>> ackBatch(Collection<Receipt> receipts);

  /** See {@link Queue#nack}. */
  CompletionStage<Void> nack(Receipt receipt, Duration delay);

  /** See {@link Queue#nackBatch}. */
  CompletionStage<Set<Receipt>> nackBatch(Collection<Return> returns);

  /** See {@link Queue#defer}. */
  CompletionStage<Void> defer(Receipt receipt, Duration delay);

  /** See {@link Queue#deferBatch}. */
  CompletionStage<Set<Receipt>> deferBatch(Collection<Return> returns);

  /** See {@link Queue#reject}. */
  CompletionStage<Boolean> reject(Receipt receipt, String reason);

  /** See {@link Queue#rejectBatch}. */
  CompletionStage<Set<Receipt>> rejectBatch(Collection<Rejection> rejections);

  /** See {@link Queue#blockedGroups}. */
  CompletionStage<Set<String>> blockedGroups(Collection<String> groups);

  /** See {@link Queue#extendVisibility}. */
  CompletionStage<Set<Receipt>> extendVisibility(Collection<Receipt> receipts, Duration duration);

  /** See {@link Queue#honoursDelayedReturn}. */
  boolean honoursDelayedReturn();

  /** See {@link Queue#publish}. */
  CompletionStage<String> publish(Message message);

  /** See {@link Queue#publishBatch}. */
  CompletionStage<List<String>> publishBatch(List<Message> messages);

  /** See {@link Queue#insertBatch}. */
  CompletionStage<List<String>> insertBatch(List<QueueRow> rows);

  /** See {@link Queue#initSchema}. */
  CompletionStage<Void> initSchema();

  /** See {@link Queue#checkSchema}. */
  CompletionStage<SchemaReport> checkSchema();

  /** See {@link Queue#metrics}. */
  CompletionStage<QueueMetrics> metrics();

  /** See {@link Queue#counters}. */
  Counters counters();

  /** See {@link Queue#healthy}. */
  CompletionStage<Boolean> healthy();

  /** Closes the queue behind it. */
  @Override
  void close();
}
