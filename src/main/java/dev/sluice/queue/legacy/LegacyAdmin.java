package dev.sluice.queue.legacy;

import dev.sluice.queue.FailedFilter;
import dev.sluice.queue.FailedMessage;
import dev.sluice.queue.PeekedMessage;
import dev.sluice.queue.QueueAdmin;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.queue.QueueStats;
import dev.sluice.queue.SchemaException;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.jdbc.Session;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What people do to the table by hand. Its statements read whole queues: none is on the hot path.
 */
final class LegacyAdmin implements QueueAdmin {
  static final String NO_QUARANTINE =
      "table queue_messages_failed does not exist; create it with: sluice schema init";

  /** One pass over the queue, or over the table for all queues. */
  private static final String METRICS =
      """
      count(*) FILTER (WHERE m.receipt_handle IS NULL AND m.visible_at <= c.now),
      count(*) FILTER (WHERE m.receipt_handle IS NULL AND m.visible_at > c.now),
      count(*) FILTER (WHERE m.receipt_handle IS NOT NULL AND m.visible_at > c.now),
      count(*) FILTER (WHERE m.receipt_handle IS NOT NULL AND m.visible_at <= c.now)""";

  /** Leaves out the rows by which a migration holds groups back: they are no messages. */
  private static final String NO_HOLD =
      "NOT (m.visible_at = %d AND starts_with(m.id, '%s'))"
          .formatted(LegacyHold.UNTIL, LegacyHold.PREFIX);

  private static final String STATS =
      """
      WITH %s,
      waiting AS (
        SELECT m.queue_name, %s,
          count(DISTINCT COALESCE(m.message_group_id, m.id)) AS groups,
          max(c.now) - min(m.created_at) AS oldest
        FROM queue_messages m, clock c
        WHERE (CAST(? AS text) IS NULL OR m.queue_name = ?) AND %s
        GROUP BY m.queue_name
      ),
      failed AS (%s)
      SELECT COALESCE(w.queue_name, f.queue_name), w.*, f.*
      FROM waiting w FULL JOIN failed f ON f.queue_name = w.queue_name
      ORDER BY 1""";

  private static final String FAILED_STATS =
      """
      SELECT f.queue_name, count(*) AS failed,
        count(DISTINCT f.message_group_id)
          FILTER (WHERE starts_with(f.error_message, 'BLOCKED: ')) AS blocked
      FROM queue_messages_failed f
      WHERE CAST(? AS text) IS NULL OR f.queue_name = ?
      GROUP BY f.queue_name""";

  private static final String NO_FAILED_STATS =
      "SELECT CAST(? AS text) AS queue_name, 0 AS failed, 0 AS blocked WHERE CAST(? AS text) = ''"
          + " AND false";

  /** Parameters: queue, ids or NULL (twice), group or NULL (twice), reason or NULL (twice). */
  private static final String CHOSEN =
      """
      f.queue_name = ?
        AND (CAST(? AS text[]) IS NULL OR f.id = ANY (CAST(? AS text[])))
        AND (CAST(? AS text) IS NULL OR f.message_group_id = ?)
        AND (CAST(? AS text) IS NULL OR strpos(lower(f.error_message), lower(?)) > 0)""";

  private static final String LIST =
      """
      SELECT f.queue_name, f.id, f.message_group_id, f.payload, COALESCE(f.error_message, ''),
        f.receive_count, f.created_at, f.failed_at
      FROM queue_messages_failed f
      WHERE %s
      ORDER BY f.created_at, f.id
      LIMIT ?"""
          .formatted(CHOSEN);

  /**
   * A row leaves quarantine in the moment in which it is back in the queue. The old created_at
   * gives it its old place in its group. Parameters: queue, the time or NULL, those of CHOSEN.
   */
  private static final String REQUEUE =
      QuarantineSql.ALONE
          + """
      ; WITH %s,
      chosen AS (
        SELECT f.* FROM queue_messages_failed f WHERE %s ORDER BY f.id FOR UPDATE
      ),
      back AS (
        INSERT INTO queue_messages (id, queue_name, message_group_id, receipt_handle, visible_at,
          payload, created_at, receive_count)
        SELECT h.id, h.queue_name, h.message_group_id, NULL, c.now, h.payload, h.created_at, 0
        FROM chosen h, clock c
        ORDER BY h.id
        ON CONFLICT DO NOTHING
        RETURNING queue_name, id
      ),
      gone AS (
        DELETE FROM queue_messages_failed f
        USING back b
        WHERE f.queue_name = b.queue_name AND f.id = b.id
        RETURNING f.id
      )
      SELECT h.id, g.id IS NOT NULL
      FROM chosen h LEFT JOIN gone g ON g.id = h.id
      ORDER BY h.created_at, h.id"""
              .formatted(ClaimSql.CLOCK, CHOSEN);

  /** Parameters: queue, those of CHOSEN. */
  private static final String DISCARD =
      QuarantineSql.ALONE
          + """
      ; WITH gone AS (DELETE FROM queue_messages_failed f WHERE %s RETURNING 1)
      SELECT count(*) FROM gone"""
              .formatted(CHOSEN);

  /**
   * Looks up each id by primary key. Takes the collation of the column, which need not be the
   * database's. Parameters: the time or NULL, queue, ids.
   */
  private static final String PREVIEW =
      """
      WITH %s
      SELECT c.now, g.id,
        dense_rank() OVER (
          ORDER BY COALESCE((SELECT m.id FROM queue_messages m WHERE false), g.id)),
        EXISTS (SELECT 1 FROM queue_messages m WHERE m.queue_name = ? AND m.id = g.id)
      FROM clock c
      LEFT JOIN unnest(CAST(? AS text[])) WITH ORDINALITY AS g(id, place) ON true
      ORDER BY g.place"""
          .formatted(ClaimSql.CLOCK);

  private final Session session;
  private final String queue;
  private final LegacyQueue.Clock clock;
  private final Claims claims;
  private final LegacySchema schema;

  LegacyAdmin(
      Session session, String queue, LegacyQueue.Clock clock, Claims claims, LegacySchema schema) {
    this.session = session;
    this.queue = queue;
    this.clock = clock;
    this.claims = claims;
    this.schema = schema;
  }

  QueueMetrics metrics() {
    boolean quarantine = schema.hasQuarantine();
    return session
        .query(
            "metrics",
            "WITH %s SELECT %s, %s FROM queue_messages m, clock c WHERE m.queue_name = ? AND %s"
                .formatted(
                    ClaimSql.CLOCK,
                    METRICS,
                    quarantine
                        ? "(SELECT count(*) FROM queue_messages_failed WHERE queue_name = ?)"
                        : "(SELECT NULL WHERE CAST(? AS text) IS NOT NULL)",
                    NO_HOLD),
            row -> metrics(row, 1, 5, quarantine),
            clock.epochSeconds(),
            queue,
            queue)
        .get(0);
  }

  @Override
  public QueueStats stats() {
    return readAll(queue).stream()
        .findFirst()
        .orElseGet(
            () ->
                new QueueStats(
                    queue, "legacy", new QueueMetrics(0, 0, 0, 0, 0), 0, 0, OptionalLong.empty()));
  }

  @Override
  public List<QueueStats> statsOfAllQueues() {
    return readAll(null);
  }

  private List<QueueStats> readAll(@Nullable String only) {
    boolean quarantine = schema.hasQuarantine();
    String failed = quarantine ? FAILED_STATS : NO_FAILED_STATS;
    return session.query(
        "stats",
        STATS.formatted(ClaimSql.CLOCK, METRICS, NO_HOLD, failed),
        row -> readStats(row, quarantine),
        clock.epochSeconds(),
        only,
        only,
        only,
        only);
  }

  // Four counts in a row, and that of the quarantined messages.
  private static QueueMetrics metrics(ResultSet row, int first, int failed, boolean quarantine)
      throws SQLException {
    return new QueueMetrics(
        row.getLong(first),
        OptionalLong.of(row.getLong(first + 1)),
        row.getLong(first + 2),
        row.getLong(first + 3),
        quarantine ? OptionalLong.of(row.getLong(failed)) : OptionalLong.empty());
  }

  private static QueueStats readStats(ResultSet row, boolean quarantine) throws SQLException {
    long oldest = row.getLong(8);
    OptionalLong oldestSeconds =
        row.wasNull() ? OptionalLong.empty() : OptionalLong.of(Math.max(0, oldest));
    return new QueueStats(
        row.getString(1),
        "legacy",
        metrics(row, 3, 10, quarantine),
        row.getLong(7),
        row.getLong(11),
        oldestSeconds);
  }

  @Override
  public List<PeekedMessage> peek(Optional<String> group, int limit) {
    return claims.peek(group, limit);
  }

  @Override
  public Optional<PublishPreview> previewPublish(List<String> ids) {
    record Seen(long now, @Nullable String id, long rank, boolean waiting) {}
    List<Seen> rows =
        session.query(
            "publish",
            PREVIEW,
            row -> new Seen(row.getLong(1), row.getString(2), row.getLong(3), row.getBoolean(4)),
            clock.epochSeconds(),
            queue,
            ids.toArray(String[]::new));
    return Optional.of(
        new PublishPreview(
            Instant.ofEpochSecond(rows.get(0).now()),
            rows.stream().filter(seen -> seen.id() != null).map(Seen::rank).toList(),
            rows.stream().filter(Seen::waiting).map(Seen::id).collect(Collectors.toSet())));
  }

  @Override
  public Optional<String> objectionToPublishing() {
    return Optional.empty();
  }

  /** Every message can be found by a poll: there is nothing to repair. */
  @Override
  public int repair() {
    return 0;
  }

  @Override
  public List<FailedMessage> listFailed(FailedFilter filter, int limit) {
    if (!schema.hasQuarantine()) {
      return List.of();
    }
    return session.query(
        "failed list",
        LIST,
        row ->
            new FailedMessage(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getObject(6, Integer.class),
                LegacyQueue.instant(row.getLong(7)),
                LegacyQueue.instant(row.getLong(8))),
        chosen(filter, (long) limit));
  }

  @Override
  public RequeueResult requeueFailed(FailedFilter filter) {
    requireQuarantine();
    record Requeued(String id, boolean back) {}
    List<Requeued> rows =
        session.queryAtOnce(
            "failed requeue",
            REQUEUE,
            row -> new Requeued(row.getString(1), row.getBoolean(2)),
            behind(chosen(filter), queue, clock.epochSeconds()));
    List<String> inTheWay = rows.stream().filter(r -> !r.back()).map(Requeued::id).toList();
    return new RequeueResult(rows.size() - inTheWay.size(), inTheWay);
  }

  @Override
  public int discardFailed(FailedFilter filter) {
    requireQuarantine();
    return session
        .queryAtOnce("failed discard", DISCARD, row -> row.getInt(1), behind(chosen(filter), queue))
        .get(0);
  }

  private void requireQuarantine() {
    if (!schema.hasQuarantine()) {
      throw new SchemaException(List.of(NO_QUARANTINE));
    }
  }

  private @Nullable Object[] chosen(FailedFilter filter, Object... further) {
    String @Nullable [] ids = filter.ids().isEmpty() ? null : filter.ids().toArray(String[]::new);
    String group = filter.group().orElse(null);
    String reason = filter.reason().orElse(null);
    @Nullable Object[] parameters = new @Nullable Object[7 + further.length];
    parameters[0] = queue;
    parameters[1] = ids;
    parameters[2] = ids;
    parameters[3] = group;
    parameters[4] = group;
    parameters[5] = reason;
    parameters[6] = reason;
    System.arraycopy(further, 0, parameters, 7, further.length);
    return parameters;
  }

  private static @Nullable Object[] behind(@Nullable Object[] last, @Nullable Object... first) {
    @Nullable Object[] both = Arrays.copyOf(first, first.length + last.length);
    System.arraycopy(last, 0, both, first.length, last.length);
    return both;
  }

  @Override
  public String schemaScript() {
    return LegacySchema.script();
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
