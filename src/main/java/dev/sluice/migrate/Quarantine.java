package dev.sluice.migrate;

import dev.sluice.queue.jdbc.Session;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves quarantined messages, on request and once the queue itself has moved. Nobody claims from a
 * quarantine: across two databases the target has a copy before the source lets go, and a copy that
 * is there already is left as it is.
 */
final class Quarantine {
  private static final String FROM_LEGACY =
      """
      SELECT id, COALESCE(message_group_id, id), payload, error_message, failed_at, receive_count,
        created_at
      FROM {legacy_failed} WHERE queue_name = ? AND CAST(? AS text) IS NOT NULL
      ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED""";

  private static final String FROM_HAREL =
      """
      SELECT seq::text, group_id, event, error_message, failed_at, 0, failed_at
      FROM {harel_failed} WHERE CAST(? AS text) IS NOT NULL AND CAST(? AS text) IS NOT NULL
      ORDER BY seq LIMIT ? FOR UPDATE SKIP LOCKED""";

  private static final String INTO_HAREL =
      """
      WITH put AS (
        INSERT INTO {harel_failed} (seq, group_id, event, error_message, priority, failed_at)
        SELECT nextval('{sequence}'), ?, ?, ?, 0, ?
        WHERE NOT EXISTS (
          SELECT 1 FROM {harel_failed} f
          WHERE f.group_id = ? AND f.event = ? AND f.failed_at = ? AND CAST(? AS text) IS NULL)
        RETURNING 1
      )
      SELECT count(*) FROM put""";

  private static final String INTO_LEGACY =
      """
      WITH put AS (
        INSERT INTO {legacy_failed} (id, queue_name, message_group_id, payload, error_message,
          receive_count, created_at, failed_at)
        VALUES (?, ?, NULLIF(?, ?), ?, ?, 0, ?, ?)
        ON CONFLICT (queue_name, id) DO NOTHING
        RETURNING 1
      )
      SELECT count(*) FROM put""";

  private final Ends ends;
  private final Names names;
  private final MigrationRequest request;
  private final Tally tally;

  Quarantine(Ends ends, MigrationRequest request, Tally tally) {
    this.ends = ends;
    this.names = ends.names();
    this.request = request;
    this.tally = tally;
  }

  private record Failed(
      String key,
      String group,
      String payload,
      @Nullable String error,
      long failedAt,
      int received,
      long createdAt) {
    String reason() {
      return error == null ? "" : error;
    }
  }

  /** Moves all of it, a batch per transaction. */
  void move() throws SQLException {
    boolean both =
        !names.get(Names.LEGACY_FAILED).isEmpty() && !names.get(Names.HAREL_FAILED).isEmpty();
    while (both && moveSome()) {
      ends.commit();
    }
    ends.commit();
  }

  private boolean moveSome() throws SQLException {
    List<Failed> some =
        Session.query(
            ends.source(),
            names.in(ends.toHarel() ? FROM_LEGACY : FROM_HAREL),
            row ->
                new Failed(
                    row.getString(1),
                    row.getString(2),
                    row.getString(3),
                    row.getString(4),
                    row.getLong(5),
                    row.getInt(6),
                    row.getLong(7)),
            request.queue(),
            request.queue(),
            Math.min(request.batch(), 500));
    for (Failed failed : some) {
      if (ends.toHarel()) {
        intoHarel(failed);
      } else {
        intoLegacy(failed);
      }
    }
    delete(some.stream().map(Failed::key).toArray(String[]::new));
    tally.failedMoved += some.size();
    return !some.isEmpty();
  }

  private void intoHarel(Failed failed) throws SQLException {
    Session.query(
        ends.target(),
        names.in(INTO_HAREL),
        row -> row.getLong(1),
        failed.group(),
        failed.payload(),
        failed.reason(),
        failed.failedAt(),
        failed.group(),
        failed.payload(),
        failed.failedAt(),
        // Inside one database there are no copies of a batch that was cut off.
        ends.oneDatabase() ? "one" : null);
  }

  private void intoLegacy(Failed failed) throws SQLException {
    String own = "harel-" + failed.key();
    String id = JsonId.of(failed.payload()).orElse(own);
    for (int i = 0; !insert(failed, id) && !isCopy(failed, id); i++) {
      id = i == 0 ? own : own + "-" + i;
    }
  }

  private boolean insert(Failed failed, String id) throws SQLException {
    return Session.query(
                ends.target(),
                names.in(INTO_LEGACY),
                row -> row.getLong(1),
                id,
                request.queue(),
                failed.group(),
                id,
                failed.payload(),
                failed.reason(),
                failed.createdAt(),
                failed.failedAt())
            .get(0)
        > 0;
  }

  private boolean isCopy(Failed failed, String id) throws SQLException {
    return !ends.oneDatabase()
        && !Session.query(
                ends.target(),
                names.in(
                    """
                    SELECT 1 FROM {legacy_failed}
                    WHERE queue_name = ? AND id = ? AND payload = ? AND failed_at = ?"""),
                row -> true,
                request.queue(),
                id,
                failed.payload(),
                failed.failedAt())
            .isEmpty();
  }

  private void delete(String[] keys) throws SQLException {
    Session.query(
        ends.source(),
        names.in(
            ends.toHarel()
                ? "WITH gone AS (DELETE FROM {legacy_failed} WHERE queue_name = ?"
                    + " AND id = ANY (CAST(? AS text[])) RETURNING 1) SELECT count(*) FROM gone"
                : "WITH gone AS (DELETE FROM {harel_failed} WHERE CAST(? AS text) IS NOT NULL"
                    + " AND seq = ANY (CAST(? AS bigint[])) RETURNING 1) SELECT count(*) FROM gone"),
        row -> row.getLong(1),
        request.queue(),
        keys);
  }
}
