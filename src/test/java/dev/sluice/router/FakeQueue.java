package dev.sluice.router;

import dev.sluice.queue.Counters;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Message;
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
import dev.sluice.time.Time;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A queue in memory that claims as the legacy table does: oldest first, one of a group per poll, a
 * row in flight holds back nobody, a pending, delayed or lapsed one holds back its group.
 */
final class FakeQueue implements Queue {
  private static final class Row {
    final Message message;
    final long created;
    final int place;
    String receipt = "";
    long visibleAt;
    int receives;

    Row(Message message, long now, int place) {
      this.message = message;
      this.place = place;
      this.created = now;
      this.visibleAt = now;
    }

    String group() {
      return message.messageGroupId().orElse("id " + message.id());
    }
  }

  /** What goes wrong with the next statements. */
  enum Fault {
    NONE,
    /** Nothing is done, and the connection is gone. */
    CONNECTION_LOST,
    /** It is done, and the connection is gone before the answer. */
    ANSWER_LOST,
    /** Nothing is done: the statement itself fails. */
    STATEMENT
  }

  private final Time time;
  private final long visibility;
  private final Map<String, Row> rows = new LinkedHashMap<>();
  private final Map<String, String> quarantine = new LinkedHashMap<>();
  private final Map<String, Row> rejected = new LinkedHashMap<>();
  private final Set<String> blockedGroups = new HashSet<>();
  private final List<String> log = new ArrayList<>();
  private Fault fault = Fault.NONE;
  private Predicate<String> faulty = statement -> true;
  private int claims;
  private int places;
  private int malformed;
  private int unseen;
  private boolean honoursDelayedReturn = true;
  boolean exclusiveGroups;
  private boolean locked;

  FakeQueue(Time time, Duration visibility) {
    this.time = time;
    this.visibility = visibility.toSeconds();
  }

  static Message message(String id, String group, DispatchMode mode) {
    return Message.of(id, "http://user:secret@t.example/hook?key=1")
        .withGroup(group)
        .withMode(mode);
  }

  /** From now on statements fail that begin so: {@code "ack"}, or {@code "ack a"} for one id. */
  synchronized void fail(Fault fault, String statements) {
    this.fault = fault;
    this.faulty = statement -> statement.startsWith(statements);
  }

  synchronized void heal() {
    fault = Fault.NONE;
  }

  synchronized void honourNoDelayedReturn() {
    honoursDelayedReturn = false;
  }

  /** Whether another poller's transaction holds all rows. */
  synchronized void lockRows(boolean locked) {
    this.locked = locked;
  }

  /** The next poll finds so many malformed rows and quarantines them. */
  synchronized void malformed(int count) {
    malformed = count;
  }

  /** The next polls find nothing, and have not looked everywhere. */
  synchronized void unseen(int polls) {
    unseen = polls;
  }

  synchronized void put(String id, String group, DispatchMode mode) {
    Row unused = rows.put(id, new Row(message(id, group, mode), now(), ++places));
  }

  synchronized void put(String id, String group, DispatchMode mode, String pool) {
    Row unused = rows.put(id, new Row(message(id, group, mode).withPool(pool), now(), ++places));
  }

  /** Someone else takes the claim of this row. */
  synchronized void steal(String id) {
    row(id).receipt = "other:" + id;
    row(id).visibleAt = now() + visibility;
  }

  /** {@code id state}, in order: pending, delayed N, claimed N, lapsed; N in seconds from now. */
  synchronized List<String> rows() {
    return rows.values().stream().map(this::describe).toList();
  }

  /** The statements so far: {@code ack a b}, {@code nack a+30}, ... in their order. */
  synchronized List<String> log() {
    return List.copyOf(log);
  }

  synchronized Map<String, String> quarantine() {
    return Map.copyOf(quarantine);
  }

  synchronized boolean isEmpty() {
    return rows.isEmpty();
  }

  @Override
  public String identifier() {
    return "orders";
  }

  @Override
  public synchronized PollResult poll(int max) {
    before("poll");
    if (locked) {
      return PollResult.EMPTY;
    }
    if (unseen > 0) {
      unseen--;
      after("poll");
      return new PollResult(List.of(), 0, 0, 0, PollResult.Doubt.UNSEEN);
    }
    long now = now();
    List<Delivery> deliveries = new ArrayList<>();
    Set<String> blocked = new HashSet<>();
    claims++;
    for (Row row : rows.values()) {
      boolean inFlight = !row.receipt.isEmpty() && row.visibleAt > now;
      if (inFlight) {
        continue;
      }
      if (blocked.add(row.group()) && row.visibleAt <= now && deliveries.size() < max) {
        deliveries.add(claim(row, now));
      }
    }
    int bad = malformed;
    malformed = 0;
    after("poll");
    return new PollResult(deliveries, deliveries.size() + bad, bad);
  }

  private Delivery claim(Row row, long now) {
    row.receipt = claims + ":" + row.message.id();
    row.visibleAt = now + visibility;
    row.receives++;
    return new Delivery(
        row.message,
        Delivery.Kind.MESSAGE,
        row.message.id() + "@" + row.created,
        new Receipt(row.receipt),
        row.message.id(),
        identifier(),
        row.group(),
        row.receives,
        Instant.ofEpochSecond(row.created),
        Instant.ofEpochSecond(row.visibleAt));
  }

  @Override
  public synchronized Set<Receipt> ackBatch(Collection<Receipt> receipts) {
    String statement = "ack" + names(receipts);
    before(statement);
    Set<Receipt> stale = new HashSet<>();
    for (Receipt receipt : receipts) {
      if (holds(receipt)) {
        rows.remove(id(receipt));
      } else {
        stale.add(receipt);
      }
    }
    after(statement);
    return stale;
  }

  @Override
  public Set<Receipt> nackBatch(Collection<Return> returns) {
    return giveBack("nack", returns);
  }

  @Override
  public Set<Receipt> deferBatch(Collection<Return> returns) {
    return giveBack("defer", returns);
  }

  private synchronized Set<Receipt> giveBack(String verb, Collection<Return> returns) {
    StringBuilder statement = new StringBuilder(verb);
    returns.forEach(
        r -> statement.append(' ').append(id(r.receipt())).append('+').append(seconds(r.delay())));
    before(statement.toString());
    Set<Receipt> stale = new HashSet<>();
    for (Return back : returns) {
      if (holds(back.receipt())) {
        row(id(back.receipt())).receipt = "";
        row(id(back.receipt())).visibleAt = now() + seconds(back.delay());
      } else {
        stale.add(back.receipt());
      }
    }
    after(statement.toString());
    return stale;
  }

  @Override
  public synchronized Set<Receipt> rejectBatch(Collection<Rejection> rejections) {
    String statement = "reject" + names(rejections.stream().map(Rejection::receipt).toList());
    before(statement);
    Set<Receipt> stale = new HashSet<>();
    for (Rejection rejection : rejections) {
      if (!holds(rejection.receipt())) {
        stale.add(rejection.receipt());
        continue;
      }
      Row row = row(id(rejection.receipt()));
      if (rejection.onlyWhileBlocked() && !blockedGroups.contains(row.group())) {
        row.receipt = "";
        row.visibleAt = now();
        continue;
      }
      if (rejection.reason().startsWith(Rejection.BLOCKED)) {
        blockedGroups.add(row.group());
      }
      quarantine.put(id(rejection.receipt()), rejection.reason());
      rejected.put(id(rejection.receipt()), row);
      rows.remove(id(rejection.receipt()));
    }
    after(statement);
    return stale;
  }

  @Override
  public synchronized Set<String> blockedGroups(Collection<String> groups) {
    Set<String> blocked = new HashSet<>(groups);
    blocked.retainAll(blockedGroups);
    return blocked;
  }

  /** Somebody puts all of the blocked groups back, each message in its old place. */
  synchronized Set<String> requeueBlocked() {
    Map<String, Row> all = new LinkedHashMap<>(rows);
    Set<String> requeued = new HashSet<>();
    for (Row row : rejected.values()) {
      if (blockedGroups.contains(row.group())) {
        row.receipt = "";
        row.visibleAt = now();
        all.put(row.message.id(), row);
        requeued.add(row.message.id());
      }
    }
    quarantine.keySet().removeAll(requeued);
    rejected.keySet().removeAll(requeued);
    blockedGroups.clear();
    rows.clear();
    all.values().stream()
        .sorted(Comparator.comparingInt(row -> row.place))
        .forEach(row -> rows.put(row.message.id(), row));
    return requeued;
  }

  @Override
  public AutoCloseable listen(Runnable wake) {
    return () -> {};
  }

  @Override
  public synchronized Set<Receipt> extendVisibility(
      Collection<Receipt> receipts, Duration duration) {
    String statement = "extend" + names(receipts.stream().sorted(this::byRow).toList());
    before(statement);
    Set<Receipt> stale = new HashSet<>();
    for (Receipt receipt : receipts) {
      if (holds(receipt)) {
        row(id(receipt)).visibleAt = now() + seconds(duration);
      } else {
        stale.add(receipt);
      }
    }
    after(statement);
    return stale;
  }

  @Override
  public synchronized boolean honoursDelayedReturn() {
    return honoursDelayedReturn;
  }

  @Override
  public synchronized boolean hasExclusiveGroups() {
    return exclusiveGroups;
  }

  @Override
  public synchronized List<String> insertBatch(List<QueueRow> batch) {
    batch.forEach(r -> rows.put(r.message().id(), new Row(r.message(), now(), ++places)));
    return batch.stream().map(r -> r.message().id()).toList();
  }

  @Override
  public synchronized QueueMetrics metrics() {
    long now = now();
    long pending = count(r -> r.receipt.isEmpty() && r.visibleAt <= now);
    long delayed = count(r -> r.receipt.isEmpty() && r.visibleAt > now);
    long inFlight = count(r -> !r.receipt.isEmpty() && r.visibleAt > now);
    long lapsed = count(r -> !r.receipt.isEmpty() && r.visibleAt <= now);
    return new QueueMetrics(pending, delayed, inFlight, lapsed, quarantine.size());
  }

  @Override
  public void initSchema() {
    throw new UnsupportedOperationException();
  }

  @Override
  public SchemaReport checkSchema() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Counters counters() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean healthy() {
    return true;
  }

  @Override
  public QueueAdmin admin() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}

  private void before(String statement) {
    if (faulty.test(statement)) {
      switch (fault) {
        case CONNECTION_LOST -> throw failure(statement, "08006");
        case STATEMENT -> throw failure(statement, "22000");
        case ANSWER_LOST, NONE -> {}
      }
    }
    log.add(statement);
  }

  private void after(String statement) {
    if (fault == Fault.ANSWER_LOST && faulty.test(statement)) {
      throw failure(statement, "08006");
    }
  }

  private QueueException failure(String statement, String state) {
    return new QueueException(
        statement.split(" ", 2)[0], identifier(), new SQLException("scripted", state));
  }

  private String describe(Row row) {
    long left = row.visibleAt - now();
    String id = row.message.id();
    if (row.receipt.isEmpty()) {
      return left <= 0 ? id + " pending" : id + " delayed " + left;
    }
    return left <= 0 ? id + " lapsed" : id + " claimed " + left;
  }

  private boolean holds(Receipt receipt) {
    Row row = rows.get(id(receipt));
    return row != null && row.receipt.equals(receipt.value());
  }

  private Row row(String id) {
    Row row = rows.get(id);
    if (row == null) {
      throw new AssertionError("no row " + id);
    }
    return row;
  }

  private int byRow(Receipt a, Receipt b) {
    List<String> ids = List.copyOf(rows.keySet());
    return Integer.compare(ids.indexOf(id(a)), ids.indexOf(id(b)));
  }

  private static String id(Receipt receipt) {
    return receipt.value().substring(receipt.value().indexOf(':') + 1);
  }

  private static String names(Collection<Receipt> receipts) {
    StringBuilder names = new StringBuilder();
    receipts.forEach(r -> names.append(' ').append(id(r)));
    return names.toString();
  }

  private static long seconds(Duration delay) {
    return delay.plusNanos(999_999_999).toSeconds();
  }

  private long count(Predicate<Row> state) {
    return rows.values().stream().filter(state).count();
  }

  private long now() {
    return time.now().getEpochSecond();
  }
}
