package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.model.SeedClaim;
import dev.sluice.queue.SchemaReport;
import dev.sluice.testing.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGStatement;

/** What a poll costs, in buffers read, whatever the size of the table and its statistics. */
@Isolated("measures, or starts processes")
class ClaimPlanTest {
  private static final int ROWS = 100_000;
  private static final ClaimSql.Near INDEXED = ClaimSql.Near.indexed(ClaimSql.Budgets.DEFAULT);
  private static final ClaimSql.Near PLAIN = ClaimSql.Near.plain(ClaimSql.Budgets.DEFAULT);

  // group, receipt, visible_at and queue of row i
  private static final String SINGLETONS = "NULL, NULL, 0, 'q'";
  private static final String GROUPS = "'g' || i % 10000, NULL, 0, 'q'";
  private static final String LAPSED = "NULL, 'r:' || i, 0, 'q'";
  private static final String HALF_DELAYED =
      "NULL, NULL, CASE WHEN i % 2 = 1 THEN 4000000000 ELSE 0 END, 'q'";
  private static final String QUEUES =
      "NULL, NULL, 0, CASE WHEN i % 100 = 0 THEN 'q' ELSE 'q' || i % 100 END";

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "singletons; " + SINGLETONS,
        "10,000 groups; " + GROUPS,
        "all lapsed; " + LAPSED,
        "every second row delayed; " + HALF_DELAYED,
        "100 queues; " + QUEUES
      })
  void withIndexesAPollReadsAFewRowsOfAnyTable(String shape, String columns) throws Exception {
    try (TestDatabase database = TestDatabase.fresh();
        Connection connection = database.connect()) {
      table(database, connection, true, "");
      fill(connection, columns, 1_000);
      execute(connection, "ANALYZE queue_messages");
      long small = buffers(connection, INDEXED);
      execute(connection, "TRUNCATE queue_messages");
      fill(connection, columns, ROWS);
      execute(connection, "ANALYZE queue_messages");

      // One level more of each B-tree.
      assertThat(buffers(connection, INDEXED)).as(shape).isLessThan(small + 150).isLessThan(600);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "never analysed; ''",
        "analysed while empty; ANALYZE queue_messages",
        "analysed with another queue's rows; "
            + "INSERT INTO queue_messages SELECT i::text, 'other', NULL, NULL, 0, '{}', 0, 0"
            + " FROM generate_series(1, 20000) i"
      })
  void staleStatisticsChangeNothing(String statistics, String sql) throws Exception {
    try (TestDatabase database = TestDatabase.fresh();
        Connection connection = database.connect()) {
      table(database, connection, true, sql);
      fill(connection, GROUPS, ROWS);

      assertThat(buffers(connection, INDEXED)).as(statistics).isLessThan(600);
    }
  }

  @Test
  void anAckReadsAFewBuffersOfALargeTable() throws Exception {
    try (TestDatabase database = TestDatabase.fresh();
        Connection connection = database.connect()) {
      table(database, connection, true, "");
      fill(connection, "NULL, 'u:' || md5(i::text), 4000000000, 'q'", ROWS);
      String id = "c4ca4238a0b923820dcc509a6f75849b";
      connection.setAutoCommit(false);
      try (PreparedStatement statement =
          connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + SettleSql.ACK)) {
        statement.setString(1, "q");
        statement.setArray(2, connection.createArrayOf("text", new String[] {id}));
        statement.setArray(3, connection.createArrayOf("text", new String[] {id}));
        statement.setArray(4, connection.createArrayOf("text", new String[] {"u:" + id}));
        statement.setString(5, "q");
        try (ResultSet result = statement.executeQuery()) {
          result.next();
          JsonNode plan = new ObjectMapper().readTree(result.getString(1)).get(0).get("Plan");
          assertThat(plan.get("Actual Rows").asLong()).isOne();
          assertThat(
                  plan.get("Shared Hit Blocks").asLong() + plan.get("Shared Read Blocks").asLong())
              .isLessThan(30);
        }
      }
    }
  }

  @Test
  void ofTenGiantGroupsAPollReadsNoMoreThanItsBudget() throws Exception {
    try (TestDatabase database = TestDatabase.fresh();
        Connection connection = database.connect()) {
      table(database, connection, true, "");
      fill(connection, "'g' || i / 10000, NULL, 0, 'q'", ROWS);
      execute(connection, "ANALYZE queue_messages");

      // 2,048 rows walked, 4 to 5 buffers each, then ten groups hopped to.
      assertThat(buffers(connection, INDEXED)).isLessThan(12_000);
    }
  }

  @Test
  void aPollIsManyTimesFasterThanTheSeedsAndSeveralTimesWithoutIndexes() throws Exception {
    try (TestDatabase database = TestDatabase.fresh();
        Connection connection = database.connect()) {
      table(database, connection, false, "");
      fill(connection, SINGLETONS, ROWS);
      execute(connection, "ANALYZE queue_messages");
      // The best of several: what else the machine does can only make one slower.
      double seed = Double.MAX_VALUE;
      double plain = Double.MAX_VALUE;
      for (int run = 0; run < 5; run++) {
        seed =
            Math.min(
                seed,
                millis(() -> SeedClaim.of(false).wouldClaim(connection, "q", 1_800_000_000L, 10)));
        plain = Math.min(plain, pollMillis(connection, PLAIN));
      }
      index(database);
      double indexed = Double.MAX_VALUE;
      for (int run = 0; run < 50; run++) {
        indexed = Math.min(indexed, pollMillis(connection, INDEXED));
      }

      double plainRatio = seed / plain;
      double indexedRatio = seed / indexed;
      System.out.printf(
          "poll(10) of %,d singletons, at best: seed %.1f ms, ours without indexes %.1f ms"
              + " (%.1f times faster), with indexes %.2f ms (%.0f times faster)%n",
          ROWS, seed, plain, plainRatio, indexed, indexedRatio);
      // Far below what is measured on an idle machine (8 and 300): a guard, not a claim.
      assertThat(plainRatio).isGreaterThan(2);
      assertThat(indexedRatio).isGreaterThan(30);
    }
  }

  private static void table(
      TestDatabase database, Connection connection, boolean indexed, String statistics)
      throws SQLException {
    LegacyQueue queue = LegacyQueue.builder(database.dataSource(), "q").build();
    queue.initSchema();
    if (indexed) {
      index(database);
    }
    execute(connection, "ALTER TABLE queue_messages SET (autovacuum_enabled = off)");
    if (!statistics.isEmpty()) {
      execute(connection, statistics);
      execute(connection, "ANALYZE queue_messages");
    }
  }

  private static void index(TestDatabase database) {
    LegacyQueue.builder(database.dataSource(), "q")
        .build()
        .admin()
        .createExtra(SchemaReport.Extra.CLAIM_INDEXES);
  }

  private static void fill(Connection connection, String columns, int rows) throws SQLException {
    execute(
        connection,
        "INSERT INTO queue_messages (message_group_id, receipt_handle, visible_at, queue_name, id,"
            + " payload, created_at) SELECT "
            + columns
            + ", md5(i::text), repeat('x', 200), 1700000000 + i / 50 FROM generate_series(1, "
            + rows
            + ") i");
  }

  private static long buffers(Connection connection, ClaimSql.Near near)
      throws SQLException, IOException {
    // The first run reads what the planner needs, and sets hint bits.
    explain(connection, near);
    JsonNode plan = explain(connection, near).get(0).get("Plan");
    return plan.get("Shared Hit Blocks").asLong() + plan.get("Shared Read Blocks").asLong();
  }

  private static JsonNode explain(Connection connection, ClaimSql.Near near)
      throws SQLException, IOException {
    execute(connection, "SET plan_cache_mode = force_generic_plan");
    connection.setAutoCommit(false);
    try (PreparedStatement statement =
        poll(connection, "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ", near)) {
      try (ResultSet result = statement.executeQuery()) {
        result.next();
        return new ObjectMapper().readTree(result.getString(1));
      }
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  /** One poll of a router that runs for a while: its statement is prepared, and planned once. */
  private static double pollMillis(Connection connection, ClaimSql.Near near) throws Exception {
    execute(connection, "SET plan_cache_mode = force_generic_plan");
    connection.setAutoCommit(false);
    try (PreparedStatement statement = poll(connection, "", near)) {
      statement.unwrap(PGStatement.class).setPrepareThreshold(1);
      statement.executeQuery().close();
      connection.rollback();
      return millis(() -> statement.executeQuery().next());
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private static PreparedStatement poll(Connection connection, String prefix, ClaimSql.Near near)
      throws SQLException {
    PreparedStatement statement =
        connection.prepareStatement(prefix + ClaimSql.claim(near.sql(), near.more()));
    statement.setString(1, "q");
    statement.setLong(2, 1_800_000_000L);
    statement.setString(3, "u:");
    statement.setLong(4, 30);
    statement.setLong(5, 10);
    statement.setLong(6, 10);
    return statement;
  }

  @FunctionalInterface
  private interface Call {
    Object run() throws Exception;
  }

  private static double millis(Call call) throws Exception {
    long start = System.nanoTime();
    call.run();
    return (System.nanoTime() - start) / 1e6;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
