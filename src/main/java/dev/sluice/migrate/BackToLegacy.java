package dev.sluice.migrate;

import dev.sluice.migrate.HarelSide.Group;
import dev.sluice.queue.jdbc.Session;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Undoes {@link ToHarel}. */
final class BackToLegacy implements Abort.WayBack {
  private static final String GONE =
      Abort.RECORDED
          + """
          , gone AS (
            DELETE FROM {messages} m USING listed l WHERE m.seq = CAST(l.target_key AS bigint)
            RETURNING l.source_key, l.group_id, l.position, l.created_at, l.receive_count,
              l.ungrouped, m.event
          )""";

  /** A row of that id that a producer wrote since is the same message, published again. */
  private static final String BACK =
      """
      , back AS (
        INSERT INTO {legacy} (id, queue_name, message_group_id, receipt_handle, visible_at, payload,
          created_at, receive_count)
        SELECT g.source_key, ?, CASE WHEN NOT g.ungrouped THEN g.group_id END, NULL,
          COALESCE(d.until, g.created_at + 1), g.event, g.created_at, g.receive_count
        FROM gone g
        LEFT JOIN unnest(CAST(? AS text[]), CAST(? AS bigint[]), CAST(? AS bigint[]))
          AS d(group_id, position, until)
          ON d.group_id = g.group_id AND d.position = g.position
        ORDER BY g.source_key
        ON CONFLICT (queue_name, id) DO UPDATE
        SET created_at = EXCLUDED.created_at, visible_at = EXCLUDED.visible_at,
          payload = EXCLUDED.payload, receive_count = EXCLUDED.receive_count
        RETURNING 1
      )
      SELECT count(*) FROM back""";

  private static final String CARRIED =
      """
      WITH gone AS (
        SELECT * FROM unnest(CAST(? AS text[]), CAST(? AS text[]), CAST(? AS bigint[]),
            CAST(? AS bigint[]), CAST(? AS int[]), CAST(? AS boolean[]), CAST(? AS text[]))
          AS l(source_key, group_id, position, created_at, receive_count, ungrouped, event)
      )""";

  /** The first row that the target still has of a group that is parked. */
  private static final String HEADS =
      """
      SELECT g.group_id, h.position
      FROM unnest(CAST(? AS text[])) AS g(group_id)
      CROSS JOIN LATERAL (
        SELECT r.position
        FROM (SELECT m.seq FROM {messages} m WHERE m.group_id = g.group_id ORDER BY m.seq LIMIT 1) m
        JOIN {record} r ON r.move = ? AND r.group_id = g.group_id AND r.target_key = m.seq::text
      ) h""";

  private final Ends ends;
  private final Names names;
  private final MigrationRequest request;
  private final LegacySide legacy;
  private final HarelSide harel;
  private final Map<String, Long> parked = new HashMap<>();
  private final Set<String> locked = new HashSet<>();

  BackToLegacy(Ends ends, MigrationRequest request) {
    this.ends = ends;
    this.names = ends.names();
    this.request = request;
    this.legacy = new LegacySide(ends.source(), names, request.queue());
    this.harel = new HarelSide(ends.target(), names);
  }

  @Override
  public Set<String> lock(List<String> groups, Tally tally) throws SQLException {
    Set<String> there = harel.present(groups);
    Set<String> ours = new HashSet<>(groups);
    ours.removeAll(there);
    parked.clear();
    locked.clear();
    double longest = request.longestLease().toMillis() / 1000.0;
    for (Group group : harel.lock(there)) {
      there.remove(group.name());
      if (group.isFree() || group.isParked(longest)) {
        ours.add(group.name());
        locked.add(group.name());
        if (!group.isFree()) {
          parked.put(group.name(), (long) Math.ceil(group.expiry()));
        }
      } else {
        tally.inFlight++;
      }
    }
    tally.busy += there.size();
    return ours;
  }

  @Override
  public long takeBack(String[] groups, Long[] positions, Set<String> distinct, String batch)
      throws SQLException {
    record Head(String group, long position) {}
    List<Head> heads =
        parked.isEmpty()
            ? List.of()
            : Session.query(
                ends.target(),
                names.in(HEADS),
                row -> new Head(row.getString(1), row.getLong(2)),
                parked.keySet().toArray(String[]::new),
                ends.move());
    String[] delayed = heads.stream().map(Head::group).toArray(String[]::new);
    Long[] places = heads.stream().map(Head::position).toArray(Long[]::new);
    Long[] until = Arrays.stream(delayed).map(parked::get).toArray(Long[]::new);
    legacy.hold(Tokens.HOLD, Abort.atTheHead(distinct), batch);
    long back =
        ends.oneDatabase()
            ? Session.query(
                    ends.target(),
                    names.in(GONE + BACK),
                    row -> row.getLong(1),
                    groups,
                    positions,
                    ends.move(),
                    request.queue(),
                    delayed,
                    places,
                    until)
                .get(0)
            : carry(groups, positions, delayed, places, until);
    if (!locked.isEmpty()) {
      Set<String> rows = new HashSet<>(locked);
      // A part of a group that goes on waits as it did.
      rows.removeAll(parked.keySet());
      Set<String> empty = new HashSet<>(parked.keySet());
      empty.removeAll(harel.withMessages(parked.keySet()));
      rows.addAll(empty);
      harel.free(rows);
    }
    return back;
  }

  private record Carried(
      String key,
      String group,
      long position,
      long createdAt,
      @org.jspecify.annotations.Nullable Integer received,
      boolean ungrouped,
      String event) {}

  private long carry(
      String[] groups, Long[] positions, String[] delayed, Long[] places, Long[] until)
      throws SQLException {
    List<Carried> rows =
        Session.query(
            ends.target(),
            names.in(
                GONE
                    + " SELECT source_key, group_id, position, created_at, receive_count, ungrouped,"
                    + " event FROM gone"),
            row ->
                new Carried(
                    row.getString(1),
                    row.getString(2),
                    row.getLong(3),
                    row.getLong(4),
                    row.getObject(5, Integer.class),
                    row.getBoolean(6),
                    row.getString(7)),
            groups,
            positions,
            ends.move());
    return Session.query(
            ends.source(),
            names.in(CARRIED + BACK),
            row -> row.getLong(1),
            rows.stream().map(Carried::key).toArray(String[]::new),
            rows.stream().map(Carried::group).toArray(String[]::new),
            rows.stream().map(Carried::position).toArray(Long[]::new),
            rows.stream().map(Carried::createdAt).toArray(Long[]::new),
            rows.stream().map(Carried::received).toArray(Integer[]::new),
            rows.stream().map(r -> String.valueOf(r.ungrouped())).toArray(String[]::new),
            rows.stream().map(Carried::event).toArray(String[]::new),
            request.queue(),
            delayed,
            places,
            until)
        .get(0);
  }

  @Override
  public void release(Set<String> groups) throws SQLException {
    legacy.release(Tokens.HOLD, groups);
  }

  @Override
  public void releaseAll() throws SQLException {
    legacy.releaseAll(Tokens.HOLD);
  }

  @Override
  public String forgetCopies() {
    return """
        WITH gone AS (
          DELETE FROM {legacy} q USING unnest(CAST(? AS text[]), CAST(? AS bigint[])) AS l(id, at)
          WHERE q.id = l.id AND q.created_at = l.at AND q.queue_name = ? RETURNING 1
        )
        SELECT count(*) FROM gone""";
  }
}
