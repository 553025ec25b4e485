package dev.sluice.migrate;

import dev.sluice.migrate.HarelSide.Group;
import dev.sluice.migrate.RecordTable.Last;
import dev.sluice.queue.jdbc.Session;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * From the harel tables to the legacy table, whose order is (created_at, id) in whole seconds: rows
 * whose ids do not ascend get seconds of their own, all of them past.
 */
final class ToLegacy implements Mover {
  /** So much room is left behind a group for what producers still write to it, in seconds. */
  private static final long ROOM = 600;

  private static final String KEYS =
      """
      SELECT m.group_id, m.seq::text, count(*) OVER (PARTITION BY m.group_id COLLATE "C"),
        octet_length(m.event)::bigint
      FROM {messages} m ORDER BY m.group_id COLLATE "C", m.seq""";

  private static final String PUT =
      """
      , put AS (
        INSERT INTO {legacy} (id, queue_name, message_group_id, receipt_handle, visible_at, payload,
          created_at, receive_count)
        SELECT id, ?, NULLIF(group_id, id), NULL, visible_at, event, created_at, 0
        FROM gone ORDER BY id
      ), kept AS (
        INSERT INTO {record} (move, group_id, position, source_key, target_key, sha256, ungrouped,
          priority, placed_at, batch, last_of_part)
        SELECT ?, group_id, position, seq::text, id, sha256(convert_to(event, 'UTF8')), false,
          priority, created_at, CAST(? AS text), last_of_part
        FROM gone
        RETURNING 1
      )
      SELECT count(*) FROM kept""";

  private static final String COLUMNS =
      "l(seq, group_id, position, id, created_at, visible_at, priority, last_of_part, ";

  private static final String ARRAYS =
      """
      unnest(CAST(? AS bigint[]), CAST(? AS text[]), CAST(? AS bigint[]), CAST(? AS text[]),
        CAST(? AS bigint[]), CAST(? AS bigint[]), CAST(? AS int[]), CAST(? AS boolean[])""";

  /** Where a row lies finds it at once; its seq says that it is still the same one. */
  private static final String LISTED =
      """
      WITH listed AS (
        SELECT * FROM %s, CAST(? AS tid[])) WITH ORDINALITY AS %s at, place)
      ), gone AS (
        DELETE FROM {messages} m USING listed l WHERE m.ctid = l.at AND m.seq = l.seq
        RETURNING l.seq, l.group_id, l.position, l.id, l.created_at, l.visible_at, l.priority,
          l.last_of_part, m.event
      )"""
          .formatted(ARRAYS, COLUMNS);

  private static final String CARRIED =
      """
      WITH gone AS (
        SELECT * FROM %s, CAST(? AS text[])) WITH ORDINALITY AS %s event, place)
      )"""
          .formatted(ARRAYS, COLUMNS);

  /**
   * The id of a text that begins as Go writes it, and that is no other by an escape or by a second
   * key; the text itself where that is not so, or where it is to be carried.
   */
  private static final String ROWS =
      """
      SELECT m.seq, p.id, CASE WHEN p.id IS NULL OR CAST(? AS boolean) THEN m.event END,
        m.ctid::text
      FROM {messages} m CROSS JOIN LATERAL (
        SELECT CASE
          WHEN starts_with(m.event, '{"id":"') AND strpos(m.event, chr(92)) = 0
            AND split_part(m.event, '"', 5) <> '' AND strpos(substr(m.event, 8), '"id"') = 0
          THEN split_part(m.event, '"', 4) END AS id
        OFFSET 0
      ) p
      WHERE m.seq = ANY (CAST(? AS bigint[]))""";

  /** Takes the collation of the column, which need not be the database's. */
  private static final String ASCENDS =
      """
      SELECT COALESCE(
        COALESCE((SELECT q.id FROM {legacy} q WHERE false), g.id) > lag(g.id) OVER (ORDER BY g.place),
        false)
      FROM unnest(CAST(? AS text[])) WITH ORDINALITY AS g(id, place)
      ORDER BY g.place""";

  private final Ends ends;
  private final Names names;
  private final Connection source;
  private final Connection target;
  private final MigrationRequest request;
  private final Tally tally;
  private final LegacySide legacy;
  private final HarelSide harel;
  private final RecordTable record;
  private final double longestLease;
  private ForeignGroups foreign;

  ToLegacy(Ends ends, MigrationRequest request, Tally tally) {
    this.ends = ends;
    this.names = ends.names();
    this.source = ends.source();
    this.target = ends.target();
    this.request = request;
    this.tally = tally;
    this.legacy = new LegacySide(target, names, request.queue());
    this.harel = new HarelSide(source, names);
    this.record = new RecordTable(ends);
    this.longestLease = request.longestLease().toMillis() / 1000.0;
    this.foreign = ForeignGroups.NONE;
  }

  /**
   * A message, with the id that it will have.
   *
   * @param event its text, where that passes through here; else empty
   * @param at where it lies
   */
  private record Row(long seq, String event, String id, String at) {
    static Row read(ResultSet row) throws SQLException {
      long seq = row.getLong(1);
      String event = Objects.requireNonNullElse(row.getString(3), "");
      String plain = row.getString(2);
      Optional<String> id =
          plain == null ? JsonId.of(event) : Optional.of(plain).filter(JsonId::usableUnescaped);
      return new Row(seq, event, id.orElse("harel-" + seq), row.getString(4));
    }

    Row withId(String other) {
      return new Row(seq, event, other, at);
    }
  }

  /** The rows of one group that go together, with the seconds they get. */
  private record Part(Group group, List<Row> rows, Optional<Last> last, long size) {
    String name() {
      return group.name();
    }
  }

  private record Placed(Part part, List<Long> seconds) {}

  @Override
  public Keys keys() throws SQLException {
    foreign.close();
    foreign = ForeignGroups.at(ends, request.queue());
    return Keys.of(source, "sluice_keys", names.in(KEYS));
  }

  @Override
  public Set<String> move(Chunk chunk) throws SQLException {
    Set<String> later = new HashSet<>();
    Set<String> strangers = foreign.among(chunk.groups());
    List<Part> parts = movable(chunk, strangers, later);
    List<Placed> placed = parts.isEmpty() ? List.of() : placed(named(parts), later);
    if (placed.isEmpty()) {
      ends.rollBack();
      return later;
    }
    String batch = Tokens.batch();
    if (!ends.oneDatabase()) {
      Map<String, Long> arriving = new LinkedHashMap<>();
      placed.forEach(p -> arriving.put(p.part().name(), 0L));
      legacy.hold(Tokens.ARRIVING, arriving, batch);
    }
    put(placed, batch);
    holdAtSource(placed, batch);
    ends.commit();
    if (!ends.oneDatabase()) {
      legacy.release(Tokens.ARRIVING, names(placed));
      target.commit();
    }
    count(placed, chunk);
    return later;
  }

  private List<Part> movable(Chunk chunk, Set<String> strangers, Set<String> later)
      throws SQLException {
    Map<String, Group> locked = lock(chunk.groups());
    Map<String, List<Row>> rows = rows(chunk);
    Map<String, Last> last = record.last(chunk.groups());
    Map<String, Long> sizes = new HashMap<>();
    chunk.keys().forEach(key -> sizes.put(key.group(), key.groupSize()));
    List<Part> parts = new ArrayList<>();
    for (Map.Entry<String, List<Row>> entry : rows.entrySet()) {
      String name = entry.getKey();
      Group group = locked.get(name);
      Optional<Last> before = Optional.ofNullable(last.get(name));
      if (group == null) {
        tally.busy++;
        later.add(name);
      } else if (!group.isFree() && !group.isHeld() && !group.isParked(longestLease)) {
        tally.inFlight++;
        later.add(name);
      } else if (before.isEmpty() && strangers.contains(name)) {
        tally.refuse(
            name, entry.getValue().size(), "the target holds messages of it from elsewhere");
        later.add(name);
      } else {
        parts.add(new Part(group, entry.getValue(), before, sizes.getOrDefault(name, 0L)));
      }
    }
    return parts;
  }

  // What was stranded without a row gets one.
  private Map<String, Group> lock(List<String> groups) throws SQLException {
    Map<String, Group> locked = new HashMap<>();
    harel.lock(groups).forEach(group -> locked.put(group.name(), group));
    if (locked.size() < groups.size()) {
      Set<String> missing = new HashSet<>(groups);
      missing.removeAll(harel.present(groups));
      if (!missing.isEmpty()) {
        Map<String, Integer> priorities = new LinkedHashMap<>();
        harel.withMessages(missing).forEach(group -> priorities.put(group, 0));
        harel.hold(priorities);
        harel.lock(priorities.keySet()).forEach(group -> locked.put(group.name(), group));
      }
    }
    return locked;
  }

  private Map<String, List<Row>> rows(Chunk chunk) throws SQLException {
    Map<Long, Row> found = new HashMap<>();
    Session.query(
            source,
            names.in(ROWS),
            Row::read,
            !ends.oneDatabase(),
            chunk.keys().stream().map(k -> Long.valueOf(k.key())).toArray(Long[]::new))
        .forEach(row -> found.put(row.seq(), row));
    Map<String, List<Row>> rows = new LinkedHashMap<>();
    for (RowKey key : chunk.keys()) {
      Row row = found.get(Long.valueOf(key.key()));
      if (row != null) {
        rows.computeIfAbsent(key.group(), group -> new ArrayList<>()).add(row);
      }
    }
    return rows;
  }

  /** Gives another id to each row whose id the queue has, or an earlier row. */
  private List<Part> named(List<Part> parts) throws SQLException {
    List<String> wished = parts.stream().flatMap(p -> p.rows().stream()).map(Row::id).toList();
    Set<String> taken = new HashSet<>(legacy.present(wished));
    if (taken.isEmpty() && new HashSet<>(wished).size() == wished.size()) {
      return parts;
    }
    List<Part> named = new ArrayList<>();
    for (Part part : parts) {
      List<Row> rows = new ArrayList<>();
      for (Row row : part.rows()) {
        String id = row.id();
        for (int i = 0; !taken.add(id); i++) {
          id = "harel-" + row.seq() + (i == 0 ? "" : "-" + i);
        }
        rows.add(row.withId(id));
      }
      named.add(new Part(part.group(), rows, part.last(), part.size()));
    }
    return named;
  }

  private List<Placed> placed(List<Part> parts, Set<String> later) throws SQLException {
    String[] ids =
        parts.stream().flatMap(p -> p.rows().stream()).map(Row::id).toArray(String[]::new);
    List<Boolean> ascends =
        Session.query(target, names.in(ASCENDS), row -> row.getBoolean(1), (Object) ids);
    long now = Session.query(target, "SELECT " + LegacySide.NOW, row -> row.getLong(1)).get(0);
    List<Placed> placed = new ArrayList<>();
    int at = 0;
    for (Part part : parts) {
      int size = part.rows().size();
      long[] steps = Seconds.steps(ascends.subList(at, at + size));
      at += size;
      // Before what producers that have switched wrote to the target since.
      long last = part.last().map(Last::placedAt).orElse(Long.MIN_VALUE);
      long first = Seconds.first(last, now, part.size() + ROOM);
      // Behind us only what is past: a producer's next row of this second could have a smaller id.
      if (first + steps[size - 1] >= now) {
        tally.tooYoung++;
        later.add(part.name());
      } else {
        placed.add(new Placed(part, Arrays.stream(steps).mapToObj(s -> first + s).toList()));
      }
    }
    return placed;
  }

  private void put(List<Placed> placed, String batch) throws SQLException {
    int size = placed.stream().mapToInt(p -> p.part().rows().size()).sum();
    Long[] seqs = new Long[size];
    String[] groups = new String[size];
    Long[] positions = new Long[size];
    String[] ids = new String[size];
    Long[] createdAts = new Long[size];
    Long[] visibleAts = new Long[size];
    Integer[] priorities = new Integer[size];
    Boolean[] lasts = new Boolean[size];
    String[] rest = new String[size];
    int at = 0;
    for (Placed p : placed) {
      Part part = p.part();
      long position = part.last().map(Last::position).orElse(0L);
      for (int i = 0; i < part.rows().size(); i++, at++) {
        Row row = part.rows().get(i);
        seqs[at] = row.seq();
        groups[at] = part.name();
        positions[at] = ++position;
        ids[at] = row.id();
        createdAts[at] = p.seconds().get(i);
        visibleAts[at] = visibleAt(part.group(), i, p.seconds().get(i));
        priorities[at] = part.group().priority();
        lasts[at] = i == part.rows().size() - 1;
        rest[at] = ends.oneDatabase() ? row.at() : row.event();
      }
    }
    Object[] columns = {
      seqs, groups, positions, ids, createdAts, visibleAts, priorities, lasts, rest
    };
    long put = ends.oneDatabase() ? put(LISTED, batch, columns) : carry(batch, columns);
    if (put != size) {
      throw new SQLException("a row of a locked group went away", "40001");
    }
  }

  private long visibleAt(Group group, int place, long createdAt) {
    return place == 0 && group.isParked(longestLease) && !group.isHeld()
        ? (long) Math.ceil(group.expiry())
        : LegacySide.visibleAt(createdAt);
  }

  private long put(String rows, String batch, Object... columns) throws SQLException {
    Object[] all = Arrays.copyOf(columns, columns.length + 3);
    all[columns.length] = request.queue();
    all[columns.length + 1] = ends.move();
    all[columns.length + 2] = batch;
    return Session.query(target, names.in(rows + PUT), row -> row.getLong(1), all).get(0);
  }

  private long carry(String batch, Object... columns) throws SQLException {
    Session.query(
        source,
        names.in(
            """
            WITH gone AS (DELETE FROM {messages} WHERE seq = ANY (CAST(? AS bigint[])) RETURNING 1)
            SELECT count(*) FROM gone"""),
        row -> row.getLong(1),
        columns[0]);
    return put(CARRIED, batch, columns);
  }

  private void holdAtSource(List<Placed> placed, String batch) throws SQLException {
    if (request.hold()) {
      harel.lease(names(placed), Tokens.HOLD + batch);
    } else {
      harel.free(names(placed));
    }
    if (!ends.oneDatabase()) {
      harel.mark(batch);
    }
  }

  private void count(List<Placed> placed, Chunk chunk) {
    for (Placed p : placed) {
      Part part = p.part();
      tally.moved(part.rows().size());
      boolean sameGroupGoesOn =
          chunk.continued() && part.name().equals(chunk.keys().get(0).group());
      if (part.last().isEmpty()) {
        tally.groups++;
        tally.prioritiesLost += part.group().priority() == 0 ? 0 : 1;
      } else if (!sameGroupGoesOn) {
        tally.swept();
      }
      for (int i = 0; i < part.rows().size(); i++) {
        tally.reordered += i > 0 && p.seconds().get(i) > p.seconds().get(i - 1) ? 1 : 0;
        Row row = part.rows().get(i);
        tally.idMismatches += row.id().startsWith("harel-" + row.seq()) ? 1 : 0;
      }
    }
  }

  private static List<String> names(List<Placed> placed) {
    return placed.stream().map(p -> p.part().name()).toList();
  }

  @Override
  public long remaining() throws SQLException {
    long count = harel.count();
    source.commit();
    return count;
  }

  @Override
  public void release() throws SQLException {
    harel.freeAll(Tokens.HOLD);
  }

  @Override
  public void close() throws SQLException {
    foreign.close();
  }
}
