package dev.sluice.migrate;

import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Compares what the target has with the record. What it has no more counts as delivered. */
final class Verification {
  private static final String OF_HAREL =
      """
      SELECT r.group_id, r.position,
        sha256(convert_to(m.event, 'UTF8')) = r.sha256 AND m.group_id = r.group_id AS same,
        lag(m.seq) OVER w < m.seq AS ordered
      FROM {record} r JOIN {messages} m ON m.seq = CAST(r.target_key AS bigint)
      WHERE r.move = ? AND CAST(? AS text) IS NOT NULL
      WINDOW w AS (PARTITION BY r.group_id ORDER BY r.position)""";

  private static final String OF_LEGACY =
      """
      SELECT r.group_id, r.position,
        sha256(convert_to(q.payload, 'UTF8')) = r.sha256
          AND COALESCE(q.message_group_id, q.id) = r.group_id AS same,
        lag(q.created_at) OVER w < q.created_at
          OR (lag(q.created_at) OVER w = q.created_at AND lag(q.id) OVER w < q.id) AS ordered
      FROM {record} r JOIN {legacy} q ON q.id = r.target_key
      WHERE r.move = ? AND q.queue_name = ?
      WINDOW w AS (PARTITION BY r.group_id ORDER BY r.position)""";

  /**
   * What is missing behind a row of its group that is there and that nobody can have passed: harel
   * serves nothing but heads, and in the legacy table a row passes only those that were claimed.
   */
  private static final String GAPS =
      """
      SELECT count(*), min(group_id) FROM (
        SELECT r.group_id, %1$s IS NULL AS missing,
          bool_or(%2$s) OVER (PARTITION BY r.group_id ORDER BY r.position) AS behind
        FROM {record} r LEFT JOIN %3$s
        WHERE r.move = ? AND CAST(? AS text) IS NOT NULL
      ) g WHERE missing AND behind""";

  private static final String GAPS_OF_HAREL =
      GAPS.formatted(
          "m.seq", "m.seq IS NOT NULL", "{messages} m ON m.seq = CAST(r.target_key AS bigint)");

  private static final String GAPS_OF_LEGACY =
      GAPS.formatted(
          "q.id",
          "q.id IS NOT NULL AND COALESCE(q.receive_count, 0) = 0",
          "{legacy} q ON q.id = r.target_key AND q.queue_name = ?");

  private static final String FIGURES =
      """
      SELECT count(*), count(DISTINCT group_id), count(*) FILTER (WHERE NOT same),
        count(*) FILTER (WHERE NOT ordered),
        min(group_id) FILTER (WHERE NOT same), min(group_id) FILTER (WHERE NOT ordered),
        (SELECT count(*) FROM {record} WHERE move = ?)
      FROM (%s) v""";

  private final Ends ends;
  private final MigrationRequest request;
  private final Tally tally;

  Verification(Ends ends, MigrationRequest request, Tally tally) {
    this.ends = ends;
    this.request = request;
    this.tally = tally;
  }

  private record Figures(
      long present,
      long groups,
      long changed,
      long disordered,
      String changedGroup,
      String disorderedGroup,
      long recorded) {}

  /** What is wrong, a line each; counts what was compared. */
  List<String> faults() throws SQLException {
    SchemaTools.execute(
        ends.target(),
        "SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on;"
            + " SET LOCAL enable_mergejoin = on; SET LOCAL plan_cache_mode = force_custom_plan");
    Figures figures =
        Session.query(
                ends.target(),
                ends.names().in(FIGURES.formatted(ends.toHarel() ? OF_HAREL : OF_LEGACY)),
                row ->
                    new Figures(
                        row.getLong(1),
                        row.getLong(2),
                        row.getLong(3),
                        row.getLong(4),
                        String.valueOf(row.getString(5)),
                        String.valueOf(row.getString(6)),
                        row.getLong(7)),
                ends.move(),
                ends.move(),
                request.queue())
            .get(0);
    Gaps gaps = gaps();
    ends.rollBack();
    tally.messages.add(figures.present());
    tally.groups = figures.groups();
    List<String> faults = new ArrayList<>();
    if (figures.changed() > 0) {
      faults.add(
          "%d messages differ from their checksum or are in another group, first in group '%s'"
              .formatted(figures.changed(), figures.changedGroup()));
    }
    if (figures.disordered() > 0) {
      faults.add(
          "%d messages stand before their predecessor, first in group '%s'"
              .formatted(figures.disordered(), figures.disorderedGroup()));
    }
    if (gaps.count() > 0) {
      faults.add(
          "%d messages are missing behind others of their group that nobody has claimed, first in"
                  .formatted(gaps.count())
              + " group '%s'".formatted(gaps.group()));
    }
    tally.note(
        "%d of %d recorded messages are at the target; the others were consumed"
            .formatted(figures.present(), figures.recorded()));
    return faults;
  }

  private record Gaps(long count, String group) {}

  private Gaps gaps() throws SQLException {
    String sql = ends.names().in(ends.toHarel() ? GAPS_OF_HAREL : GAPS_OF_LEGACY);
    Object[] parameters =
        ends.toHarel()
            ? new Object[] {ends.move(), request.queue()}
            : new Object[] {request.queue(), ends.move(), request.queue()};
    return Session.query(
            ends.target(),
            sql,
            row -> new Gaps(row.getLong(1), String.valueOf(row.getString(2))),
            parameters)
        .get(0);
  }
}
