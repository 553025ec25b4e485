package dev.sluice.migrate;

import dev.sluice.queue.jdbc.Session;
import java.sql.SQLException;
import java.util.List;

/** What a migration would find; reads only. */
final class Plan {
  private static final String OF_LEGACY =
      """
      SELECT COALESCE(sum(size) FILTER (WHERE claimed = 0), 0), count(*) FILTER (WHERE claimed = 0),
        COALESCE(sum(claimed), 0), COALESCE(sum(delayed), 0)
      FROM (
        SELECT count(*) AS size,
          count(*) FILTER (WHERE receipt_handle IS NOT NULL AND visible_at > c.now) AS claimed,
          count(*) FILTER (WHERE receipt_handle IS NULL AND visible_at > c.now) AS delayed
        FROM {legacy}, (SELECT %s AS now) c
        WHERE queue_name = ? AND NOT starts_with(id, '%s') AND NOT starts_with(id, '%s')
        GROUP BY COALESCE(message_group_id, id)
      ) g"""
          .formatted(LegacySide.NOW, Tokens.HOLD, Tokens.ARRIVING);

  private static final String OF_HAREL =
      """
      SELECT COALESCE(sum(size) FILTER (WHERE NOT leased), 0), count(*) FILTER (WHERE NOT leased),
        count(*) FILTER (WHERE leased), count(*) FILTER (WHERE parked)
      FROM (
        SELECT m.size,
          COALESCE(lock_expiry > c.now AND lock_expiry <= c.now + p.lease
            AND NOT starts_with(locked_by, '%1$s') AND NOT starts_with(locked_by, '%2$s'), false)
            AS leased,
          (lock_expiry > c.now + p.lease AND NOT starts_with(locked_by, '%1$s'))
            OR (lock_expiry > c.now AND starts_with(locked_by, '%2$s')) AS parked
        FROM (SELECT extract(epoch FROM clock_timestamp()) AS now) c
        CROSS JOIN (SELECT CAST(? AS double precision) AS lease) p
        CROSS JOIN (SELECT group_id, count(*) AS size FROM {messages} GROUP BY group_id) m
        LEFT JOIN {groups} g ON g.group_id = m.group_id AND g.locked_by IS NOT NULL
      ) s"""
          .formatted(Tokens.HOLD, Tokens.PARKED);

  private final Ends ends;
  private final MigrationRequest request;
  private final Tally tally;

  Plan(Ends ends, MigrationRequest request, Tally tally) {
    this.ends = ends;
    this.request = request;
    this.tally = tally;
  }

  private record Found(long messages, long groups, long inFlight, long delayed) {}

  /** Counts, and yields the plan in lines. */
  List<String> draw() throws SQLException {
    Object parameter =
        ends.toHarel() ? request.queue() : request.longestLease().toMillis() / 1000.0;
    Found found =
        Session.query(
                ends.source(),
                ends.names().in(ends.toHarel() ? OF_LEGACY : OF_HAREL),
                row -> new Found(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)),
                parameter)
            .get(0);
    ends.rollBack();
    tally.groups = found.groups();
    tally.messages.add(found.messages());
    tally.inFlight = found.inFlight();
    return List.of(
        "would move %d messages of %d groups, %s, in transactions of %d"
            .formatted(
                found.messages(),
                found.groups(),
                ends.oneDatabase() ? "inside one database" : "across two databases",
                request.batch()),
        found.delayed() + " are delayed; the delay of a group's head is kept",
        request.hold()
            ? "each group is held at the source once it has moved, until --finish or --abort"
            : "nothing is held at the source: order over both sides is not kept");
  }
}
