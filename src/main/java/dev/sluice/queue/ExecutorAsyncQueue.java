package dev.sluice.queue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Runs each call of a blocking queue on an executor. */
public class ExecutorAsyncQueue implements AsyncQueue {
  private final Queue queue;
  private final Executor executor;

  protected ExecutorAsyncQueue(Queue queue, Executor executor) {
    this.queue = queue;
    this.executor = executor;
  }

  /** The stage of a call on the executor; a stage cancelled before the call begins prevents it. */
  protected final <T> CompletionStage<T> call(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, executor);
  }

  @Override
  public String identifier() {
    return queue.identifier();
  }

  @Override
  public CompletionStage<PollResult> poll(int max) {
    return call(() -> queue.poll(max));
  }

  @Override
  public CompletionStage<Void> ack(Receipt receipt) {
    return CompletableFuture.runAsync(() -> queue.ack(receipt), executor);
  }

  @Override
  public CompletionStage<Set<Receipt>> ackBatch(Collection<Receipt> receipts) {
    List<Receipt> copy = List.copyOf(receipts);
    return call(() -> queue.ackBatch(copy));
  }

  @Override
  public CompletionStage<Void> nack(Receipt receipt, Duration delay) {
    return CompletableFuture.runAsync(() -> queue.nack(receipt, delay), executor);
  }

  @Override
  public CompletionStage<Set<Receipt>> nackBatch(Collection<Return> returns) {
    List<Return> copy = List.copyOf(returns);
    return call(() -> queue.nackBatch(copy));
  }

  @Override
  public CompletionStage<Void> defer(Receipt receipt, Duration delay) {
    return CompletableFuture.runAsync(() -> queue.defer(receipt, delay), executor);
  }

  @Override
  public CompletionStage<Set<Receipt>> deferBatch(Collection<Return> returns) {
    List<Return> copy = List.copyOf(returns);
    return call(() -> queue.deferBatch(copy));
  }

  @Override
  public CompletionStage<Boolean> reject(Receipt receipt, String reason) {
    return call(() -> queue.reject(receipt, reason));
  }

  @Override
  public CompletionStage<Set<Receipt>> rejectBatch(Collection<Rejection> rejections) {
    List<Rejection> copy = List.copyOf(rejections);
    return call(() -> queue.rejectBatch(copy));
  }

  @Override
  public CompletionStage<Set<String>> blockedGroups(Collection<String> groups) {
    List<String> copy = List.copyOf(groups);
    return call(() -> queue.blockedGroups(copy));
  }

  @Override
  public CompletionStage<Set<Receipt>> extendVisibility(
      Collection<Receipt> receipts, Duration duration) {
    List<Receipt> copy = List.copyOf(receipts);
    return call(() -> queue.extendVisibility(copy, duration));
  }

  @Override
  public boolean honoursDelayedReturn() {
    return queue.honoursDelayedReturn();
  }

  @Override
  public CompletionStage<String> publish(Message message) {
    return call(() -> queue.publish(message));
  }

  @Override
  public CompletionStage<List<String>> publishBatch(List<Message> messages) {
    List<Message> copy = List.copyOf(messages);
    return call(() -> queue.publishBatch(copy));
  }

  @Override
  public CompletionStage<List<String>> insertBatch(List<QueueRow> rows) {
    List<QueueRow> copy = List.copyOf(rows);
    return call(() -> queue.insertBatch(copy));
  }

  @Override
  public CompletionStage<Void> initSchema() {
    return CompletableFuture.runAsync(queue::initSchema, executor);
  }

  @Override
  public CompletionStage<SchemaReport> checkSchema() {
    return call(queue::checkSchema);
  }

  @Override
  public CompletionStage<QueueMetrics> metrics() {
    return call(queue::metrics);
  }

  @Override
  public Counters counters() {
    return queue.counters();
  }

  @Override
  public CompletionStage<Boolean> healthy() {
    return call(queue::healthy);
  }

  @Override
  public void close() {
    queue.close();
  }
}
