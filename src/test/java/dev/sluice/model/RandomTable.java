package dev.sluice.model;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple;

/**
 * A table as years of use may have left it, and the poll that meets it.
 *
 * @param rows of two queues
 * @param locked rows that another session holds locked, a part of {@code rows}
 * @param now unix seconds
 * @param max how many messages the poll asks for
 */
public record RandomTable(List<LegacyRow> rows, List<LegacyRow> locked, long now, int max) {

  /** The queue that is polled. */
  public static final String QUEUE = "orders";

  /** Another queue in the same table, with the same ids and groups. */
  public static final String OTHER_QUEUE = "Orders-2";

  /** The middle of the few seconds in which everything happens. */
  public static final long NOON = 1_700_000_000L;

  /**
   * Ids that C sorts otherwise than people do, that need care in arrays, receipts and LIKE, and
   * that groups are named after.
   */
  public static final List<String> ODD_IDS =
      List.of(
          "a", "A", "b", "B", "ab", "aB", "a-b", "a_b", "a b", "_a", "-a", "1", "01", "10", "9",
          "é", "e", "ä", "Z", "ß", "ss", "Ω", "\uFFEE", "😀", "a:b", ":a", "a:", "x'y", "x\"y",
          "x\\y", "{x}", "NULL", "null", "%", "a,b", "a\tb", "");

  /** Every id that these generators make. */
  public static final List<String> EVERY_ID =
      Stream.concat(ODD_IDS.stream(), IntStream.range(0, 100).mapToObj(n -> "m" + n)).toList();

  /** Payloads that no reader takes. */
  public static final List<String> MALFORMED =
      List.of("", "no json", "null", "[]", "{\"id\":5}", "{\"id\":\"p\"} {}");

  private static final int ROWS = 60;
  private static final int MOST_ASKED = 70;

  /** Rows with well-formed payloads only. */
  public static Arbitrary<RandomTable> tables() {
    return tables(payloads(0));
  }

  /** Rows of which some have payloads that no reader takes. */
  public static Arbitrary<RandomTable> tablesWithMalformedRows() {
    return tables(payloads(1));
  }

  private static Arbitrary<RandomTable> tables(Arbitrary<String> payloads) {
    Arbitrary<List<Drawn>> rows =
        drawn(payloads)
            .list()
            .ofMaxSize(ROWS)
            .uniqueElements(drawn -> drawn.row().queue() + '/' + drawn.row().id())
            .withSizeDistribution(RandomDistribution.uniform());
    Arbitrary<Long> now = Arbitraries.longs().between(NOON - 3, NOON + 3).shrinkTowards(NOON);
    return Combinators.combine(rows, now, asked()).as(RandomTable::of);
  }

  private static RandomTable of(List<Drawn> drawn, long now, int max) {
    return new RandomTable(
        drawn.stream().map(Drawn::row).toList(),
        drawn.stream().filter(Drawn::locked).map(Drawn::row).toList(),
        now,
        max);
  }

  private record Drawn(LegacyRow row, boolean locked) {}

  private static Arbitrary<Drawn> drawn(Arbitrary<String> payloads) {
    return Combinators.combine(
            Arbitraries.frequency(Tuple.of(5, QUEUE), Tuple.of(1, OTHER_QUEUE)),
            ids(),
            groups(),
            times(),
            payloads,
            Arbitraries.of(0, 0, 1, 2, 41).injectNull(0.2),
            Arbitraries.frequency(Tuple.of(6, false), Tuple.of(1, true)))
        .as(
            (queue, id, group, times, payload, receives, locked) ->
                new Drawn(
                    new LegacyRow(
                        queue,
                        id,
                        group,
                        times.claimed() ? "3b6b8a4e-old-poll:" + id : null,
                        times.visible(),
                        payload,
                        times.created(),
                        receives),
                    locked));
  }

  /** Any row id. */
  public static Arbitrary<String> ids() {
    return Arbitraries.frequencyOf(
        Tuple.of(2, Arbitraries.integers().between(0, 99).map(n -> "m" + n)),
        Tuple.of(1, Arbitraries.of(ODD_IDS)));
  }

  /** A group column: NULL, the empty string, a few groups, some named like ids. */
  public static Arbitrary<String> groups() {
    return Arbitraries.of("g", "h", "", "a", "A", "m1", "m2", "G").injectNull(0.25);
  }

  private record Times(long created, long visible, boolean claimed) {}

  // Few seconds, so that equal ones are frequent and now falls before, on and after each of them.
  private static Arbitrary<Times> times() {
    Arbitrary<Long> created =
        Arbitraries.frequencyOf(
            Tuple.of(6, Arbitraries.longs().between(-2, 0).shrinkTowards(0)),
            Tuple.of(3, Arbitraries.longs().between(-6, 6).shrinkTowards(0)),
            Tuple.of(1, Arbitraries.of(-100_000L, 100_000L)));
    Arbitrary<Long> visible =
        Arbitraries.frequencyOf(
            Tuple.of(6, Arbitraries.longs().between(-6, 6).shrinkTowards(0)),
            Tuple.of(1, Arbitraries.of(-100_000L, 100_000L)));
    Arbitrary<Boolean> asPublished = Arbitraries.frequency(Tuple.of(1, true), Tuple.of(2, false));
    return Combinators.combine(created, visible, asPublished, Arbitraries.of(false, true))
        .as(
            (c, v, fresh, claimed) ->
                fresh
                    ? new Times(NOON + c, NOON + c, false)
                    : new Times(NOON + c, NOON + v, claimed));
  }

  private static Arbitrary<String> payloads(int malformedOfTen) {
    return malformedOfTen == 0
        ? Arbitraries.just(LegacyRow.WELL_FORMED)
        : Arbitraries.frequencyOf(
            Tuple.of(10 - malformedOfTen, Arbitraries.just(LegacyRow.WELL_FORMED)),
            Tuple.of(malformedOfTen, Arbitraries.of(MALFORMED)));
  }

  private static Arbitrary<Integer> asked() {
    return Arbitraries.oneOf(
        Arbitraries.integers().between(1, 5), Arbitraries.integers().between(1, MOST_ASKED));
  }

  /** Makes the tables hold exactly these rows, and nothing in quarantine. */
  public void load(Connection connection) throws SQLException {
    LegacyTable.clear(connection);
    LegacyTable.load(connection, rows);
  }

  @Override
  public String toString() {
    List<String> lines = new ArrayList<>();
    lines.add("poll(" + max + ") at noon" + relative(now));
    for (LegacyRow row : rows) {
      lines.add(
          "  %s id=%s group=%s created%s visible%s %s receives=%s%s%s"
              .formatted(
                  row.queue(),
                  row.id(),
                  row.group(),
                  relative(row.createdAt()),
                  relative(row.visibleAt()),
                  row.receipt() == null ? "unclaimed" : "claimed",
                  row.receives(),
                  row.payload().equals(LegacyRow.WELL_FORMED) ? "" : " malformed",
                  locked.contains(row) ? " LOCKED" : ""));
    }
    return String.join("\n", lines);
  }

  private static String relative(long second) {
    return "%+d".formatted(second - NOON);
  }
}
