package dev.sluice.queue;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Runs each call of a blocking queue on an executor. */
final class ExecutorAsyncQueue implements AsyncQueue {
  private final Queue queue;
  private final Executor executor;

  ExecutorAsyncQueue(Queue queue, Executor executor) {
    this.queue = queue;
    this.executor = executor;
  }

  @Override
  public String identifier() {
    return queue.identifier();
  }

  @Override
  public CompletionStage<PollResult> poll(int max) {
    return CompletableFuture.supplyAsync(() -> queue.poll(max), executor);
  }

  @Override
  public CompletionStage<Void> ack(Receipt receipt) {
    return CompletableFuture.runAsync(() -> queue.ack(receipt), executor);
  }

  @Override
  public CompletionStage<Set<Receipt>> ackBatch(Collection<Receipt> receipts) {
    List<Receipt> copy = List.copyOf(receipts);
    return CompletableFuture.supplyAsync(() -> queue.ackBatch(copy), executor);
  }

  @Override
  public CompletionStage<Void> nack(Receipt receipt, Duration delay) {
    return CompletableFuture.runAsync(() -> queue.nack(receipt, delay), executor);
  }

  @Override
  public CompletionStage<Set<Receipt>> nackBatch(Collection<Return> returns) {
    List<Return> copy = List.copyOf(returns);
    return CompletableFuture.supplyAsync(() -> queue.nackBatch(copy), executor);
  }

  @Override
  public CompletionStage<Void> defer(Receipt receipt, Duration delay) {
    return CompletableFuture.runAsync(() -> queue.defer(receipt, delay), executor);
  }

  @Override
  public CompletionStage<Set<Receipt>> deferBatch(Collection<Return> returns) {
    List<Return> copy = List.copyOf(returns);
    return CompletableFuture.supplyAsync(() -> queue.deferBatch(copy), executor);
  }

  @Override
  public CompletionStage<Boolean> reject(Receipt receipt, String reason) {
    return CompletableFuture.supplyAsync(() -> queue.reject(receipt, reason), executor);
  }

  @Override
  public CompletionStage<Set<Receipt>> rejectBatch(Collection<Rejection> rejections) {
    List<Rejection> copy = List.copyOf(rejections);
    return CompletableFuture.supplyAsync(() -> queue.rejectBatch(copy), executor);
  }

  @Override
  public CompletionStage<Set<Receipt>> extendVisibility(
      Collection<Receipt> receipts, Duration duration) {
    List<Receipt> copy = List.copyOf(receipts);
    return CompletableFuture.supplyAsync(() -> queue.extendVisibility(copy, duration), executor);
  }

  @Override
  public boolean honoursDelayedReturn() {
    return queue.honoursDelayedReturn();
  }

  @Override
  public CompletionStage<String> publish(Message message) {
    return CompletableFuture.supplyAsync(() -> queue.publish(message), executor);
  }

  @Override
  public CompletionStage<List<String>> publishBatch(List<Message> messages) {
    List<Message> copy = List.copyOf(messages);
    return CompletableFuture.supplyAsync(() -> queue.publishBatch(copy), executor);
  }

  @Override
  public CompletionStage<List<String>> insertBatch(List<QueueRow> rows) {
    List<QueueRow> copy = List.copyOf(rows);
    return CompletableFuture.supplyAsync(() -> queue.insertBatch(copy), executor);
  }

  @Override
  public CompletionStage<Void> initSchema() {
    return CompletableFuture.runAsync(queue::initSchema, executor);
  }

  @Override
  public CompletionStage<SchemaReport> checkSchema() {
    return CompletableFuture.supplyAsync(queue::checkSchema, executor);
  }

  @Override
  public CompletionStage<QueueMetrics> metrics() {
    return CompletableFuture.supplyAsync(queue::metrics, executor);
  }

  @Override
  public Counters counters() {
    return queue.counters();
  }

  @Override
  public CompletionStage<Boolean> healthy() {
    return CompletableFuture.supplyAsync(queue::healthy, executor);
  }

  @Override
  public void close() {
    queue.close();
  }
}
