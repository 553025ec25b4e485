package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.SeedClaim;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.queue.legacy.LegacyQueue.Groups;
import dev.sluice.testing.BufferCount;
import dev.sluice.testing.OneConnection;
import dev.sluice.testing.ScaledTries;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a poll reads, in buffers, whatever the size of the table and its statistics: whole polls of
 * ten, every statement of them under a generic plan. {@code -Dsluice.test.scale=10} takes a million
 * rows.
 */
class ClaimPlanTest {
  private static final int FEW = 1_000;
  private static final int MANY = Math.min(10, ScaledTries.SCALE) * 100_000;
  private static final long NOW = 1_800_000_000L;
  private static final long LATER = 4_000_000_000L;

  // group, receipt, visible_at and queue of row i of n, which was created at c
  private static final String SINGLETONS = "NULL, NULL, c, 'q'";
  private static final String GROUPS = "'g' || i % 10000, NULL, c, 'q'";
  private static final String HELD = "CASE WHEN i <= n / 2 THEN 'r:' || i END";
  private static final String HELD_UNTIL = "CASE WHEN i <= n / 2 THEN " + LATER + " ELSE c END";

  private static final String PAYLOAD =
      "'{\"id\":\"x\",\"mediationType\":\"HTTP\",\"mediationTarget\":\"https://t.example/hook\"}'";

  // Three statements, of 128 rows or groups each, and a few probes for each group among them.
  private static final long BOUND = 2_000;

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = ';',
      value = {
        "singletons; true; " + SINGLETONS,
        "10,000 groups; true; " + GROUPS,
        "10 giant groups; false; 'g' || i * 10 / (n + 1), NULL, c, 'q'",
        "a giant group with a delayed head in front; false; CASE WHEN i <= n * 9 / 10 THEN 'g' END,"
            + " NULL, CASE WHEN i = 1 THEN 4000000000 ELSE c END, 'q'",
        "many groups with delayed heads in front; false; CASE WHEN i <= n * 9 / 10"
            + " THEN 'g' || i % least(10000, n / 10) END, NULL,"
            + " CASE WHEN i <= least(10000, n / 10) THEN 4000000000 ELSE c END, 'q'",
        "half in flight; true; NULL, " + HELD + ", " + HELD_UNTIL + ", 'q'",
        "half of each group in flight; true; 'g' || i % 100, " + HELD + ", " + HELD_UNTIL + ", 'q'",
        "all lapsed; true; NULL, 'r:' || i, c, 'q'",
        "giant groups, all lapsed, the last ones first; false; 'g' || i * 10 / (n + 1), 'r:' || i,"
            + " 1750000000 - i, 'q'",
        "every second row delayed; true; NULL, NULL,"
            + " CASE WHEN i % 2 = 1 THEN 4000000000 ELSE c END, 'q'",
        "100 queues; true; NULL, NULL, c, CASE WHEN i % 100 = 0 THEN 'q' ELSE 'q' || i % 100 END"
      })
  void aPollReadsAFewBuffersOfAnyTable(String shape, boolean oldestFirst, String columns)
      throws Exception {
    try (Table table = new Table()) {
      table.sql("ANALYZE queue_messages");
      table.fill(columns, FEW);
      List<String> heads =
          SeedClaim.of(false).wouldClaim(table.connection, "q", NOW, oldestFirst ? 10 : FEW);
      List<String> taken = table.pollOfTen(shape + ", analysed while empty, few rows");
      assertThat(taken).as(shape).hasSize(10).isSubsetOf(heads);
      assertThat(!oldestFirst || taken.equals(heads)).as(shape + ", oldest first").isTrue();
      table.sql("ANALYZE queue_messages");
      table.pollOfTen(shape + ", few rows");

      table.sql("TRUNCATE queue_messages");
      table.fill(columns, MANY);
      table.pollOfTen(shape + ", statistics of few rows");
      table.sql("ANALYZE queue_messages");
      table.pollOfTen(shape + ", statistics of its own");
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = ';',
      value = {
        "never analysed; SELECT 1",
        "analysed while empty; ANALYZE queue_messages",
        "analysed with another queue's rows; "
            + "INSERT INTO queue_messages SELECT i::text, 'other', NULL, NULL, 0, '{}', 0, 0"
            + " FROM generate_series(1, 20000) i",
        "analysed with a queue for each row; "
            + "INSERT INTO queue_messages SELECT i::text, i::text, NULL, NULL, 0, '{}', 0, 0"
            + " FROM generate_series(1, 20000) i",
        "analysed with claims only; "
            + "INSERT INTO queue_messages SELECT i::text, 'q', 'x', 'r', 4000000000, '{}', 0, 0"
            + " FROM generate_series(1, 20000) i"
      })
  void staleStatisticsChangeNothing(String statistics, String sql) throws Exception {
    try (Table table = new Table()) {
      table.sql(sql);
      if (sql.startsWith("INSERT")) {
        table.sql("ANALYZE queue_messages");
      }
      // Most groups begin with a delayed row, some with one in flight, some with none. The oldest
      // rows behind, idle and lapsed, are blocked, so that the round goes from group to group.
      table.fill(
          "'g' || i % 10000, CASE WHEN i BETWEEN 5000 AND 5499 OR i > 20000 AND i % 2 = 0"
              + " THEN 'r:' || i END, CASE WHEN i <= 10000 THEN 4000000000 ELSE c END,"
              + " CASE WHEN i BETWEEN 5500 AND 5999 THEN 'another' ELSE 'q' END",
          MANY);

      for (Groups groups : Groups.values()) {
        try (LegacyQueue queue = table.queue(groups)) {
          PollResult polled = table.count.undone(() -> queue.poll(30));
          assertThat(polled.taken()).as(statistics + ", " + groups).isBetween(1, 29);
          assertThat(table.count.each()).as(statistics).hasSizeBetween(3, 4);
          assertThat(table.count.take()).as(statistics + ", " + groups).isLessThan(5_000);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatASessionPlannedForATinyTableStaysGood(Groups groups) throws Exception {
    try (Table table = new Table()) {
      for (int rows = 40; rows >= -2; rows -= 3) {
        assertThat(table.readAfterPlanningFor(rows, groups))
            .as("planned for %d rows", rows)
            // Four statements of 128 rows or groups at most, some of them read more than once.
            .isLessThan(2_000);
      }
    }
  }

  @Test
  void aPollThatFindsNothingLooksAtSomeThousandGroups() throws Exception {
    try (Table table = new Table()) {
      table.fill(
          "'g' || i % 10000, NULL, CASE WHEN i <= 10000 THEN 4000000000 ELSE c END, 'q'", 20_000);
      try (LegacyQueue queue = table.queue(Groups.RELAXED)) {
        int polls = 1;
        while (queue.poll(10).inDoubt()) {
          assertThat(table.count.take()).isLessThan(30_000);
          polls++;
        }
        assertThat(polls).isEqualTo(3);
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = ';',
      value = {
        "singletons; RELAXED; " + SINGLETONS,
        "five groups; RELAXED; 'g' || i % 5, NULL, c, 'q'",
        "five groups; EXCLUSIVE; 'g' || i % 5, NULL, c, 'q'"
      })
  void aPollThatBeginsAtItsMarkPassesNothingThatIsGone(String shape, Groups groups, String columns)
      throws Exception {
    AtomicLong nanos = new AtomicLong();
    try (Table table = new Table();
        Connection other = table.database.connect();
        LegacyQueue queue =
            table.builder().groups(groups).ticker(() -> nanos.addAndGet(1_000_000), 0).build()) {
      table.fill(columns, 20_000);
      other.setAutoCommit(false);
      try (Statement statement = other.createStatement()) {
        statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        statement.execute("SELECT count(*) FROM queue_messages");
      }
      String first = " WHERE created_at < 1700000390";
      table.sql(
          "UPDATE queue_messages SET receipt_handle = 'r', visible_at = created_at + 30" + first);
      table.sql("DELETE FROM queue_messages" + first);

      // Walks from the front are slow; from the third on, most begin where the last one found some.
      long[] buffers = new long[10];
      for (int poll = 0; poll < buffers.length; poll++) {
        queue.ackBatch(queue.poll(1).deliveries().stream().map(Delivery::receipt).toList());
        buffers[poll] = table.count.take();
      }
      System.out.printf(
          "%s, %s, from the front three times, then from marks: %s buffers%n",
          shape, groups, Arrays.toString(buffers));
      assertThat(buffers[0]).isGreaterThan(5_000);
      assertThat(buffers[2]).isGreaterThan(5_000);
      assertThat(Arrays.stream(buffers).skip(3).max().orElseThrow()).as(shape).isLessThan(400);
    }
  }

  @Test
  void anAckReadsAFewBuffersOfALargeTable() throws Exception {
    try (Table table = new Table();
        LegacyQueue queue = table.queue(Groups.RELAXED)) {
      table.fill(SINGLETONS, 20_000);
      Delivery first = queue.poll(1).deliveries().get(0);
      table.count.take();

      queue.ack(first.receipt());

      assertThat(table.count.take()).isLessThan(30);
    }
  }

  /** A table with our indexes on which polls are counted. */
  private static final class Table implements AutoCloseable {
    private final TestDatabase database = TestDatabase.fresh();
    private final Connection connection = database.connect();
    private final BufferCount count = new BufferCount(connection, "queue_messages");

    Table() throws SQLException {
      try (LegacyQueue queue = LegacyQueue.builder(database.dataSource(), "q").build()) {
        queue.initSchema();
        queue.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
      }
      sql("ALTER TABLE queue_messages SET (autovacuum_enabled = off)");
      sql("SET plan_cache_mode = force_generic_plan");
    }

    LegacyQueue.Builder builder() {
      return LegacyQueue.builder(new OneConnection(count.connection()), "q").clock(() -> NOW);
    }

    LegacyQueue queue(Groups groups) {
      return builder().groups(groups).build();
    }

    /** The ids that a poll of ten would take; with exclusive groups it reads little, too. */
    List<String> pollOfTen(String shape) throws Exception {
      List<String> ids = List.of();
      for (Groups groups : List.of(Groups.EXCLUSIVE, Groups.RELAXED)) {
        // A new one: nothing is known of earlier polls.
        try (LegacyQueue queue = queue(groups)) {
          PollResult polled = count.undone(() -> queue.poll(10));
          String each = ": " + count.each();
          long buffers = count.take();
          System.out.printf("%s, %s: %d buffers%s%n", shape, groups, buffers, each);
          assertThat(buffers).as(shape + ", " + groups + each).isLessThan(BOUND);
          ids = polled.deliveries().stream().map(Delivery::brokerId).toList();
        }
      }
      return ids;
    }

    void fill(String columns, int rows) throws SQLException {
      sql(
          """
          INSERT INTO queue_messages (message_group_id, receipt_handle, visible_at, queue_name, id,
            payload, created_at)
          SELECT %1$s, md5(i::text), %2$s, c
          FROM (
            SELECT i, %3$d AS n, 1700000000 + i / 50 AS c FROM generate_series(1, %3$d) i) i"""
              .formatted(columns, PAYLOAD, rows));
    }

    /** The rows that a poll of ten reads of a larger table, by a plan made for so many rows. */
    long readAfterPlanningFor(int rows, Groups groups) throws SQLException {
      sql("TRUNCATE queue_messages");
      fill(SINGLETONS, 40);
      sql("VACUUM (ANALYZE) queue_messages");
      try (LegacyQueue queue =
          LegacyQueue.builder(new OneConnection(connection), "q").groups(groups).build()) {
        for (int left = 40; left >= -2; left -= 3) {
          if (left == rows) {
            // All that is planned for the table is planned anew.
            sql("ANALYZE queue_messages");
          }
          queue.ackBatch(queue.poll(3).deliveries().stream().map(Delivery::receipt).toList());
        }
        fill(SINGLETONS, FEW * 5);
        long before = read();
        assertThat(queue.poll(10).taken()).isEqualTo(10);
        return read() - before;
      }
    }

    /** The rows that were read of the table so far, by index and otherwise. */
    long read() throws SQLException {
      sql("SELECT pg_stat_force_next_flush()");
      return Session.query(
              connection,
              "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables"
                  + " WHERE relname = 'queue_messages'",
              row -> row.getLong(1))
          .get(0);
    }

    void sql(String sql) throws SQLException {
      SchemaTools.execute(connection, sql);
    }

    @Override
    public void close() throws SQLException {
      connection.close();
      database.close();
    }
  }
}
