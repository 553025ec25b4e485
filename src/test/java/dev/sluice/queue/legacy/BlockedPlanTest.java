package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.queue.Queue;
import dev.sluice.queue.harel.HarelQueue;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGStatement;

/**
 * What the question costs which groups are blocked, in buffers read of a large quarantine that has
 * no statistics, of either backend.
 */
class BlockedPlanTest {
  private static final int ROWS = 100_000;
  private static final String[] GROUPS =
      IntStream.range(0, 200).mapToObj(i -> "g" + i).toArray(String[]::new);

  @ParameterizedTest
  @CsvSource({"'BLOCKED: 404', true", "404, true", "'BLOCKED: 404', false", "404, false"})
  void aQuestionReadsAFewBuffersAGroup(String reason, boolean legacy) throws Exception {
    try (TestDatabase database = TestDatabase.fresh();
        Connection connection = database.connect()) {
      Queue queue =
          legacy
              ? LegacyQueue.builder(database.dataSource(), "q").build()
              : HarelQueue.builder(database.dataSource()).build();
      queue.initSchema();
      connection.setAutoCommit(false);
      String sql =
          legacy
              ? QuarantineSql.BLOCKED
              : "SELECT 1; SELECT * FROM sluice_blocked_v1(CAST(? AS text[]))";
      SchemaTools.execute(connection, sql.substring(0, sql.indexOf(';')));
      try (PreparedStatement explain =
          connection.prepareStatement(
              "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql.substring(sql.indexOf(';') + 1))) {
        explain.unwrap(PGStatement.class).setPrepareThreshold(1);
        explain.setArray(legacy ? 2 : 1, connection.createArrayOf("text", GROUPS));
        if (legacy) {
          explain.setString(1, "q");
        }
        // The plan that a session makes of an empty table and keeps.
        for (int i = 0; i < 10; i++) {
          buffers(explain);
        }
        SchemaTools.execute(
            connection,
            (legacy
                        ? "INSERT INTO queue_messages_failed SELECT i::text, 'q', %s, '{}', '%s', 1, 0, 0"
                        : "INSERT INTO transport_messages_failed SELECT i, %s, '{}', '%s', 0, 0")
                    // Most rows are of one group.
                    .formatted("'g' || CASE WHEN i % 10 < 9 THEN 1 ELSE i % 5000 END", reason)
                + " FROM generate_series(1, "
                + ROWS
                + ") i");

        assertThat(buffers(explain)).isLessThan(5L * GROUPS.length);
      }
    }
  }

  private static long buffers(PreparedStatement explain) throws Exception {
    try (ResultSet row = explain.executeQuery()) {
      row.next();
      var plan = new ObjectMapper().readTree(row.getString(1)).get(0).get("Plan");
      return plan.get("Shared Hit Blocks").asLong() + plan.get("Shared Read Blocks").asLong();
    }
  }
}
