package dev.sluice.queue.harel;

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
import dev.sluice.queue.jdbc.Acks;
import dev.sluice.queue.jdbc.ClaimMark;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.queue.jdbc.Texts;
import dev.sluice.queue.jdbc.Wakeups;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue in the tables of the harel transport, beside the Python workers that use them: one row
 * per group, which carries the lease. A poll leases groups, those served longest ago first, and
 * returns the head of each; a group gives nothing more until that message is settled.
 *
 * <p>An event that carries no {@link Message} goes to the target that the builder names for such
 * events; without one its group is given back at once and left out of this process's polls for 60
 * s, for a Python worker to take.
 *
 * <p>Once a second, and when it finds nothing, a poll makes a second round trip that looks for
 * messages whose group has no row; see {@link QueueAdmin#repair}.
 *
 * <p>Safe for use by many threads. Takes connections from its data source and does not close it.
 *
 * <p>Source: harel's {@code PostgresTransport}; batches, quarantine and extension are ours.
 */
public final class HarelQueue implements Queue {
  private static final long QUICK_NANOS = 2_000_000;
  static final String WORKER_PREFIX = "sluice";

  private static final Logger log = LoggerFactory.getLogger(HarelQueue.class);
  private static final Duration DEFAULT_VISIBILITY = Duration.ofSeconds(30);
  private static final int HIGH = 4;
  private static final double TO_THE_BACK = -1;

  private final String name;
  private final Session session;
  private final HarelSql sql;
  private final HarelSchema schema;
  private final HarelAdmin admin;
  private final Strands strands;
  private final Clock clock;
  private final Tokens tokens;
  private final double visibility;
  private final int minPriority;
  private final Optional<String> kind;
  private final Optional<String> eventTarget;

  private final String messagesTable;
  private final Wakeups wakeups;
  private final List<Wakeups.Subscription> subscriptions = new CopyOnWriteArrayList<>();

  private final ClaimMark<Served> mark;
  private final LeftOut leftOut = new LeftOut();
  private final Parked parked = new Parked();
  private final AtomicBoolean warnedOfLeftOut = new AtomicBoolean();

  private final LongAdder polled = new LongAdder();
  private final LongAdder acked = new LongAdder();
  private final LongAdder nacked = new LongAdder();
  private final LongAdder deferred = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private final LongAdder left = new LongAdder();

  private HarelQueue(Builder builder) {
    HarelNames names = HarelNames.of(builder.prefix);
    this.name = builder.name.orElse(names.messages());
    this.session = new Session(builder.dataSource, name);
    this.sql = new HarelSql(names);
    this.schema = new HarelSchema(session, names);
    this.clock = new Clock(builder.clock);
    this.strands = new Strands(session, sql, clock);
    this.admin =
        new HarelAdmin(session, name, names, sql, clock, schema, strands, builder.kind.isPresent());
    this.tokens = new Tokens(builder.worker);
    this.messagesTable = names.messages();
    this.wakeups = builder.wakeups;
    this.mark = new ClaimMark<>(builder.quickNanos);
    this.visibility = seconds(builder.visibility);
    this.minPriority = builder.minPriority;
    this.kind = builder.kind;
    this.eventTarget = builder.eventTarget;
  }

  /** A queue in the tables that harel up to 0.6 names, with a visibility timeout of 30 seconds. */
  public static Builder builder(DataSource dataSource) {
    return new Builder(dataSource);
  }

  /** Whether tables can have this prefix: a letter or _, then up to 29 letters, digits or _. */
  public static boolean isPrefix(String text) {
    return HarelNames.isPrefix(text);
  }

  /**
   * The statements that create tables, functions, indexes and guard triggers; needs no database.
   *
   * @throws IllegalArgumentException if the prefix is none
   */
  public static String schemaScript(Optional<String> prefix) {
    return HarelSchema.script(HarelNames.of(prefix));
  }

  /** Collects what a {@link HarelQueue} may be told. Not safe for use by many threads. */
  public static final class Builder {
    private final DataSource dataSource;
    private Optional<String> prefix = Optional.empty();
    private Optional<String> name = Optional.empty();
    private Optional<String> kind = Optional.empty();
    private Optional<String> eventTarget = Optional.empty();
    private String worker = Tokens.defaultWorker();
    private Wakeups wakeups;
    private Duration visibility = DEFAULT_VISIBILITY;
    private int minPriority;
    private @Nullable DoubleSupplier clock;
    private long quickNanos = QUICK_NANOS;

    private Builder(DataSource dataSource) {
      this.dataSource = dataSource;
      this.wakeups = new Wakeups(dataSource::getConnection);
    }

    /**
     * Uses the tables of this prefix, as harel from 0.7 on does.
     *
     * @throws IllegalArgumentException from {@link #build} if it is no letter or _ followed by up
     *     to 29 letters, digits or _
     */
    public Builder prefix(String prefix) {
      this.prefix = Optional.of(prefix);
      return this;
    }

    /** What the queue is called in deliveries, figures and errors; the message table by default. */
    public Builder name(String name) {
      this.name = Optional.of(name);
      return this;
    }

    /** Publishes messages as harel events of this kind, which Python workers can read. */
    public Builder kind(String kind) {
      this.kind = Optional.of(kind);
      return this;
    }

    /** Delivers events that carry no message to this URL. */
    public Builder eventTarget(String url) {
      this.eventTarget = Optional.of(url);
      return this;
    }

    /**
     * What leases begin with, for people who look at the table: {@code sluice-<host>-<pid>} by
     * default.
     *
     * @throws IllegalArgumentException from {@link #build} if it holds a NUL
     */
    public Builder worker(String worker) {
      this.worker = worker;
      return this;
    }

    /**
     * Listens here. Without it, {@link Queue#listen} takes a connection of the data source for as
     * long as somebody listens.
     */
    public Builder wakeups(Wakeups wakeups) {
      this.wakeups = wakeups;
      return this;
    }

    /** How long a claim holds; zero or less for the default of 30 s. */
    public Builder visibility(Duration visibility) {
      this.visibility =
          visibility.isNegative() || visibility.isZero() ? DEFAULT_VISIBILITY : visibility;
      return this;
    }

    /** Polls only groups of this priority or a higher one; 0, the default, polls all. */
    public Builder minPriority(int minPriority) {
      this.minPriority = minPriority;
      return this;
    }

    /** Uses this clock, in epoch seconds, instead of the database's. For tests. */
    public Builder clock(DoubleSupplier epochSeconds) {
      this.clock = epochSeconds;
      return this;
    }

    /** What counts as a quick claim: slower ones begin where the last one found something. */
    Builder quickNanos(long quickNanos) {
      this.quickNanos = quickNanos;
      return this;
    }

    /** The queue. Does not touch the database yet. */
    public HarelQueue build() {
      return new HarelQueue(this);
    }
  }

  @Override
  public String identifier() {
    return name;
  }

  @Override
  public PollResult poll(int max) {
    return poll(max, minPriority);
  }

  /**
   * As {@link #poll(int)}, of groups of this priority or a higher one.
   *
   * @param minPriority 0 for all, 1 to 4 for a level and those above
   * @throws IllegalArgumentException if {@code max < 1}
   */
  public PollResult poll(int max, int minPriority) {
    if (max < 1) {
      throw new IllegalArgumentException("max: must be at least 1, was " + max);
    }
    List<Row> rows = claim(max, minPriority);
    Strands.Finding finding = strands.look(rows.size() < max, rows.isEmpty());
    if (rows.isEmpty() && finding.restored() > 0) {
      rows = claim(max, minPriority);
    }
    return result(rows, finding.inDoubt());
  }

  /** A place in the order of claims. */
  private record Served(double at, String group) {}

  private record Row(long place, Claim claim, String event, double lapsesAt, Served served) {}

  private List<Row> claim(int max, int minPriority) {
    String token = tokens.next();
    // Groups of one priority lie elsewhere in their order than those of all.
    boolean marks = minPriority <= 0;
    long began = System.nanoTime();
    @Nullable Served from = marks ? mark.begin(began) : null;
    List<Row> rows =
        new ArrayList<>(
            session.queryAtOnce(
                "poll",
                sql.claim(),
                row ->
                    new Row(
                        row.getLong("place"),
                        new Claim(row.getLong("seq"), token, row.getString("group_id")),
                        row.getString("event"),
                        row.getDouble("lock_expiry"),
                        new Served(row.getDouble("served"), row.getString("group_id"))),
                clock.injected(),
                visibility,
                token,
                minPriority,
                max,
                leftOut.groups(clock.seconds()),
                from == null ? null : from.at(),
                from == null ? null : from.group()));
    rows.sort(Comparator.comparingLong(Row::place));
    if (marks) {
      long ended = System.nanoTime();
      Optional<Served> first = rows.stream().findFirst().map(Row::served);
      mark.claimed(from, first, rows.size(), ended - began, ended);
    }
    return rows;
  }

  private PollResult result(List<Row> rows, boolean inDoubt) {
    List<Delivery> deliveries = new ArrayList<>(rows.size());
    List<Claim> notForUs = new ArrayList<>();
    for (Row row : rows) {
      Optional<Message> message = EventText.read(row.event());
      if (message.isPresent()) {
        deliveries.add(delivery(row, message.get(), Delivery.Kind.MESSAGE));
      } else if (eventTarget.isPresent()) {
        deliveries.add(delivery(row, around(row, eventTarget.get()), Delivery.Kind.EVENT));
      } else {
        notForUs.add(row.claim());
      }
    }
    leaveOut(notForUs);
    polled.add(deliveries.size());
    return new PollResult(
        deliveries,
        rows.size(),
        0,
        notForUs.size(),
        inDoubt ? PollResult.Doubt.SOON : PollResult.Doubt.NONE);
  }

  private Delivery delivery(Row row, Message message, Delivery.Kind kind) {
    return new Delivery(
        message,
        kind,
        row.event(),
        row.claim().receipt(),
        Long.toString(row.claim().seq()),
        name,
        row.claim().group(),
        0,
        Instant.EPOCH,
        Instant.ofEpochMilli((long) (row.lapsesAt() * 1000)));
  }

  private static Message around(Row row, String target) {
    return Message.of(Long.toString(row.claim().seq()), target)
        .withGroup(row.claim().group())
        .withMode(DispatchMode.NEXT_ON_ERROR);
  }

  // To the back of the order: at its front every other poll would take them again.
  private void leaveOut(List<Claim> claims) {
    if (claims.isEmpty()) {
      return;
    }
    if (!warnedOfLeftOut.getAndSet(true)) {
      log.warn(
          "event=events_left_out queue={} count={}: they carry no message and are left to Python"
              + " workers; --target names a URL for them",
          name,
          claims.size());
    }
    double now = clock.seconds();
    claims.forEach(claim -> leftOut.add(claim.group(), now));
    left.add(claims.size());
    try {
      giveBack("poll", claims.stream().map(claim -> new ToReturn(claim, TO_THE_BACK)).toList());
    } catch (QueueException e) {
      log.warn("event=left_out_stay_leased queue={} reason=\"{}\"", name, e.getMessage());
    }
  }

  @Override
  public Set<Receipt> ackBatch(Collection<Receipt> receipts) {
    Claims claims = Claims.of(receipts);
    Set<Receipt> stale = Acks.delete(() -> delete(claims), this::stillThere);
    acked.add(claims.given().size() - stale.size());
    return stale;
  }

  private Set<Receipt> delete(Claims claims) {
    return claims.isEmpty()
        ? claims.staleBut(List.of())
        : claims.staleBut(
            session.queryAtOnce(
                "ack",
                sql.ack(),
                HarelQueue::readClaim,
                clock.injected(),
                claims.groups(),
                claims.seqs(),
                claims.tokens()));
  }

  private Set<Receipt> stillThere(Set<Receipt> receipts) {
    Claims claims = Claims.of(receipts);
    Set<Long> present =
        Set.copyOf(
            session.query("ack", sql.present(), row -> row.getLong(1), (Object) claims.seqs()));
    Set<Receipt> there = new LinkedHashSet<>(receipts);
    there.removeIf(
        receipt -> Claim.of(receipt).filter(claim -> !present.contains(claim.seq())).isPresent());
    return there;
  }

  @Override
  public Set<Receipt> nackBatch(Collection<Return> returns) {
    Set<Receipt> stale = giveBack("nack", returns);
    nacked.add(distinct(returns) - stale.size());
    return stale;
  }

  @Override
  public Set<Receipt> deferBatch(Collection<Return> returns) {
    Set<Receipt> stale = giveBack("defer", returns);
    deferred.add(distinct(returns) - stale.size());
    return stale;
  }

  private static long distinct(Collection<Return> returns) {
    return returns.stream().map(Return::receipt).distinct().count();
  }

  private Set<Receipt> giveBack(String operation, Collection<Return> returns) {
    List<ToReturn> each = new ArrayList<>();
    for (Return r : new LinkedHashSet<>(returns)) {
      Claim.of(r.receipt()).ifPresent(claim -> each.add(new ToReturn(claim, seconds(r.delay()))));
    }
    List<Claim> toPark = each.stream().filter(r -> r.delay() > 0).map(ToReturn::claim).toList();
    Set<Claim.Lease> held = parked.parking(toPark, () -> giveBack(operation, each));
    return Claims.of(returns.stream().map(Return::receipt).toList()).staleButLeases(held);
  }

  /** The delay in seconds; {@link #TO_THE_BACK} frees the group behind all others. */
  private record ToReturn(Claim claim, double delay) {}

  private Set<Claim.Lease> giveBack(String operation, List<ToReturn> each) {
    if (each.isEmpty()) {
      return Set.of();
    }
    return Set.copyOf(
        session.queryAtOnce(
            operation,
            sql.nack(),
            HarelQueue::readLease,
            clock.injected(),
            each.stream().map(r -> r.claim().group()).toArray(String[]::new),
            each.stream().map(r -> r.claim().token()).toArray(String[]::new),
            each.stream().map(ToReturn::delay).toArray(Double[]::new)));
  }

  private static Claim readClaim(ResultSet row) throws SQLException {
    return new Claim(row.getLong("seq"), row.getString("token"), row.getString("group_id"));
  }

  private static Claim.Lease readLease(ResultSet row) throws SQLException {
    return new Claim.Lease(row.getString("group_id"), row.getString("token"));
  }

  @Override
  public Set<Receipt> rejectBatch(Collection<Rejection> rejections) {
    Claims claims = Claims.of(rejections.stream().map(Rejection::receipt).toList());
    if (claims.isEmpty()) {
      return claims.staleBut(List.of());
    }
    Map<Receipt, Rejection> each = new LinkedHashMap<>();
    rejections.forEach(rejection -> each.putIfAbsent(rejection.receipt(), rejection));
    List<Rejection> ours = claims.list().stream().map(c -> each.get(c.receipt())).toList();
    record Held(Claim claim, boolean moved) {}
    List<Held> held =
        session.queryAtOnce(
            "reject",
            sql.reject(),
            row -> new Held(readClaim(row), row.getBoolean("moved")),
            clock.injected(),
            claims.groups(),
            claims.seqs(),
            claims.tokens(),
            ours.stream().map(r -> Texts.withoutNul(r.reason())).toArray(String[]::new),
            ours.stream().map(Rejection::onlyWhileBlocked).toArray(Boolean[]::new));
    long moved = held.stream().filter(Held::moved).count();
    rejected.add(moved);
    deferred.add(held.size() - moved);
    return claims.staleBut(held.stream().map(Held::claim).toList());
  }

  @Override
  public Set<String> blockedGroups(Collection<String> groups) {
    if (groups.isEmpty()) {
      return Set.of();
    }
    try {
      return Set.copyOf(
          session.query(
              "blockedGroups",
              sql.blocked(),
              row -> row.getString(1),
              (Object) groups.toArray(String[]::new)));
    } catch (QueueException e) {
      if (e.isMissingTable()) {
        return Set.of();
      }
      throw e;
    }
  }

  @Override
  public Set<Receipt> extendVisibility(Collection<Receipt> receipts, Duration duration) {
    if (duration.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new IllegalArgumentException("duration: must be at least 1 s, was " + duration);
    }
    Claims claims = Claims.of(receipts);
    return claims.staleButLeases(parked.extending(claims.list(), held -> extend(held, duration)));
  }

  private Set<Claim.Lease> extend(List<Claim> claims, Duration duration) {
    if (claims.isEmpty()) {
      return Set.of();
    }
    return Set.copyOf(
        session.queryAtOnce(
            "extendVisibility",
            sql.extend(),
            HarelQueue::readLease,
            clock.injected(),
            claims.stream().map(Claim::group).toArray(String[]::new),
            claims.stream().map(Claim::token).toArray(String[]::new),
            seconds(duration)));
  }

  @Override
  public boolean honoursDelayedReturn() {
    return true;
  }

  @Override
  public boolean hasExclusiveGroups() {
    return true;
  }

  @Override
  public List<String> insertBatch(List<QueueRow> rows) {
    List<Event> events = new ArrayList<>(rows.size());
    for (QueueRow row : rows) {
      if (!row.queue().equals(name)) {
        throw new IllegalArgumentException(
            "queue '%s': the harel tables hold one queue, '%s'".formatted(row.queue(), name));
      }
      Message message = row.message();
      Texts.requireNoNul("id", message.id());
      String group = message.messageGroupId().orElse(message.id());
      events.add(
          new Event(group, EventText.write(message, kind), message.highPriority() ? HIGH : 0));
    }
    publishEvents(events);
    return rows.stream().map(row -> row.message().id()).toList();
  }

  /**
   * Publishes events in their order, in one round trip, all or nothing.
   *
   * @return their seqs
   * @throws IllegalArgumentException if one of them cannot be stored; nothing is written then
   */
  public List<Long> publishEvents(List<Event> events) {
    if (events.isEmpty()) {
      return List.of();
    }
    events.forEach(
        event -> {
          Texts.requireNoNul("message group", event.group());
          Texts.requireNoNul("event", event.text());
        });
    return session.queryAtOnce(
        "publish",
        sql.publish(),
        row -> row.getLong(1),
        events.stream().map(Event::group).toArray(String[]::new),
        events.stream().map(Event::text).toArray(String[]::new),
        events.stream().map(Event::priority).toArray(Integer[]::new));
  }

  static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
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
    Wakeups.Subscription subscription = wakeups.listen(messagesTable, "", wake);
    subscriptions.add(subscription);
    return subscription;
  }

  @Override
  public QueueMetrics metrics() {
    return admin.metrics();
  }

  @Override
  public Counters counters() {
    return new Counters(
        polled.sum(),
        acked.sum(),
        nacked.sum(),
        deferred.sum(),
        rejected.sum(),
        left.sum(),
        strands.restored());
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
}
