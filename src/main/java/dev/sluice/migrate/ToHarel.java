package dev.sluice.migrate;

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
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * From the legacy table to the harel tables. Rows are locked without waiting, and looked at again
 * once they are: what a poll took in between makes its group stay.
 */
final class ToHarel implements Mover {
  private static final String KEYS =
      """
      SELECT COALESCE(message_group_id, id), id, 0::bigint, octet_length(payload)::bigint
      FROM {legacy}
      WHERE queue_name = ? AND NOT starts_with(id, '%s') AND NOT starts_with(id, '%s')
      ORDER BY COALESCE(message_group_id, id) COLLATE "C", created_at, id"""
          .formatted(Tokens.HOLD, Tokens.ARRIVING);

  /**
   * By primary key. What is not usual comes along only where it is so: most rows cost three short
   * columns. Where a row lies is its shortest name, and stays so while it is locked.
   */
  private static final String LOCK =
      """
      SELECT q.id, q.ctid::text,
        (q.receipt_handle IS NOT NULL AND q.visible_at > c.now)::int * %2$d
          + (q.receipt_handle IS NULL AND q.visible_at > c.now)::int * %3$d
          + (q.message_group_id IS NULL)::int * %4$d
          + (strpos(q.payload, '"highPriority":true') > 0)::int * %5$d
          + (COALESCE(q.receive_count, 0) > 0)::int * %6$d,
        CASE WHEN q.visible_at > c.now THEN q.visible_at END,
        CASE WHEN q.created_at < 1 THEN q.created_at END,
        CASE WHEN NOT starts_with(q.payload, '{"id":' || to_json(q.id)::text) THEN q.payload END
      FROM {legacy} q, (SELECT %1$s AS now OFFSET 0) c
      WHERE q.queue_name = ? AND q.id = ANY (CAST(? AS text[]))
      FOR UPDATE OF q SKIP LOCKED"""
          .formatted(
              LegacySide.NOW, Row.IN_FLIGHT, Row.DELAYED, Row.UNGROUPED, Row.HIGH, Row.RECEIVED);

  /**
   * What is claimed or delayed in these groups, also of rows that came after the keys were read. An
   * index range (queue_name, visible_at) that ends before our holds.
   */
  private static final String AHEAD =
      """
      SELECT COALESCE(message_group_id, id), id, receipt_handle IS NOT NULL
      FROM {legacy}
      WHERE queue_name = ? AND visible_at > %1$s AND visible_at < %2$d
        AND (message_group_id = ANY (CAST(? AS text[]))
          OR (message_group_id IS NULL AND id = ANY (CAST(? AS text[]))))"""
          .formatted(LegacySide.NOW, Tokens.HOLD_UNTIL);

  private static final String LISTED =
      """
      WITH listed AS (
        SELECT * FROM unnest(CAST(? AS tid[]), CAST(? AS text[]), CAST(? AS bigint[]),
            CAST(? AS boolean[]))
          WITH ORDINALITY AS l(at, group_id, position, last_of_part, place)
      ), gone AS (
        DELETE FROM {legacy} q USING listed l WHERE q.ctid = l.at AND q.queue_name = ?
        RETURNING l.place, l.group_id, l.position, l.last_of_part, q.id, q.payload, q.created_at, q.receive_count,
          (q.message_group_id IS NULL)::int AS ungrouped
      )""";

  private static final String CARRIED =
      """
      WITH gone AS (
        SELECT * FROM unnest(CAST(? AS text[]), CAST(? AS text[]), CAST(? AS bigint[]),
            CAST(? AS boolean[]), CAST(? AS text[]), CAST(? AS bigint[]), CAST(? AS int[]),
            CAST(? AS int[]))
          WITH ORDINALITY
          AS l(id, group_id, position, last_of_part, payload, created_at, receive_count, ungrouped, place)
      )""";

  private static final String PUT =
      """
      , numbered AS MATERIALIZED (
        SELECT nextval('{sequence}') AS seq, g.*
        FROM (SELECT * FROM gone ORDER BY place OFFSET 0) g
      ), put AS (
        INSERT INTO {messages} (seq, group_id, event)
        SELECT seq, group_id, payload FROM numbered
      ), kept AS (
        INSERT INTO {record} (move, group_id, position, source_key, target_key, sha256, created_at,
          receive_count, ungrouped, batch, last_of_part)
        SELECT ?, group_id, position, id, seq::text, sha256(convert_to(payload, 'UTF8')), created_at,
          receive_count, ungrouped::boolean, CAST(? AS text), last_of_part
        FROM numbered
        RETURNING 1
      )
      SELECT count(*) FROM kept""";

  private final Ends ends;
  private final Names names;
  private final Connection source;
  private final Connection target;
  private final MigrationRequest request;
  private final Tally tally;
  private final LegacySide legacy;
  private final HarelSide harel;
  private final RecordTable record;

  ToHarel(Ends ends, MigrationRequest request, Tally tally) {
    this.ends = ends;
    this.names = ends.names();
    this.source = ends.source();
    this.target = ends.target();
    this.request = request;
    this.tally = tally;
    this.legacy = new LegacySide(source, names, request.queue());
    this.harel = new HarelSide(target, names);
    this.record = new RecordTable(ends);
  }

  /**
   * A row that is locked.
   *
   * @param at where it lies
   * @param visibleAt of a row that is not visible yet, else 0
   * @param createdAt of a row of the first second or before, else 1
   * @param unclear the text of a row that may say another id than the column
   */
  private record Row(
      String id, String at, int state, long visibleAt, long createdAt, @Nullable String unclear) {
    static final int IN_FLIGHT = 1;
    static final int DELAYED = 2;
    static final int UNGROUPED = 4;
    static final int HIGH = 8;
    static final int RECEIVED = 16;

    static Row read(ResultSet row) throws SQLException {
      long createdAt = row.getLong(5);
      boolean late = row.wasNull();
      return new Row(
          row.getString(1),
          row.getString(2),
          row.getInt(3),
          row.getLong(4),
          late ? 1 : createdAt,
          row.getString(6));
    }

    boolean is(int what) {
      return (state & what) != 0;
    }
  }

  /** The rows of one group that go together. */
  private record Part(String group, List<Row> rows, Optional<Last> last) {
    boolean isHeadOfGroup() {
      return last.isEmpty();
    }

    boolean isNamed() {
      return rows.stream().anyMatch(row -> !row.is(Row.UNGROUPED));
    }

    long beforeFirst() {
      return Math.min(0, rows.stream().mapToLong(Row::createdAt).min().orElse(1) - 1);
    }
  }

  @Override
  public Keys keys() throws SQLException {
    return Keys.of(source, "sluice_keys", names.in(KEYS), request.queue());
  }

  @Override
  public Set<String> move(Chunk chunk) throws SQLException {
    Set<String> later = new HashSet<>();
    List<Part> parts = movable(chunk, later);
    if (!parts.isEmpty()) {
      parts = arrive(parts, later);
    }
    List<Long> since = parts.isEmpty() ? List.of() : publishedSince(parts, later);
    parts = parts.stream().filter(part -> !later.contains(part.group())).toList();
    if (parts.isEmpty()) {
      ends.rollBack();
      return later;
    }
    String batch = Tokens.batch();
    if (!ends.oneDatabase()) {
      harel.lease(groups(parts), Tokens.ARRIVING + batch);
    }
    Map<String, Double> parks = delays(parts);
    put(parts, batch);
    harel.renumber(since);
    park(parks, batch);
    holdAtSource(parts, batch);
    ends.commit();
    confirm(parts, batch);
    count(parts, chunk);
    return later;
  }

  private List<Part> movable(Chunk chunk, Set<String> later) throws SQLException {
    Map<String, List<RowKey>> byGroup =
        chunk.keys().stream()
            .collect(Collectors.groupingBy(RowKey::group, LinkedHashMap::new, Collectors.toList()));
    List<String> ids = chunk.keys().stream().map(RowKey::key).toList();
    Map<String, Row> locked = lock(ids);
    Set<String> lockedByOthers = new HashSet<>();
    if (locked.size() < ids.size()) {
      lockedByOthers.addAll(
          legacy.present(ids.stream().filter(id -> !locked.containsKey(id)).toList()));
    }
    Ahead ahead = ahead(byGroup.keySet());
    Map<String, Last> last = record.last(chunk.groups());
    List<Part> parts = new ArrayList<>();
    byGroup.forEach(
        (group, keys) -> {
          List<Row> rows =
              keys.stream()
                  .flatMap(k -> Optional.ofNullable(locked.get(k.key())).stream())
                  .toList();
          long inFlight = rows.stream().filter(row -> row.is(Row.IN_FLIGHT)).count();
          Optional<Last> before = Optional.ofNullable(last.get(group));
          if (keys.stream().anyMatch(key -> lockedByOthers.contains(key.key()))) {
            tally.busy++;
            later.add(group);
          } else if (ahead.claimed.containsKey(group) || inFlight > 0) {
            tally.inFlight += Math.max(inFlight, ahead.claimed.getOrDefault(group, 0L));
            later.add(group);
          } else if (!rows.isEmpty()) {
            parts.add(new Part(group, rows, before));
          }
        });
    return request.strict() ? withoutLateDelays(parts, ahead, later) : parts;
  }

  private List<Part> withoutLateDelays(List<Part> parts, Ahead ahead, Set<String> later) {
    List<Part> kept = new ArrayList<>();
    for (Part part : parts) {
      Set<String> delayed = new HashSet<>(ahead.delayed.getOrDefault(part.group(), Set.of()));
      if (part.isHeadOfGroup()) {
        delayed.remove(part.rows().get(0).id());
      }
      if (delayed.isEmpty()) {
        kept.add(part);
      } else {
        tally.refuse(
            part.group(),
            part.rows().size(),
            "a row behind its head is delayed, and --strict was given");
        later.add(part.group());
      }
    }
    return kept;
  }

  private Map<String, Row> lock(List<String> ids) throws SQLException {
    Map<String, Row> locked = new HashMap<>();
    Session.query(source, names.in(LOCK), Row::read, request.queue(), ids.toArray(String[]::new))
        .forEach(row -> locked.put(row.id(), row));
    return locked;
  }

  /** By group: how many rows are claimed, which are delayed. */
  private record Ahead(Map<String, Long> claimed, Map<String, Set<String>> delayed) {}

  private Ahead ahead(Set<String> groups) throws SQLException {
    record Found(String group, String id, boolean claimed) {}
    String[] names = groups.toArray(String[]::new);
    Ahead ahead = new Ahead(new HashMap<>(), new HashMap<>());
    for (Found found :
        Session.query(
            source,
            this.names.in(AHEAD),
            row -> new Found(row.getString(1), row.getString(2), row.getBoolean(3)),
            request.queue(),
            names,
            names)) {
      if (found.claimed()) {
        ahead.claimed.merge(found.group(), 1L, Long::sum);
      } else {
        ahead.delayed.computeIfAbsent(found.group(), g -> new HashSet<>()).add(found.id());
      }
    }
    return ahead;
  }

  /** Holds the groups' rows at the target; leaves out those that must not or cannot go there. */
  private List<Part> arrive(List<Part> parts, Set<String> later) throws SQLException {
    Set<String> full = harel.withMessages(groups(parts));
    List<Part> welcome = new ArrayList<>();
    Map<String, Integer> priorities = new LinkedHashMap<>();
    for (Part part : parts) {
      if (part.isHeadOfGroup() && full.contains(part.group())) {
        tally.refuse(
            part.group(), part.rows().size(), "the target holds messages of it from elsewhere");
        later.add(part.group());
      } else {
        welcome.add(part);
        priorities.put(part.group(), part.rows().get(0).is(Row.HIGH) ? 4 : 0);
      }
    }
    if (welcome.isEmpty()) {
      return welcome;
    }
    harel.hold(priorities);
    return ends.oneDatabase() ? welcome : notLeased(welcome, later);
  }

  // Across two databases the target lets nobody see a batch before the source has let go of it.
  private List<Part> notLeased(List<Part> parts, Set<String> later) throws SQLException {
    Set<String> free =
        harel.lock(groups(parts)).stream()
            .filter(HarelSide.Group::isFree)
            .map(HarelSide.Group::name)
            .collect(Collectors.toSet());
    List<Part> ours = new ArrayList<>();
    for (Part part : parts) {
      if (free.contains(part.group())) {
        ours.add(part);
      } else {
        tally.busy++;
        later.add(part.group());
      }
    }
    return ours;
  }

  /**
   * What producers that have switched wrote to the target, behind which what they wrote to the
   * source before must not stand. A head that is handled right now stays where it is.
   */
  private List<Long> publishedSince(List<Part> parts, Set<String> later) throws SQLException {
    Map<String, Long> swept = new LinkedHashMap<>();
    for (Part part : parts) {
      part.last().ifPresent(last -> swept.put(part.group(), Long.valueOf(last.targetKey())));
    }
    List<HarelSide.Waiting> since = harel.behind(swept);
    if (since.isEmpty()) {
      return List.of();
    }
    Map<String, HarelSide.Group> locked = new HashMap<>();
    harel
        .lock(since.stream().map(HarelSide.Waiting::group).distinct().toList())
        .forEach(group -> locked.put(group.name(), group));
    List<Long> seqs = new ArrayList<>();
    for (HarelSide.Waiting row : since) {
      HarelSide.Group group = locked.get(row.group());
      if (group == null) {
        tally.busy += later.add(row.group()) ? 1 : 0;
      } else if (group.isFree() || !row.isHead()) {
        seqs.add(row.seq());
      }
    }
    return seqs;
  }

  /** The heads that are delayed, of groups that are empty at the target; counts other delays. */
  private Map<String, Double> delays(List<Part> parts) throws SQLException {
    Map<String, Double> parks = new LinkedHashMap<>();
    for (Part part : parts) {
      List<Row> rows = part.rows();
      if (rows.get(0).is(Row.DELAYED)) {
        parks.put(part.group(), (double) rows.get(0).visibleAt());
      }
      rows.stream()
          .skip(1)
          .filter(row -> row.is(Row.DELAYED))
          .forEach(row -> tally.delayLost(part.group(), row.id()));
    }
    if (!parks.isEmpty()) {
      for (String full : harel.withMessages(parks.keySet())) {
        parks.remove(full);
        tally.delaysLost++;
      }
    }
    return parks;
  }

  private void park(Map<String, Double> parks, String batch) throws SQLException {
    if (parks.isEmpty()) {
      return;
    }
    if (ends.oneDatabase()) {
      tally.delaysLost += parks.size() - harel.park(parks, batch).size();
    } else {
      harel.parkOnRelease(parks, batch);
    }
  }

  /** What a statement is told of the rows that move, an array per column. */
  private static final class Columns {
    final String[] ids;
    final String[] places;
    final String[] groups;
    final Long[] positions;
    final Boolean[] lasts;

    Columns(List<Part> parts) {
      int size = parts.stream().mapToInt(part -> part.rows().size()).sum();
      ids = new String[size];
      places = new String[size];
      groups = new String[size];
      positions = new Long[size];
      lasts = new Boolean[size];
      int at = 0;
      for (Part part : parts) {
        long position = part.last().map(Last::position).orElse(0L);
        for (Row row : part.rows()) {
          ids[at] = row.id();
          places[at] = row.at();
          groups[at] = part.group();
          positions[at] = ++position;
          lasts[at] = false;
          at++;
        }
        lasts[at - 1] = true;
      }
    }
  }

  private void put(List<Part> parts, String batch) throws SQLException {
    Columns columns = new Columns(parts);
    long put = ends.oneDatabase() ? inOne(columns) : acrossTwo(columns, batch);
    if (put != columns.ids.length) {
      throw new SQLException("a locked row went away", "40001");
    }
  }

  private long inOne(Columns columns) throws SQLException {
    return Session.query(
            target,
            names.in(LISTED + PUT),
            row -> row.getLong(1),
            columns.places,
            columns.groups,
            columns.positions,
            columns.lasts,
            request.queue(),
            ends.move(),
            null)
        .get(0);
  }

  private record Carried(
      long place, String payload, long createdAt, @Nullable Integer received, int ungrouped) {}

  private long acrossTwo(Columns columns, String batch) throws SQLException {
    Carried[] carried = new Carried[columns.ids.length];
    for (Carried row :
        Session.query(
            source,
            names.in(
                LISTED + " SELECT place, payload, created_at, receive_count, ungrouped FROM gone"),
            row ->
                new Carried(
                    row.getLong(1),
                    row.getString(2),
                    row.getLong(3),
                    row.getObject(4, Integer.class),
                    row.getInt(5)),
            columns.places,
            columns.groups,
            columns.positions,
            columns.lasts,
            request.queue())) {
      carried[(int) row.place() - 1] = row;
    }
    return Session.query(
            target,
            names.in(CARRIED + PUT),
            row -> row.getLong(1),
            columns.ids,
            columns.groups,
            columns.positions,
            columns.lasts,
            Arrays.stream(carried).map(Carried::payload).toArray(String[]::new),
            Arrays.stream(carried).map(Carried::createdAt).toArray(Long[]::new),
            Arrays.stream(carried).map(Carried::received).toArray(Integer[]::new),
            Arrays.stream(carried).map(Carried::ungrouped).toArray(Integer[]::new),
            ends.move(),
            batch)
        .get(0);
  }

  // A row without a group is a group by itself, in which nothing follows.
  private void holdAtSource(List<Part> parts, String batch) throws SQLException {
    if (request.hold()) {
      Map<String, Long> named = new LinkedHashMap<>();
      parts.stream().filter(Part::isNamed).forEach(p -> named.put(p.group(), p.beforeFirst()));
      legacy.hold(Tokens.HOLD, named, batch);
    }
    if (!ends.oneDatabase()) {
      legacy.mark(batch);
    }
  }

  private void confirm(List<Part> parts, String batch) throws SQLException {
    if (!ends.oneDatabase()) {
      harel.releaseArrived(groups(parts), batch);
      target.commit();
    }
  }

  private void count(List<Part> parts, Chunk chunk) {
    for (Part part : parts) {
      tally.moved(part.rows().size());
      boolean sameGroupGoesOn =
          chunk.continued() && part.group().equals(chunk.keys().get(0).group());
      if (part.isHeadOfGroup()) {
        tally.groups++;
      } else if (!sameGroupGoesOn) {
        tally.swept();
      }
      for (Row row : part.rows()) {
        tally.receiveCountsLost += row.is(Row.RECEIVED) ? 1 : 0;
        String unclear = row.unclear();
        if (unclear != null && !JsonId.of(unclear).equals(Optional.of(row.id()))) {
          tally.idMismatches++;
        }
      }
    }
  }

  private static List<String> groups(List<Part> parts) {
    return parts.stream().map(Part::group).toList();
  }

  @Override
  public long remaining() throws SQLException {
    long count = legacy.count();
    source.commit();
    return count;
  }

  @Override
  public void release() throws SQLException {
    legacy.releaseAll(Tokens.HOLD);
    source.commit();
  }

  @Override
  public void close() {}
}
