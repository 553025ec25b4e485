package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.testing.OneConnection;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A claim reads as many buffers at a hundred times the groups, whatever state they are in. {@code
 * -Dsluice.harel.groups=1000000} makes the larger table larger.
 */
@Isolated
class HarelClaimPlanTest {
  private static final int FEW = 1_000;
  private static final int MANY = Integer.getInteger("sluice.harel.groups", 100_000);
  private static final double NOW = 1_000_000;
  private static final int WARM_UPS = 7;

  private static TestDatabase database;
  private static Connection connection;

  /** States of a table: locked_by, lock_expiry and priority of group number i of n. */
  private enum Shape {
    FRESH("NULL", "NULL", "0", 0),
    SERVED("NULL", "900000 + i % 1000", "0", 0),
    MOSTLY_PARKED(
        "CASE WHEN i % 100 > 0 THEN 'w:1' END",
        "CASE WHEN i % 100 > 0 THEN 2000000 + i END", "0", 0),
    MOSTLY_LEASED(
        "CASE WHEN i % 100 > 0 THEN 'w:1' END", "CASE WHEN i % 100 > 0 THEN 1000030 END", "0", 0),
    MOSTLY_LAPSED("'w:1'", "999000 + i % 900", "0", 0),
    NOTHING_CLAIMABLE("'w:1'", "1000030 + i % 30", "0", 0),
    FREED_BY_A_CLOCK_AHEAD("CASE WHEN i % 100 > 0 THEN 'w:1' END", "1000005 + i % 30", "0", 0),
    TWENTY_OF_PRIORITY_4("NULL", "NULL", "CASE WHEN i % ({n} / 20) = 0 THEN 4 ELSE 0 END", 4),
    TWENTY_OF_PRIORITY_2_SERVED(
        "NULL", "900000 + i % 1000", "CASE WHEN i % ({n} / 20) = 0 THEN 2 ELSE 0 END", 1),
    NONE_OF_THAT_PRIORITY("NULL", "NULL", "0", 3);

    private final String lockedBy;
    private final String expiry;
    private final String priority;
    private final int minPriority;

    Shape(String lockedBy, String expiry, String priority, int minPriority) {
      this.lockedBy = lockedBy;
      this.expiry = expiry;
      this.priority = priority;
      this.minPriority = minPriority;
    }
  }

  /** What the planner knows when a session makes its plans. */
  private enum Knowledge {
    ANALYZED,
    PLANNED_WHEN_EMPTY
  }

  @BeforeAll
  static void create() throws SQLException {
    database = TestDatabase.fresh();
    connection = database.connect();
    HarelQueue queue = HarelQueue.builder(new OneConnection(connection)).build();
    queue.initSchema();
    queue.admin().createExtra(Extra.CLAIM_INDEXES);
    run("ALTER TABLE transport_groups SET (autovacuum_enabled = false)");
    run("ALTER TABLE transport_messages SET (autovacuum_enabled = false)");
  }

  @AfterAll
  static void drop() throws SQLException {
    connection.close();
    database.close();
  }

  @ParameterizedTest
  @EnumSource
  void aClaimReadsAsMuchAtAHundredTimesTheGroups(Shape shape) throws Exception {
    for (Knowledge knowledge : Knowledge.values()) {
      long few = buffersOfAClaim(shape, FEW, knowledge);
      long many = buffersOfAClaim(shape, MANY, knowledge);

      System.out.printf(
          Locale.ROOT,
          "%s, %s: %d buffers at %d groups, %d at %d%n",
          shape,
          knowledge,
          few,
          FEW,
          many,
          MANY);
      // A tree of a hundred times the entries is a level or two deeper in each index.
      assertThat(many)
          .as("%s, %s", shape, knowledge)
          .isLessThanOrEqualTo(2 * few + 10)
          .isLessThan(80);
    }
  }

  /** What a session plans while there is one group, as in a queue just drained, it keeps. */
  private static void planAClaimForOneGroupOf(int messages) throws SQLException {
    run("TRUNCATE transport_groups, transport_messages");
    run("DISCARD ALL");
    run("INSERT INTO transport_groups VALUES ('giant', NULL, NULL, 0)");
    run(
        "INSERT INTO transport_messages (group_id, event) SELECT 'giant', '{}'"
            + " FROM generate_series(1, %d)".formatted(messages));
    run("ANALYZE transport_groups, transport_messages");
    claim(Shape.FRESH, "");
  }

  private static long buffers(String statement) throws Exception {
    try (Statement explain = connection.createStatement();
        ResultSet result =
            explain.executeQuery("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + statement)) {
      result.next();
      return new ObjectMapper()
          .readTree(result.getString(1))
          .get(0)
          .get("Plan")
          .get("Shared Hit Blocks")
          .asLong();
    }
  }

  @Test
  void aSmallGroupsHeadIsFoundWithoutAWalkPastAGiantGroup() throws Exception {
    planAClaimForOneGroupOf(20_000);
    run("INSERT INTO transport_groups VALUES ('small', NULL, NULL, 0)");
    run("INSERT INTO transport_messages (group_id, event) VALUES ('small', '{}')");

    assertThat(buffers("SELECT * FROM sluice_claim_v1(%s, 30, 'w:2', 0, 1, '{}')".formatted(NOW)))
        .isLessThan(80);
  }

  @Test
  void aClaimPlannedForOneGroupReadsNoOthersWhenThereAreMany() throws Exception {
    planAClaimForOneGroupOf(1);
    run(
        "INSERT INTO transport_groups SELECT 'group-' || i, NULL, NULL, 0"
            + " FROM generate_series(1, 10000) i");
    run(
        "INSERT INTO transport_messages (group_id, event) SELECT 'group-' || i, '{}'"
            + " FROM generate_series(1, 10000) i");

    assertThat(buffers("SELECT * FROM sluice_claim_v1(%s, 30, 'w:2', 0, 10, '{}')".formatted(NOW)))
        .isLessThan(1_000);
  }

  @Test
  @Timeout(300)
  void manyGroupsAreLeftOutWithoutComparingEachWithEach() throws Exception {
    run("TRUNCATE transport_groups, transport_messages");
    run(
        "INSERT INTO transport_groups SELECT 'group-' || i, NULL, NULL, 0"
            + " FROM generate_series(1, 100000) i");

    assertThat(
            buffers(
                """
                SELECT * FROM sluice_claim_v1(%s, 30, 'w:2', 0, 10,
                  ARRAY(SELECT 'group-' || i FROM generate_series(1, 100000) i))"""
                    .formatted(NOW)))
        .isLessThan(150_000);
  }

  @ParameterizedTest
  @EnumSource
  void aLookForGroupsWithoutARowReadsItsMessagesAndNoOthers(Knowledge knowledge) throws Exception {
    String look = "SELECT * FROM sluice_stranded_v1('{1,990}', '{10,1000}')";
    run("TRUNCATE transport_groups, transport_messages RESTART IDENTITY");
    run("DISCARD ALL");
    if (knowledge == Knowledge.PLANNED_WHEN_EMPTY) {
      run("ANALYZE transport_groups, transport_messages");
      run(look);
    }
    run(
        "INSERT INTO transport_groups SELECT 'group-' || i, NULL, NULL, 0"
            + " FROM generate_series(1, 10000) i");
    run(
        "INSERT INTO transport_messages (group_id, event) SELECT 'group-' || i, '{}'"
            + " FROM generate_series(1, 10000) i");
    if (knowledge == Knowledge.ANALYZED) {
      run("ANALYZE transport_groups, transport_messages");
    }
    run(look);

    assertThat(buffers(look)).isLessThan(200);
  }

  private static long buffersOfAClaim(Shape shape, int groups, Knowledge knowledge)
      throws Exception {
    run("TRUNCATE transport_groups, transport_messages");
    run("DISCARD ALL");
    if (knowledge == Knowledge.PLANNED_WHEN_EMPTY) {
      run("ANALYZE transport_groups, transport_messages");
      for (int i = 0; i < WARM_UPS; i++) {
        claim(shape, "");
      }
    }
    run(
        """
        INSERT INTO transport_groups (group_id, locked_by, lock_expiry, priority)
        SELECT 'group-' || i, %s, %s, %s FROM generate_series(1, %d) i"""
            .formatted(shape.lockedBy, shape.expiry, shape.priority, groups)
            .replace("{n}", Integer.toString(groups)));
    run(
        "INSERT INTO transport_messages (group_id, event)"
            + " SELECT 'group-' || i, '{}' FROM generate_series(1, "
            + groups
            + ") i");
    if (knowledge == Knowledge.ANALYZED) {
      run("ANALYZE transport_groups, transport_messages");
    }
    for (int i = 0; i < WARM_UPS; i++) {
      claim(shape, "");
    }
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      JsonNode plan =
          new ObjectMapper().readTree(claim(shape, "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "));
      JsonNode top = plan.get(0).get("Plan");
      least =
          Math.min(
              least,
              top.get("Shared Hit Blocks").asLong() + top.get("Shared Read Blocks").asLong());
    }
    return least;
  }

  private static String claim(Shape shape, String prefix) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "%sSELECT * FROM sluice_claim_v1(%s, 30, 'w:2', %d, 1, '{}')"
                    .formatted(prefix, NOW, shape.minPriority))) {
      return result.next() && !prefix.isEmpty() ? result.getString(1) : "";
    }
  }

  private static void run(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
