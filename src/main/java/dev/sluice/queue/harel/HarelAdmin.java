package dev.sluice.queue.harel;

import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.FailedMessage;
import dev.sluice.queue.PeekedMessage;
import dev.sluice.queue.QueueAdmin;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.queue.QueueStats;
import dev.sluice.queue.SchemaException;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What people do to a queue in the harel tables by hand. */
final class HarelAdmin implements QueueAdmin {
  /** A publisher that commits its message before its group is under way for less than this. */
  private static final double GRACE_SECONDS = 2;

  private static final String NOW =
      "COALESCE(CAST(? AS double precision), extract(epoch FROM clock_timestamp()))";

  /**
   * A pass over both tables. A leased group's head is in flight, a lapsed one's lapsed; all that
   * waits behind, or has no row, is pending. Parameter: the time or NULL.
   */
  private static final String STATS =
      """
      WITH clock AS (SELECT %s AS now),
      waiting AS (
        SELECT m.group_id, count(*) AS messages FROM {messages} m GROUP BY m.group_id
      )
      SELECT COALESCE(sum(w.messages), 0)
          - count(*) FILTER (WHERE g.locked_by IS NOT NULL) AS pending,
        count(*) FILTER (WHERE g.locked_by IS NOT NULL AND g.lock_expiry >= c.now) AS in_flight,
        count(*) FILTER (
          WHERE g.locked_by IS NOT NULL AND (g.lock_expiry >= c.now) IS NOT TRUE) AS lapsed,
        count(*) AS groups
      FROM waiting w
      CROSS JOIN clock c
      LEFT JOIN {groups} g ON g.group_id = w.group_id"""
          .formatted(NOW);

  private static final String FAILED_STATS =
      """
      SELECT count(*),
        count(DISTINCT f.group_id) FILTER (WHERE starts_with(f.error_message, 'BLOCKED: '))
      FROM {failed} f""";

  /**
   * In the order of claims, through the same index. Parameters: the time or NULL, group or NULL
   * (twice), limit.
   */
  private static final String PEEK =
      """
      WITH clock AS (SELECT %s AS now)
      SELECT m.seq, g.group_id, m.event, COALESCE(g.lock_expiry, 0)
      FROM clock c
      CROSS JOIN {groups} g
      CROSS JOIN LATERAL (
        SELECT m.seq, m.event FROM {messages} m
        WHERE m.group_id = g.group_id ORDER BY m.seq LIMIT 1
      ) m
      WHERE (g.locked_by IS NULL OR g.lock_expiry < c.now)
        AND (CAST(? AS text) IS NULL OR g.group_id = ?)
      ORDER BY COALESCE(g.lock_expiry, 0), g.group_id
      LIMIT ?"""
          .formatted(NOW);

  /** Parameters: seqs or NULL (twice), group or NULL (twice), reason or NULL (twice). */
  private static final String CHOSEN =
      """
      (CAST(? AS bigint[]) IS NULL OR f.seq = ANY (CAST(? AS bigint[])))
        AND (CAST(? AS text) IS NULL OR f.group_id = ?)
        AND (CAST(? AS text) IS NULL OR strpos(lower(f.error_message), lower(?)) > 0)""";

  private static final String LIST =
      """
      SELECT f.seq, f.group_id, f.event, f.error_message, f.failed_at
      FROM {failed} f
      WHERE %s
      ORDER BY f.seq
      LIMIT ?"""
          .formatted(CHOSEN);

  private static final String CHOOSE =
      "SELECT f.seq FROM {failed} f WHERE %s ORDER BY f.seq".formatted(CHOSEN);

  private static final String DISCARD =
      "WITH gone AS (DELETE FROM {failed} f WHERE %s RETURNING 1) SELECT count(*) FROM gone"
          .formatted(CHOSEN);

  private final Session session;
  private final String queue;
  private final HarelNames names;
  private final Clock clock;
  private final HarelSchema schema;
  private final Strands strands;
  private final HarelSql sql;
  private final boolean publishesEvents;

  HarelAdmin(
      Session session,
      String queue,
      HarelNames names,
      HarelSql sql,
      Clock clock,
      HarelSchema schema,
      Strands strands,
      boolean publishesEvents) {
    this.session = session;
    this.queue = queue;
    this.names = names;
    this.clock = clock;
    this.schema = schema;
    this.strands = strands;
    this.sql = sql;
    this.publishesEvents = publishesEvents;
  }

  QueueMetrics metrics() {
    return stats().metrics();
  }

  @Override
  public QueueStats stats() {
    record Waiting(long pending, long inFlight, long lapsed, long groups) {}
    Waiting waiting =
        session
            .query(
                "stats",
                names.in(STATS),
                row -> new Waiting(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)),
                clock.injected())
            .get(0);
    record Failed(long messages, long blockedGroups) {}
    Optional<Failed> failed =
        schema.hasQuarantine()
            ? Optional.of(
                session
                    .query(
                        "stats",
                        names.in(FAILED_STATS),
                        row -> new Failed(row.getLong(1), row.getLong(2)))
                    .get(0))
            : Optional.empty();
    return new QueueStats(
        queue,
        "harel",
        new QueueMetrics(
            waiting.pending(),
            OptionalLong.empty(),
            waiting.inFlight(),
            waiting.lapsed(),
            failed.map(f -> OptionalLong.of(f.messages())).orElseGet(OptionalLong::empty)),
        waiting.groups(),
        failed.map(Failed::blockedGroups).orElse(0L),
        OptionalLong.empty());
  }

  @Override
  public List<QueueStats> statsOfAllQueues() {
    return List.of(stats());
  }

  @Override
  public List<PeekedMessage> peek(Optional<String> group, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit: must be at least 1, was " + limit);
    }
    String only = group.orElse(null);
    return session.query(
        "peek",
        names.in(PEEK),
        row ->
            new PeekedMessage(
                row.getString(1),
                row.getString(2),
                Instant.EPOCH,
                instant(row.getDouble(4)),
                null,
                row.getString(3)),
        clock.injected(),
        only,
        only,
        limit);
  }

  private static Instant instant(double epochSeconds) {
    return Instant.ofEpochMilli((long) (epochSeconds * 1000));
  }

  @Override
  public Optional<PublishPreview> previewPublish(List<String> ids) {
    return Optional.empty();
  }

  @Override
  public Optional<String> objectionToPublishing() {
    return !publishesEvents && schema.hasSeenPython(Optional.ofNullable(clock.injected()))
        ? Optional.of(
            "Python workers have used these tables, and one that claims a bare message stops; "
                + "publish it as an event that they can read with ?kind=NAME in the URI")
        : Optional.empty();
  }

  @Override
  public int repair() {
    return strands.repairAll(GRACE_SECONDS);
  }

  @Override
  public List<FailedMessage> listFailed(FailedFilter filter, int limit) {
    if (!schema.hasQuarantine()) {
      return List.of();
    }
    return session.query("failed list", names.in(LIST), this::readFailed, chosen(filter, limit));
  }

  private FailedMessage readFailed(ResultSet row) throws SQLException {
    return new FailedMessage(
        queue,
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        null,
        Instant.EPOCH,
        Instant.ofEpochSecond(row.getLong(5)));
  }

  @Override
  public RequeueResult requeueFailed(FailedFilter filter) {
    requireQuarantine();
    return session.transaction(
        "failed requeue",
        connection -> {
          // What follows the lock is to see what was committed before it was taken.
          SchemaTools.execute(connection, Session.READ_COMMITTED + sql.aloneInQuarantine());
          List<Long> chosen =
              Session.query(connection, names.in(CHOOSE), row -> row.getLong(1), chosen(filter));
          Set<Long> back =
              new HashSet<>(
                  Session.query(
                      connection,
                      sql.requeue(),
                      row -> row.getLong(1),
                      (Object) chosen.toArray(Long[]::new)));
          return new RequeueResult(
              back.size(),
              chosen.stream().filter(seq -> !back.contains(seq)).map(String::valueOf).toList());
        });
  }

  @Override
  public int discardFailed(FailedFilter filter) {
    requireQuarantine();
    return session
        .queryAtOnce(
            "failed discard",
            sql.aloneInQuarantine() + "; " + names.in(DISCARD),
            row -> row.getInt(1),
            chosen(filter))
        .get(0);
  }

  private void requireQuarantine() {
    if (!schema.hasQuarantine()) {
      throw new SchemaException(
          List.of(
              "table %s does not exist; create it with: sluice schema init"
                  .formatted(names.failed())));
    }
  }

  private static @Nullable Object[] chosen(FailedFilter filter, Object... further) {
    Long @Nullable [] seqs =
        filter.ids().isEmpty()
            ? null
            : filter.ids().stream().map(HarelAdmin::seq).toArray(Long[]::new);
    String group = filter.group().orElse(null);
    String reason = filter.reason().orElse(null);
    @Nullable Object[] parameters = new @Nullable Object[6 + further.length];
    parameters[0] = seqs;
    parameters[1] = seqs;
    parameters[2] = group;
    parameters[3] = group;
    parameters[4] = reason;
    parameters[5] = reason;
    System.arraycopy(further, 0, parameters, 6, further.length);
    return parameters;
  }

  // What is no number names no message.
  private static long seq(String id) {
    try {
      return Long.parseLong(id);
    } catch (NumberFormatException e) {
      return Long.MIN_VALUE;
    }
  }

  @Override
  public String schemaScript() {
    return HarelSchema.script(names);
  }

  @Override
  public void createExtra(SchemaReport.Extra extra) {
    schema.create(extra);
  }

  @Override
  public void dropExtra(SchemaReport.Extra extra) {
    schema.drop(extra);
  }
}
