package dev.sluice.migrate;

import dev.sluice.queue.jdbc.Session;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Undoes {@link ToLegacy}. */
final class BackToHarel implements Abort.WayBack {
  /** Locks what the target still has of a group, all of it or what nobody else has locked. */
  private static final String LOCK =
      """
      SELECT r.group_id, q.receipt_handle IS NOT NULL AND q.visible_at > %s
      FROM unnest(CAST(? AS text[])) AS g(group_id)
      JOIN {record} r ON r.move = ? AND r.group_id = g.group_id
      JOIN {legacy} q ON q.queue_name = ? AND q.id = r.target_key
      FOR UPDATE OF q SKIP LOCKED"""
          .formatted(LegacySide.NOW);

  private static final String PRESENT =
      """
      SELECT r.group_id, count(*)
      FROM unnest(CAST(? AS text[])) AS g(group_id)
      JOIN {record} r ON r.move = ? AND r.group_id = g.group_id
      JOIN {legacy} q ON q.queue_name = ? AND q.id = r.target_key
      GROUP BY r.group_id""";

  private static final String GONE =
      Abort.RECORDED
          + """
          , gone AS (
            DELETE FROM {legacy} q USING listed l WHERE q.queue_name = ? AND q.id = l.target_key
            RETURNING l.source_key::bigint AS seq, l.group_id, q.payload
          )""";

  private static final String BACK =
      """
      , back AS (
        INSERT INTO {messages} (seq, group_id, event) SELECT seq, group_id, payload FROM gone
        RETURNING 1
      )
      SELECT count(*) FROM back""";

  private static final String CARRIED =
      """
      WITH gone AS (
        SELECT * FROM unnest(CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS text[]))
          AS l(seq, group_id, payload)
      )""";

  private final Ends ends;
  private final Names names;
  private final MigrationRequest request;
  private final HarelSide harel;

  BackToHarel(Ends ends, MigrationRequest request) {
    this.ends = ends;
    this.names = ends.names();
    this.request = request;
    this.harel = new HarelSide(ends.source(), names);
  }

  @Override
  public Set<String> lock(List<String> groups, Tally tally) throws SQLException {
    record Row(String group, boolean inFlight) {}
    record Count(String group, long rows) {}
    String[] asked = groups.toArray(String[]::new);
    Map<String, Long> locked = new LinkedHashMap<>();
    Set<String> ours = new HashSet<>(groups);
    for (Row row :
        Session.query(
            ends.target(),
            names.in(LOCK),
            row -> new Row(row.getString(1), row.getBoolean(2)),
            asked,
            ends.move(),
            request.queue())) {
      locked.merge(row.group(), 1L, Long::sum);
      if (row.inFlight()) {
        ours.remove(row.group());
        tally.inFlight++;
      }
    }
    for (Count count :
        Session.query(
            ends.target(),
            names.in(PRESENT),
            row -> new Count(row.getString(1), row.getLong(2)),
            asked,
            ends.move(),
            request.queue())) {
      if (count.rows() > locked.getOrDefault(count.group(), 0L) && ours.remove(count.group())) {
        tally.busy++;
      }
    }
    return ours;
  }

  @Override
  public long takeBack(String[] groups, Long[] positions, Set<String> distinct, String batch)
      throws SQLException {
    Map<String, Integer> priorities = new LinkedHashMap<>();
    distinct.forEach(group -> priorities.put(group, 0));
    harel.hold(priorities);
    harel.lock(distinct);
    harel.lease(distinct, Tokens.HOLD + batch);
    if (ends.oneDatabase()) {
      return Session.query(
              ends.target(),
              names.in(GONE + BACK),
              row -> row.getLong(1),
              groups,
              positions,
              ends.move(),
              request.queue())
          .get(0);
    }
    record Carried(long seq, String group, String payload) {}
    List<Carried> rows =
        Session.query(
            ends.target(),
            names.in(GONE + " SELECT seq, group_id, payload FROM gone"),
            row -> new Carried(row.getLong(1), row.getString(2), row.getString(3)),
            groups,
            positions,
            ends.move(),
            request.queue());
    return Session.query(
            ends.source(),
            names.in(CARRIED + BACK),
            row -> row.getLong(1),
            rows.stream().map(Carried::seq).toArray(Long[]::new),
            rows.stream().map(Carried::group).toArray(String[]::new),
            rows.stream().map(Carried::payload).toArray(String[]::new))
        .get(0);
  }

  @Override
  public void release(Set<String> groups) throws SQLException {
    if (!groups.isEmpty()) {
      harel.free(groups);
    }
  }

  @Override
  public void releaseAll() throws SQLException {
    harel.freeAll(Tokens.HOLD);
  }

  @Override
  public String forgetCopies() {
    return """
        WITH gone AS (
          DELETE FROM {messages} m USING unnest(CAST(? AS text[]), CAST(? AS bigint[])) AS l(seq, at)
          WHERE m.seq = CAST(l.seq AS bigint) AND CAST(? AS text) IS NOT NULL RETURNING 1
        )
        SELECT count(*) FROM gone""";
  }
}
