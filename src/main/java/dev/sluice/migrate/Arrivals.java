package dev.sluice.migrate;

import dev.sluice.queue.jdbc.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Ends the batch during which an earlier migration across two databases was cut off. The source's
 * commit decides: if it names the batch, what has arrived at the target is let go; if not, the
 * source still has all of it, nobody has seen the copies, and they are deleted.
 */
final class Arrivals {
  private final Ends ends;
  private final Names names;
  private final Connection target;
  private final MigrationRequest request;

  Arrivals(Ends ends, MigrationRequest request) {
    this.ends = ends;
    this.names = ends.names();
    this.target = ends.target();
    this.request = request;
  }

  void settle() throws SQLException {
    Optional<String> batch = ends.toHarel() ? inHarel() : inLegacy();
    if (batch.isPresent()) {
      if (!isCommittedAtSource(batch.get())) {
        discard(batch.get());
      }
      letGo(batch.get());
    }
    ends.commit();
  }

  private Optional<String> inHarel() throws SQLException {
    return new HarelSide(target, names).arrivingBatch();
  }

  private Optional<String> inLegacy() throws SQLException {
    return new LegacySide(target, names, request.queue()).batchOf(Tokens.ARRIVING, "");
  }

  private boolean isCommittedAtSource(String batch) throws SQLException {
    return ends.toHarel()
        ? new LegacySide(ends.source(), names, request.queue()).isMarked(batch)
        : new HarelSide(ends.source(), names).isMarked(batch);
  }

  private void discard(String batch) throws SQLException {
    String copies =
        ends.toHarel()
            ? "DELETE FROM {messages} t USING mine WHERE t.seq = mine.target_key::bigint"
                + " AND CAST(? AS text) IS NOT NULL"
            : "DELETE FROM {legacy} t USING mine WHERE t.id = mine.target_key AND t.queue_name = ?";
    Session.query(
        target,
        names.in(
            "WITH mine AS (DELETE FROM {record} WHERE move = ? AND batch = ? RETURNING target_key),"
                + " copies AS ("
                + copies
                + " RETURNING 1) SELECT count(*) FROM copies"),
        row -> row.getLong(1),
        ends.move(),
        batch,
        request.queue());
  }

  private void letGo(String batch) throws SQLException {
    if (ends.toHarel()) {
      new HarelSide(target, names).releaseArrived(batch);
    } else {
      new LegacySide(target, names, request.queue()).releaseAll(Tokens.ARRIVING);
    }
  }
}
