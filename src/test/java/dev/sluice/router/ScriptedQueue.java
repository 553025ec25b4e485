package dev.sluice.router;

import dev.sluice.queue.Counters;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueAdmin;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.queue.QueueRow;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Rejection;
import dev.sluice.queue.Return;
import dev.sluice.queue.SchemaReport;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** A queue that notes its statements, and fails those that a test names. */
final class ScriptedQueue implements Queue {

  /** Throws what a statement is to fail with. */
  @FunctionalInterface
  interface Fault {
    void strike();
  }

  private final Queue queue;
  private final List<String> log = new ArrayList<>();
  private String faulty = "";
  private Fault before = () -> {};
  private Fault after = () -> {};

  ScriptedQueue(Queue queue) {
    this.queue = queue;
  }

  static Fault connectionLost() {
    return () -> {
      throw new QueueException("test", "q", new SQLException("scripted", "08006"));
    };
  }

  static Fault statementFails() {
    return () -> {
      throw new QueueException("test", "q", new SQLException("scripted", "22000"));
    };
  }

  static Fault error() {
    return () -> {
      throw new StackOverflowError();
    };
  }

  /** Statements that begin so do nothing and fail. */
  void failBefore(String statements, Fault fault) {
    heal();
    faulty = statements;
    before = fault;
  }

  /** Statements that begin so are committed, and their answer is lost. */
  void failAfter(String statements, Fault fault) {
    heal();
    faulty = statements;
    after = fault;
  }

  void heal() {
    before = () -> {};
    after = () -> {};
  }

  /** {@code poll 500}, {@code ack a b}, {@code nack a+30}, ...; those that failed too. */
  List<String> log() {
    return List.copyOf(log);
  }

  private <T> T run(String statement, Supplier<T> body) {
    log.add(statement);
    boolean isFaulty = statement.startsWith(faulty);
    if (isFaulty) {
      before.strike();
    }
    T result = body.get();
    if (isFaulty) {
      after.strike();
    }
    return result;
  }

  private static String id(Receipt receipt) {
    return receipt.value().substring(receipt.value().indexOf(':') + 1);
  }

  private static String named(String verb, Collection<Receipt> receipts) {
    StringBuilder text = new StringBuilder(verb);
    receipts.stream().map(ScriptedQueue::id).sorted().forEach(i -> text.append(' ').append(i));
    return text.toString();
  }

  private static String returned(String verb, Collection<Return> returns) {
    StringBuilder text = new StringBuilder(verb);
    returns.forEach(
        r -> text.append(' ').append(id(r.receipt())).append('+').append(r.delay().toSeconds()));
    return text.toString();
  }

  @Override
  public String identifier() {
    return queue.identifier();
  }

  @Override
  public PollResult poll(int max) {
    return run("poll " + max, () -> queue.poll(max));
  }

  @Override
  public Set<Receipt> ackBatch(Collection<Receipt> receipts) {
    return run(named("ack", receipts), () -> queue.ackBatch(receipts));
  }

  @Override
  public Set<Receipt> nackBatch(Collection<Return> returns) {
    return run(returned("nack", returns), () -> queue.nackBatch(returns));
  }

  @Override
  public Set<Receipt> deferBatch(Collection<Return> returns) {
    return run(returned("defer", returns), () -> queue.deferBatch(returns));
  }

  @Override
  public Set<Receipt> rejectBatch(Collection<Rejection> rejections) {
    List<Receipt> receipts = rejections.stream().map(Rejection::receipt).toList();
    return run(named("reject", receipts), () -> queue.rejectBatch(rejections));
  }

  @Override
  public Set<String> blockedGroups(Collection<String> groups) {
    return run("blocked " + String.join(" ", groups), () -> queue.blockedGroups(groups));
  }

  @Override
  public AutoCloseable listen(Runnable wake) {
    return queue.listen(wake);
  }

  @Override
  public Set<Receipt> extendVisibility(Collection<Receipt> receipts, Duration duration) {
    return run(named("extend", receipts), () -> queue.extendVisibility(receipts, duration));
  }

  @Override
  public boolean honoursDelayedReturn() {
    return queue.honoursDelayedReturn();
  }

  @Override
  public boolean hasExclusiveGroups() {
    return queue.hasExclusiveGroups();
  }

  @Override
  public List<String> insertBatch(List<QueueRow> rows) {
    return queue.insertBatch(rows);
  }

  @Override
  public void initSchema() {
    queue.initSchema();
  }

  @Override
  public SchemaReport checkSchema() {
    return queue.checkSchema();
  }

  @Override
  public QueueMetrics metrics() {
    return queue.metrics();
  }

  @Override
  public Counters counters() {
    return queue.counters();
  }

  @Override
  public boolean healthy() {
    return queue.healthy();
  }

  @Override
  public QueueAdmin admin() {
    return queue.admin();
  }

  @Override
  public void close() {
    queue.close();
  }
}
