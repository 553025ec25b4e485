package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.SeedClaim;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.testing.OneConnection;
import dev.sluice.testing.Patience;
import dev.sluice.testing.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Polls without our indexes that come soon after one another, and what happens in between. */
class LookaheadTest {
  private static final long NOW = 1_800_000_000L;
  private static final String SEARCH = "search";
  private static final String LOOK = "look";
  private static final String CLAIM = "claim";

  private final TestDatabase database = TestDatabase.fresh();
  private final Connection other = database.connect();
  private final List<String> statements = new ArrayList<>();

  @BeforeEach
  void create() {
    try (LegacyQueue queue = LegacyQueue.builder(database.dataSource(), "q").build()) {
      queue.initSchema();
    }
  }

  @AfterEach
  void close() throws SQLException {
    other.close();
    database.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"NULL", "'g' || i % 300", "'g' || i * 10 / 3001", "'g' || i % 4"})
  void onePassServesManyPolls(String group) {
    // A machine that stands still for a moment has everything looked at anew.
    Patience.await()
        .untilAsserted(
            () -> {
              SchemaTools.execute(other, "TRUNCATE queue_messages");
              statements.clear();
              fill(3_000, group);
              try (Connection own = recording(database.connect());
                  LegacyQueue queue = queue(own)) {
                for (int i = 0; i < 20; i++) {
                  assertThat(queue.poll(10).taken()).isBetween(4, 10);
                }
              }
              assertThat(statements)
                  .filteredOn(s -> s.equals(LOOK))
                  .hasSizeLessThanOrEqualTo(
                      statements.stream().filter(CLAIM::equals).toList().size() / 4);
            });
  }

  @Test
  void whatItSeesComesInTheOrderOfTheSeedsClaims() throws Exception {
    fill(400, "'g' || i % 7");
    try (Connection own = recording(database.connect());
        LegacyQueue queue = queue(own)) {
      for (int i = 0; i < 30; i++) {
        List<String> expected = SeedClaim.of(false).wouldClaim(other, "q", NOW, 5);
        assertThat(queue.poll(5).deliveries()).extracting(Delivery::brokerId).isEqualTo(expected);
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = ';',
      value = {
        "handed back with a delay; UPDATE queue_messages SET receipt_handle = NULL,"
            + " visible_at = 1800000060 WHERE id = 'm0003'",
        "handed back; UPDATE queue_messages SET receipt_handle = NULL, visible_at = 1800000000"
            + " WHERE id = 'm0003'",
        "its claim lapsed; UPDATE queue_messages SET visible_at = 1800000000 WHERE id = 'm0003'",
        "published late; INSERT INTO queue_messages SELECT 'a', queue_name, 'g', NULL, 1799999999,"
            + " payload, 1700000000, 0 FROM queue_messages WHERE id = 'm0001'",
        "published late, without a group; INSERT INTO queue_messages SELECT 'g', queue_name, NULL,"
            + " NULL, 1700000000, payload, 1700000000, 0 FROM queue_messages WHERE id = 'm0001'",
        "and it was taken by another; UPDATE queue_messages SET receipt_handle = 'r:m0004',"
            + " visible_at = 1800000060 WHERE id = 'm0004'",
        "and it was deleted; DELETE FROM queue_messages WHERE id = 'm0004'",
        "another is in its place; DELETE FROM queue_messages WHERE id = 'm0004' | VACUUM queue_messages"
            + " | INSERT INTO queue_messages SELECT concat('a', i), queue_name, 'h', NULL,"
            + " 1700000000, payload, 1700000000, 0 FROM queue_messages, generate_series(1, 9) i"
            + " WHERE id = 'm0001'"
            + " | UPDATE queue_messages SET message_group_id = 'h', receipt_handle = NULL,"
            + " created_at = 0, visible_at = 1800000060 WHERE id = 'm0008'"
      })
  void aRowThatIsNoHeadAnyMoreIsNotTaken(String what, String changes) throws Exception {
    fill(8, "'g'");
    try (Connection own = recording(database.connect());
        LegacyQueue queue = queue(own)) {
      for (String id : List.of("m0001", "m0002", "m0003")) {
        assertThat(queue.poll(1).deliveries()).extracting(Delivery::brokerId).containsExactly(id);
      }
      for (String change : changes.split("\\|", -1)) {
        SchemaTools.execute(other, change);
      }

      List<String> expected = SeedClaim.of(false).wouldClaim(other, "q", NOW, 1);
      assertThat(queue.poll(1).deliveries())
          .as(what)
          .extracting(Delivery::brokerId)
          .isEqualTo(expected)
          .isNotEqualTo(List.of("m0004"));
    }
  }

  @Test
  void aTableThatIsThoughtToBeEmptyIsNotReadWhole() throws Exception {
    SchemaTools.execute(
        other, "ALTER TABLE queue_messages SET (autovacuum_enabled = off, vacuum_truncate = off)");
    Patience.await()
        .untilAsserted(
            () -> {
              SchemaTools.execute(other, "TRUNCATE queue_messages");
              fill(9_999, "NULL");
              SchemaTools.execute(other, "DELETE FROM queue_messages");
              SchemaTools.execute(other, "VACUUM (ANALYZE) queue_messages");
              fill(9_999, "'g' || i % 20");
              statements.clear();
              try (Connection own = recording(database.connect());
                  LegacyQueue queue = queue(own)) {
                for (int i = 0; i < 10; i++) {
                  assertThat(queue.poll(10).taken()).isEqualTo(10);
                }
                long before = read(own);
                for (int i = 0; i < 3; i++) {
                  assertThat(queue.poll(10).taken()).isEqualTo(10);
                }
                assertThat(statements.subList(statements.size() - 3, statements.size()))
                    .containsOnly(CLAIM);
                assertThat(read(own) - before).isLessThan(2_000);
              }
            });
  }

  /** What sessions that told have read of the indexes and the table. */
  private static long read(Connection connection) throws SQLException {
    SchemaTools.execute(connection, "SELECT pg_stat_force_next_flush()");
    return Session.query(
            connection,
            """
            SELECT t.seq_tup_read + (
              SELECT sum(i.idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid)
            FROM pg_stat_user_tables t WHERE t.relname = 'queue_messages'""",
            row -> row.getLong(1))
        .get(0);
  }

  @Test
  void aGroupWithMuchInFlightGetsItsTurn() throws Exception {
    muchInFlight();
    try (Connection own = recording(database.connect());
        LegacyQueue queue = queue(own)) {
      for (String next : List.of("m0067", "m0068", "m0069", "m0070")) {
        assertThat(queue.poll(5).deliveries()).extracting(Delivery::brokerId).contains(next);
      }
    }
  }

  @Test
  void inAGroupWithMuchInFlightWhatWasHandedBackHoldsBackTheOthers() throws Exception {
    muchInFlight();
    try (Connection own = recording(database.connect());
        LegacyQueue queue = queue(own)) {
      queue.poll(5);
      queue.poll(5);
      SchemaTools.execute(
          other,
          "UPDATE queue_messages SET receipt_handle = NULL, visible_at = 1800000060"
              + " WHERE id = 'm0010'");
      for (int i = 0; i < 3; i++) {
        assertThat(queue.poll(5).deliveries())
            .isNotEmpty()
            .extracting(Delivery::brokerId)
            .allMatch(id -> id.startsWith("n"));
      }
    }
  }

  /** 66 messages of a group of 70, and 200 later ones that wait and have no group. */
  private void muchInFlight() throws SQLException {
    fill(70, "'g'");
    SchemaTools.execute(
        other,
        "UPDATE queue_messages SET receipt_handle = 'r:' || id, visible_at = 1800000060"
            + " WHERE id <= 'm0066'");
    SchemaTools.execute(
        other,
        "INSERT INTO queue_messages SELECT 'n' || i, queue_name, NULL, NULL, created_at, payload,"
            + " created_at + i, 0 FROM queue_messages, generate_series(1, 200) i WHERE id = 'm0070'");
  }

  @Test
  void nothingIsRememberedWhileAMigrationIsUnderWay() throws Exception {
    fill(100, "'g'");
    try (Connection own = recording(database.connect());
        LegacyQueue queue = queue(own)) {
      queue.poll(1);
      queue.poll(1);
      lockAsAMigration();
      statements.clear();

      assertThat(queue.poll(1).deliveries())
          .extracting(Delivery::brokerId)
          .containsExactly("m0003");
      assertThat(queue.poll(1).deliveries())
          .extracting(Delivery::brokerId)
          .containsExactly("m0004");
      assertThat(statements).contains(SEARCH);
    }
  }

  private void lockAsAMigration() throws SQLException {
    SchemaTools.execute(
        other, "SELECT pg_advisory_lock(%d, hashtext('q'))".formatted(LegacyHold.LOCK_SPACE));
  }

  private void fill(int rows, String group) throws SQLException {
    SchemaTools.execute(
        other,
        """
        INSERT INTO queue_messages (message_group_id, receipt_handle, visible_at, queue_name, id,
          payload, created_at)
        SELECT %s, NULL, c, 'q', 'm' || lpad(i::text, 4, '0'),
          '{"id":"x","mediationType":"HTTP","mediationTarget":"https://t.example/hook"}', c
        FROM (SELECT i, 1700000000 + i / 50 AS c FROM generate_series(1, %d) i) i"""
            .formatted(group, rows));
  }

  private static LegacyQueue queue(Connection connection) {
    return LegacyQueue.builder(new OneConnection(connection), "q").clock(() -> NOW).build();
  }

  private Connection recording(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            LookaheadTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement") && arguments[0] instanceof String s) {
                statements.add(
                    s.contains("known AS") ? CLAIM : s.contains("flying AS") ? LOOK : SEARCH);
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
