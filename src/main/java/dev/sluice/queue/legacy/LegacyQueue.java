package dev.sluice.queue.legacy;

import dev.sluice.queue.Counters;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.MalformedMessageException;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
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
import dev.sluice.queue.jdbc.Acks;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.queue.jdbc.Texts;
import dev.sluice.queue.jdbc.Wakeups;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue in the table {@code queue_messages} that Go services write and read, beside them or in
 * their place: the same rows, the same claims, the same bytes. With our claim indexes a poll takes
 * rows that the seed's may take, one of a group; which groups come first is exact for the oldest
 * rows only.
 *
 * <p>Safe for use by many threads. Takes connections from its data source and does not close it.
 *
 * <p>Source: the seed's {@code postgres.Queue}; quarantine by {@code reject}, extension, batches
 * and exclusive groups are ours.
 */
public final class LegacyQueue implements Queue {
  private static final Logger log = LoggerFactory.getLogger(LegacyQueue.class);
  private static final Duration DEFAULT_VISIBILITY = Duration.ofSeconds(30);
  private static final long QUICK_NANOS = 5_000_000;

  private final String name;
  private final Session session;
  private final Clock clock;
  private final Claims claims;
  private final LegacySchema schema;
  private final LegacyAdmin admin;
  private final Inserts inserts;
  private final Wakeups wakeups;
  private final List<Wakeups.Subscription> subscriptions = new CopyOnWriteArrayList<>();

  private final LongAdder polled = new LongAdder();
  private final LongAdder acked = new LongAdder();
  private final LongAdder nacked = new LongAdder();
  private final LongAdder deferred = new LongAdder();
  private final LongAdder rejected = new LongAdder();

  /** How messages of one group follow each other when several routers share a queue. */
  public enum Groups {
    /** As the Go router: a message in flight does not hold back the next one of its group. */
    RELAXED,
    /** A group with a message in flight gives nothing. Holds among exclusive pollers only. */
    EXCLUSIVE
  }

  /** The time that statements are given; null stands for the database's own. */
  @FunctionalInterface
  interface Clock {
    @Nullable Long epochSeconds();
  }

  private LegacyQueue(Builder builder) {
    this.name = builder.name;
    this.clock = builder.clock;
    this.session = new Session(builder.dataSource, name);
    this.schema = new LegacySchema(session);
    this.claims =
        new Claims(
            session,
            name,
            clock,
            schema,
            builder.visibility,
            builder.groups,
            builder.budgets,
            builder.plainRows,
            builder.nanos,
            builder.quickNanos);
    this.admin = new LegacyAdmin(session, name, clock, claims, schema);
    this.inserts = new Inserts(session, clock);
    this.wakeups = builder.wakeups;
  }

  /**
   * A queue of this name, with relaxed groups and a visibility timeout of 30 seconds.
   *
   * @throws IllegalArgumentException if the name is empty or holds a NUL
   */
  public static Builder builder(DataSource dataSource, String name) {
    return new Builder(dataSource, name);
  }

  /** The statements that create tables and indexes; needs no database. */
  public static String schemaScript() {
    return LegacySchema.script();
  }

  /** Collects what a {@link LegacyQueue} may be told. Not safe for use by many threads. */
  public static final class Builder {
    private final DataSource dataSource;
    private final String name;
    private Duration visibility = DEFAULT_VISIBILITY;
    private Groups groups = Groups.RELAXED;
    private Clock clock = () -> null;
    private Wakeups wakeups;
    private ClaimSearch.Budgets budgets = ClaimSearch.Budgets.DEFAULT;
    private int plainRows = ClaimSql.ROWS;
    private LongSupplier nanos = System::nanoTime;
    private long quickNanos = QUICK_NANOS;

    private Builder(DataSource dataSource, String name) {
      if (name.isEmpty()) {
        throw new IllegalArgumentException("queue name: must not be empty");
      }
      this.dataSource = dataSource;
      this.wakeups = new Wakeups(dataSource::getConnection);
      this.name = Texts.requireNoNul("queue name", name);
    }

    /**
     * Listens here. Without it, {@link Queue#listen} takes a connection of the data source for as
     * long as somebody listens.
     */
    public Builder wakeups(Wakeups wakeups) {
      this.wakeups = wakeups;
      return this;
    }

    /** How long a claim holds; zero or less for the default of 30 s, fractions are rounded up. */
    public Builder visibility(Duration visibility) {
      this.visibility =
          visibility.isNegative() || visibility.isZero() ? DEFAULT_VISIBILITY : visibility;
      return this;
    }

    /** Whether a group is handled by one at a time across routers. */
    public Builder groups(Groups groups) {
      this.groups = groups;
      return this;
    }

    /** Uses this clock, in epoch seconds, instead of the database's. For tests. */
    public Builder clock(LongSupplier epochSeconds) {
      this.clock = epochSeconds::getAsLong;
      return this;
    }

    Builder budgets(ClaimSearch.Budgets budgets, int plainRows) {
      this.budgets = budgets;
      this.plainRows = plainRows;
      return this;
    }

    /**
     * What counts as a quick walk: after slower ones, polls begin where rows were seen last.
     *
     * @param nanos the clock by which that is measured
     */
    Builder ticker(LongSupplier nanos, long quickNanos) {
      this.nanos = nanos;
      this.quickNanos = quickNanos;
      return this;
    }

    /** The queue. Does not touch the database yet. */
    public LegacyQueue build() {
      return new LegacyQueue(this);
    }
  }

  @Override
  public String identifier() {
    return name;
  }

  @Override
  public PollResult poll(int max) {
    if (max < 1) {
      throw new IllegalArgumentException("max: must be at least 1, was " + max);
    }
    ClaimSearch.Outcome<Claims.Row> claimed = claims.claim(max);
    List<Claims.Row> rows = claimed.rows();
    List<Delivery> deliveries = new ArrayList<>(rows.size());
    List<Rejection> malformed = new ArrayList<>();
    for (Claims.Row row : rows) {
      try {
        deliveries.add(delivery(row, MessageJson.read(row.payload())));
      } catch (MalformedMessageException e) {
        malformed.add(new Rejection(new Receipt(row.receipt()), "malformed: " + e.getMessage()));
      }
    }
    polled.add(deliveries.size());
    return new PollResult(
        deliveries,
        rows.size(),
        quarantine(malformed),
        0,
        claimed.inDoubt() ? PollResult.Doubt.UNSEEN : PollResult.Doubt.NONE);
  }

  private Delivery delivery(Claims.Row row, Message message) {
    return new Delivery(
        message,
        Delivery.Kind.MESSAGE,
        row.payload(),
        new Receipt(row.receipt()),
        row.id(),
        name,
        row.group(),
        row.receives(),
        instant(row.createdAt()),
        instant(row.visibleAt()));
  }

  // A quarantine that fails must not cost the good rows of the batch: the bad ones stay claimed and
  // come back when their claims lapse.
  private int quarantine(List<Rejection> malformed) {
    if (malformed.isEmpty()) {
      return 0;
    }
    try {
      return malformed.size() - rejectBatch(malformed).size();
    } catch (QueueException e) {
      log.warn(
          "event=malformed_stay_claimed queue={} count={} reason=\"{}\"",
          name,
          malformed.size(),
          e.getMessage());
      return 0;
    }
  }

  @Override
  public Set<Receipt> ackBatch(Collection<Receipt> receipts) {
    if (receipts.isEmpty()) {
      return Set.of();
    }
    Keys keys = Keys.of(receipts);
    Set<Receipt> stale = Acks.delete(() -> deleteHeld(keys), this::stillThere);
    acked.add(keys.distinct() - stale.size());
    return stale;
  }

  private Set<Receipt> deleteHeld(Keys keys) {
    return keys.without(
        session.query(
            "ack",
            SettleSql.ACK,
            row -> row.getString(1),
            name,
            keys.ids(),
            keys.ids(),
            keys.receipts(),
            name));
  }

  private Set<Receipt> stillThere(Set<Receipt> receipts) {
    Set<String> present =
        Set.copyOf(
            session.query(
                "ack", SettleSql.PRESENT, row -> row.getString(1), name, Keys.of(receipts).ids()));
    Set<Receipt> there = new LinkedHashSet<>(receipts);
    there.removeIf(receipt -> !present.contains(Keys.id(receipt)));
    return there;
  }

  @Override
  public Set<Receipt> nackBatch(Collection<Return> returns) {
    Set<Receipt> stale = giveBack("nack", returns);
    nacked.add(Keys.ofReturns(returns).distinct() - stale.size());
    return stale;
  }

  @Override
  public Set<Receipt> deferBatch(Collection<Return> returns) {
    Set<Receipt> stale = giveBack("defer", returns);
    deferred.add(Keys.ofReturns(returns).distinct() - stale.size());
    return stale;
  }

  private Set<Receipt> giveBack(String operation, Collection<Return> returns) {
    if (returns.isEmpty()) {
      return Set.of();
    }
    Keys keys = Keys.ofReturns(returns);
    Long[] delays = returns.stream().map(r -> wholeSeconds(r.delay())).toArray(Long[]::new);
    return keys.without(
        session.query(
            operation,
            SettleSql.RETURN,
            row -> row.getString(1),
            clock.epochSeconds(),
            name,
            keys.ids(),
            keys.ids(),
            keys.receipts(),
            delays,
            name));
  }

  @Override
  public Set<Receipt> rejectBatch(Collection<Rejection> rejections) {
    if (rejections.isEmpty()) {
      return Set.of();
    }
    Map<Receipt, Rejection> each = new LinkedHashMap<>();
    rejections.forEach(rejection -> each.putIfAbsent(rejection.receipt(), rejection));
    Keys keys = Keys.of(each.keySet());
    record Held(String receipt, boolean moved) {}
    List<Held> held =
        session.queryAtOnce(
            "reject",
            SettleSql.REJECT,
            row -> new Held(row.getString(1), row.getBoolean(2)),
            name,
            clock.epochSeconds(),
            name,
            keys.ids(),
            keys.ids(),
            keys.receipts(),
            each.values().stream().map(r -> Texts.withoutNul(r.reason())).toArray(String[]::new),
            each.values().stream().map(Rejection::onlyWhileBlocked).toArray(Boolean[]::new));
    long moved = held.stream().filter(Held::moved).count();
    rejected.add(moved);
    deferred.add(held.size() - moved);
    return keys.without(held.stream().map(Held::receipt).toList());
  }

  @Override
  public Set<String> blockedGroups(Collection<String> groups) {
    if (groups.isEmpty()) {
      return Set.of();
    }
    try {
      return Set.copyOf(
          session.queryAtOnce(
              "blockedGroups",
              QuarantineSql.BLOCKED,
              row -> row.getString(1),
              name,
              groups.toArray(String[]::new)));
    } catch (QueueException e) {
      if (e.isMissingTable()) {
        return Set.of();
      }
      throw e;
    }
  }

  @Override
  public Set<Receipt> extendVisibility(Collection<Receipt> receipts, Duration duration) {
    long seconds = wholeSeconds(duration);
    if (seconds < 1) {
      throw new IllegalArgumentException("duration: must be at least 1 s, was " + duration);
    }
    if (receipts.isEmpty()) {
      return Set.of();
    }
    Keys keys = Keys.of(receipts);
    return keys.without(
        session.query(
            "extendVisibility",
            SettleSql.EXTEND,
            row -> row.getString(1),
            clock.epochSeconds(),
            name,
            keys.ids(),
            seconds,
            keys.ids(),
            keys.receipts(),
            name));
  }

  @Override
  public boolean honoursDelayedReturn() {
    return true;
  }

  @Override
  public boolean hasExclusiveGroups() {
    return claims.areExclusive();
  }

  @Override
  public List<String> insertBatch(List<QueueRow> rows) {
    if (rows.isEmpty()) {
      return List.of();
    }
    return inserts.insert(rows);
  }

  private static long wholeSeconds(Duration duration) {
    return duration.getNano() == 0
        ? duration.getSeconds()
        : Math.addExact(duration.getSeconds(), 1);
  }

  @Override
  public void initSchema() {
    schema.init();
  }

  @Override
  public SchemaReport checkSchema() {
    return schema.check();
  }

  @Override
  public AutoCloseable listen(Runnable wake) {
    session.requireOpen("listen");
    Wakeups.Subscription subscription = wakeups.listen(LegacySchema.TABLE, name, wake);
    subscriptions.add(subscription);
    return subscription;
  }

  @Override
  public QueueMetrics metrics() {
    return admin.metrics();
  }

  @Override
  public Counters counters() {
    return new Counters(polled.sum(), acked.sum(), nacked.sum(), deferred.sum(), rejected.sum());
  }

  @Override
  public boolean healthy() {
    return session.ping();
  }

  @Override
  public QueueAdmin admin() {
    return admin;
  }

  @Override
  public void close() {
    session.close();
    subscriptions.forEach(Wakeups.Subscription::close);
  }

  /** Receipts beside the ids that they embed: {@code <uuid>:<id>}. */
  private record Keys(List<Receipt> given) {
    static Keys of(Collection<Receipt> receipts) {
      return new Keys(List.copyOf(receipts));
    }

    static Keys ofReturns(Collection<Return> returns) {
      return of(returns.stream().map(Return::receipt).toList());
    }

    /** How many there are, however often each is given. */
    int distinct() {
      return Math.toIntExact(given.stream().distinct().count());
    }

    // A receipt without a colon is none of ours: it finds no row, as any unknown one.
    static String id(Receipt receipt) {
      return receipt.value().substring(receipt.value().indexOf(':') + 1);
    }

    String[] ids() {
      return given.stream().map(Keys::id).toArray(String[]::new);
    }

    String[] receipts() {
      return given.stream().map(Receipt::value).toArray(String[]::new);
    }

    Set<Receipt> without(List<String> held) {
      Set<Receipt> rest = new LinkedHashSet<>(given);
      held.forEach(receipt -> rest.remove(new Receipt(receipt)));
      return rest;
    }
  }

  /** A column of epoch seconds; nothing keeps a producer from writing what no clock shows. */
  static Instant instant(long epochSecond) {
    return Instant.ofEpochSecond(
        Math.min(
            Math.max(epochSecond, Instant.MIN.getEpochSecond()), Instant.MAX.getEpochSecond()));
  }

  /** The prefix of the receipts of one poll. */
  static String receiptPrefix() {
    return UUID.randomUUID() + ":";
  }
}
