package dev.sluice.migrate;

import dev.sluice.queue.jdbc.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Takes back what is left of it at the target, under its old keys, where the source still holds its
 * groups. Of a group too large for one transaction the last rows go first: the target may go on
 * with those before them, and nobody can claim those that are back until all of them are.
 */
final class Abort {
  private static final long PAUSE_MILLIS = 200;
  private static final int PASSES = 5;

  private static final String KEYS =
      """
      SELECT r.group_id, r.position::text, 0::bigint, 0::bigint FROM {record} r WHERE r.move = ?
      ORDER BY r.group_id COLLATE "C", r.position DESC""";

  private final Ends ends;
  private final Names names;
  private final MigrationRequest request;
  private final Tally tally;
  private final BooleanSupplier stopped;
  private final WayBack way;

  Abort(Ends ends, MigrationRequest request, Tally tally, BooleanSupplier stopped) {
    this.ends = ends;
    this.names = ends.names();
    this.request = request;
    this.tally = tally;
    this.stopped = stopped;
    this.way = ends.toHarel() ? new BackToLegacy(ends, request) : new BackToHarel(ends, request);
  }

  /** Takes everything back that is not in flight; yields how many rows are left at the target. */
  long run() throws SQLException {
    if (!ends.oneDatabase()) {
      forgetCopies();
    }
    new RecordTable(ends).index();
    sweep();
    long left = new RecordTable(ends).count();
    ends.commit();
    if (left == 0) {
      release();
      new RecordTable(ends).forget(ends.target());
      ends.commit();
    }
    return left;
  }

  /** Takes all holds away from the source. */
  void release() throws SQLException {
    way.releaseAll();
    ends.commit();
  }

  private void sweep() throws SQLException {
    long deadline = System.nanoTime() + request.patience().toNanos();
    for (int pass = 1; !stopped.getAsBoolean(); pass++) {
      tally.beginPass(pass == 1);
      pass();
      boolean briefly = pass < PASSES && tally.busy > 0;
      if (!tally.mayHelpToWait() || !(briefly || System.nanoTime() < deadline)) {
        return;
      }
      Pause.millis(PAUSE_MILLIS);
    }
  }

  private void pass() throws SQLException {
    Connection target = ends.target();
    try (Keys keys = Keys.of(target, "sluice_back", names.in(KEYS), ends.move())) {
      Chunks chunks = new Chunks(keys::next, request.batch());
      Set<String> left = Set.of();
      Optional<Chunk> next = chunks.next();
      while (next.isPresent() && !stopped.getAsBoolean()) {
        Chunk chunk = next.get();
        if (chunk.continued() && left.contains(chunk.keys().get(0).group())) {
          chunk = chunk.without(chunk.keys().get(0).group());
        }
        if (!chunk.keys().isEmpty()) {
          left = takeBack(chunk);
        }
        next = chunks.next();
      }
    }
  }

  private Set<String> takeBack(Chunk chunk) throws SQLException {
    Set<String> later = new HashSet<>(chunk.groups());
    Set<String> locked = way.lock(chunk.groups(), tally);
    later.removeAll(locked);
    List<RowKey> keys = chunk.keys().stream().filter(key -> locked.contains(key.group())).toList();
    if (keys.isEmpty()) {
      ends.rollBack();
      return later;
    }
    String batch = Tokens.batch();
    String[] groups = keys.stream().map(RowKey::group).toArray(String[]::new);
    Long[] positions = keys.stream().map(k -> Long.valueOf(k.key())).toArray(Long[]::new);
    long back = way.takeBack(groups, positions, locked, batch);
    // The copies are committed where nobody can claim them before the originals are gone.
    if (!ends.oneDatabase()) {
      ends.source().commit();
    }
    ends.target().commit();
    way.release(complete(locked));
    ends.commit();
    tally.moved(back);
    tally.groups += chunk.continued() ? Math.max(0, locked.size() - 1) : locked.size();
    return later;
  }

  /** Those of these groups that are back as a whole. */
  private Set<String> complete(Set<String> groups) throws SQLException {
    Set<String> complete = new LinkedHashSet<>(groups);
    complete.removeAll(new RecordTable(ends).last(List.copyOf(groups)).keySet());
    return complete;
  }

  // What an abort that was cut off has written to the source, while the target kept the originals.
  private void forgetCopies() throws SQLException {
    try (Keys keys =
        Keys.of(
            ends.target(),
            "sluice_copies",
            names.in(
                """
                SELECT source_key, COALESCE(created_at, 0)::text, 0::bigint, 0::bigint
                FROM {record} WHERE move = ?"""),
            ends.move())) {
      List<RowKey> some = keys.next();
      while (!some.isEmpty()) {
        Session.query(
            ends.source(),
            names.in(way.forgetCopies()),
            row -> row.getLong(1),
            some.stream().map(RowKey::group).toArray(String[]::new),
            some.stream().map(k -> Long.valueOf(k.key())).toArray(Long[]::new),
            request.queue());
        ends.source().commit();
        some = keys.next();
      }
    }
  }

  /** What the two directions do in their own way. */
  interface WayBack {
    /** Locks those of these groups at the target that nobody else handles. */
    Set<String> lock(List<String> groups, Tally tally) throws SQLException;

    /** Moves these rows of the record, as far as the target has them, and forgets the record. */
    long takeBack(String[] groups, Long[] positions, Set<String> distinct, String batch)
        throws SQLException;

    /** Takes the holds of these groups away from the source. */
    void release(Set<String> groups) throws SQLException;

    void releaseAll() throws SQLException;

    /** Deletes rows of the source by key and second. Parameters: keys, seconds, queue. */
    String forgetCopies();
  }

  /** The start of both: the rows of the record that are meant, deleted from its end. */
  static final String RECORDED =
      """
      WITH listed AS (
        DELETE FROM {record} r
        USING unnest(CAST(? AS text[]), CAST(? AS bigint[])) AS l(group_id, position)
        WHERE r.move = ? AND r.group_id = l.group_id AND r.position = l.position
        RETURNING r.*
      ), marked AS (
        UPDATE {record} r SET last_of_part = true
        FROM (SELECT move, group_id, min(position) AS position FROM listed GROUP BY move, group_id) l
        WHERE r.move = l.move AND r.group_id = l.group_id AND r.position = l.position - 1
      )""";

  static Map<String, Long> atTheHead(Set<String> groups) {
    Map<String, Long> held = new java.util.LinkedHashMap<>();
    groups.forEach(group -> held.put(group, 0L));
    return held;
  }
}
