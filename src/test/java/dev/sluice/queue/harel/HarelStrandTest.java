package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.model.HarelNames;
import dev.sluice.model.HarelTables;
import dev.sluice.model.HarelVersion;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.testing.OneConnection;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What Python's statements strand is found, and what is under way is left alone. */
class HarelStrandTest {
  private double now = 1_000_000;
  private TestDatabase database;
  private Connection first;
  private Connection second;
  private HarelQueue queue;

  @BeforeEach
  void open() throws SQLException {
    database = TestDatabase.fresh();
    first = database.connect();
    second = database.connect();
    HarelTables.create(first, HarelNames.SEED, HarelVersion.SEED);
    queue = open("http://target.example/");
    queue.initSchema();
  }

  private HarelQueue open(String target) {
    return HarelQueue.builder(database.dataSource()).eventTarget(target).clock(() -> now).build();
  }

  @AfterEach
  void close() throws SQLException {
    first.close();
    second.close();
    database.close();
  }

  private static String run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return "";
      }
      try (ResultSet result = statement.getResultSet()) {
        return result.next() ? String.valueOf(result.getString(1)) : "";
      }
    }
  }

  private void strand(String group) throws SQLException {
    run(first, "INSERT INTO transport_messages (group_id, event) VALUES ('" + group + "', '{}')");
  }

  private PollResult pollAfter(double seconds) {
    now += seconds;
    return queue.poll(10);
  }

  /** The seed's own functions, two sessions: a publish into a group whose last message is acked. */
  private void raceOfThePublishWithTheAck() throws SQLException {
    run(first, "INSERT INTO transport_messages (group_id, event) VALUES ('g', '{\"n\":1}')");
    run(first, "INSERT INTO transport_groups (group_id) VALUES ('g')");
    run(first, "SELECT * FROM harel_claim(1, 2, 'w:1', 0)");
    second.setAutoCommit(false);
    run(second, "INSERT INTO transport_messages (group_id, event) VALUES ('g', '{\"n\":2}')");
    run(
        second,
        "INSERT INTO transport_groups (group_id, priority) VALUES ('g', 0)"
            + " ON CONFLICT (group_id) DO NOTHING");
    run(first, "SELECT harel_ack('g', 1, 'w:1', 1)");
    second.commit();
  }

  @Test
  @Timeout(300)
  void aPollDoesNotWaitForAPublisherWhoHoldsTheRowOfAStrandedGroup() throws SQLException {
    strand("g");
    second.setAutoCommit(false);
    run(second, "INSERT INTO transport_groups (group_id, priority) VALUES ('g', 3)");

    assertThat(run(first, "SELECT count(*) FROM sluice_restore_v1('{g}')")).isEqualTo("0");
  }

  @Test
  void statementsLookAnewWhereTheDatabaseDefaultsToOneSnapshot() throws SQLException {
    run(first, "SET default_transaction_isolation TO 'repeatable read'");
    HarelQueue repeatable = HarelQueue.builder(new OneConnection(first)).build();
    String isolation =
        "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " IF current_setting('transaction_isolation') <> 'read committed' THEN"
            + " RAISE 'one snapshot'; END IF; RETURN NULL; END $$;"
            + " CREATE TRIGGER tell AFTER INSERT OR UPDATE OR DELETE ON transport_groups"
            + " FOR EACH STATEMENT EXECUTE FUNCTION tell()";
    run(second, isolation);

    // The driver sends a statement otherwise once it has prepared it, after a few runs.
    for (int i = 0; i < 10; i++) {
      repeatable.publishEvents(List.of(new Event("g" + i, "{}", 0)));
      assertThat(repeatable.poll(1).taken()).isEqualTo(1);
    }
    assertThat(run(second, "SELECT count(*) FROM transport_groups")).isEqualTo("10");
  }

  @Test
  void theSeedsFunctionsStrandAMessageThatNoClaimOfTheirsFinds() throws SQLException {
    raceOfThePublishWithTheAck();

    assertThat(run(first, "SELECT count(*) FROM transport_messages")).isEqualTo("1");
    assertThat(run(first, "SELECT count(*) FROM harel_claim(1e12, 2e12, 'w:2', 0)")).isEqualTo("0");
  }

  @Test
  void aPollFindsWhatTheSeedsFunctionsStrandWithinFiveSeconds() throws SQLException {
    pollAfter(1);
    raceOfThePublishWithTheAck();

    int polls = 0;
    PollResult result = pollAfter(1);
    while (result.deliveries().isEmpty() && ++polls < 4) {
      assertThat(result.inDoubt()).isTrue();
      result = pollAfter(1);
    }

    assertThat(result.deliveries()).extracting(Delivery::payload).containsExactly("{\"n\":2}");
    assertThat(queue.counters().restored()).isOne();
  }

  @Test
  void withTheGuardTheSeedsFunctionsStrandNothing() throws SQLException {
    queue.admin().createExtra(Extra.GUARD);

    raceInTwoThreads();

    assertThat(run(first, "SELECT count(*) FROM harel_claim(1e12, 2e12, 'w:2', 0)")).isEqualTo("1");
  }

  // The ack waits for the publish now, so it needs a thread of its own.
  private void raceInTwoThreads() throws SQLException {
    run(first, "INSERT INTO transport_messages (group_id, event) VALUES ('g', '{\"n\":1}')");
    run(first, "INSERT INTO transport_groups (group_id) VALUES ('g')");
    run(first, "SELECT * FROM harel_claim(1, 2, 'w:1', 0)");
    String pid = run(first, "SELECT pg_backend_pid()");
    second.setAutoCommit(false);
    run(second, "INSERT INTO transport_messages (group_id, event) VALUES ('g', '{\"n\":2}')");
    run(
        second,
        "INSERT INTO transport_groups (group_id, priority) VALUES ('g', 0)"
            + " ON CONFLICT (group_id) DO NOTHING");
    Thread ack =
        new Thread(
            () -> {
              try {
                run(first, "SELECT harel_ack('g', 1, 'w:1', 1)");
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    ack.start();
    String waits = "SELECT cardinality(pg_blocking_pids(" + pid + ")) > 0";
    while (run(second, waits).equals("f")) {
      Thread.onSpinWait();
    }
    second.commit();
    try {
      ack.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatWasStrandedBeforeWeBeganIsFound() throws SQLException {
    strand("old");

    PollResult result = pollAfter(1);
    assertThat(result.deliveries()).isEmpty();
    assertThat(result.inDoubt()).isTrue();

    assertThat(pollAfter(2.1).deliveries()).extracting(Delivery::claimGroup).containsExactly("old");
  }

  @Test
  void aPublisherThatCommitsItsMessageFirstIsLeftItsTime() throws SQLException {
    pollAfter(1);
    strand("slow");
    pollAfter(1);
    pollAfter(1.5);

    run(first, "INSERT INTO transport_groups (group_id, priority) VALUES ('slow', 3)");
    pollAfter(3);

    assertThat(run(first, "SELECT priority FROM transport_groups")).isEqualTo("3");
    assertThat(queue.counters().restored()).isZero();
  }

  @Test
  void aPublishThatIsNotCommittedIsNotTouched() throws SQLException {
    pollAfter(1);
    second.setAutoCommit(false);
    run(second, "INSERT INTO transport_messages (group_id, event) VALUES ('g', '{}')");
    run(second, "INSERT INTO transport_groups (group_id, priority) VALUES ('g', 3)");
    for (int i = 0; i < 5; i++) {
      assertThat(pollAfter(1).inDoubt()).isFalse();
    }
    second.commit();

    assertThat(pollAfter(1).deliveries()).hasSize(1);
    assertThat(run(first, "SELECT priority FROM transport_groups")).isEqualTo("3");
  }

  @Test
  void aMessageThatIsCommittedLateIsStillFoundStranded() throws SQLException {
    pollAfter(1);
    second.setAutoCommit(false);
    run(second, "INSERT INTO transport_messages (group_id, event) VALUES ('late', '{}')");
    run(first, "INSERT INTO transport_messages (group_id, event) VALUES ('next', '{}')");
    run(first, "INSERT INTO transport_groups (group_id) VALUES ('next')");
    for (int i = 0; i < 8; i++) {
      pollAfter(1);
    }
    second.commit();

    // A transaction of another test can stand in for one that strands: then it is the next of the
    // looks with growing pauses.
    boolean found = false;
    for (int i = 0; i < 70 && !found; i++) {
      found = pollAfter(1).deliveries().stream().anyMatch(d -> d.claimGroup().equals("late"));
    }

    assertThat(found).isTrue();
  }

  @Test
  void aRepairedGroupHasPriorityZero() throws SQLException {
    strand("g");
    pollAfter(1);
    pollAfter(3);

    assertThat(run(first, "SELECT priority FROM transport_groups")).isEqualTo("0");
  }

  @Test
  void repairByHandRestoresEveryGroup() throws SQLException {
    run(
        first,
        "INSERT INTO transport_messages (group_id, event) SELECT 'g' || i % 30, '{}'"
            + " FROM generate_series(1, 90) i");
    run(first, "INSERT INTO transport_groups (group_id) VALUES ('g7')");

    assertThat(queue.admin().repair()).isEqualTo(29);
    assertThat(run(first, "SELECT count(*) FROM transport_groups")).isEqualTo("30");
    assertThat(queue.admin().repair()).isZero();
  }

  /** What is left of a publisher in a group once PostgreSQL has lost its row lock. */
  private void publisherWithoutARowLock() throws SQLException {
    second.setAutoCommit(false);
    run(
        second,
        "SELECT pg_advisory_xact_lock_shared(hashtext('transport_groups'), sluice_lock_v1('g'))");
    run(second, "INSERT INTO transport_messages (group_id, event) VALUES ('g', '{\"n\":2}')");
  }

  @Test
  void anAckKeepsTheRowOfAGroupThatAPublisherIsInThoughItsRowLockIsLost() throws SQLException {
    queue.publishEvents(List.of(new Event("g", "{\"n\":1}", 0)));
    Delivery delivery = queue.poll(1).deliveries().get(0);
    publisherWithoutARowLock();

    queue.ack(delivery.receipt());
    second.commit();

    assertThat(run(first, "SELECT group_id FROM transport_groups")).isEqualTo("g");
  }

  @Test
  void aClaimKeepsTheEmptyRowOfAGroupThatAPublisherIsInThoughItsRowLockIsLost()
      throws SQLException {
    run(first, "INSERT INTO transport_groups (group_id) VALUES ('g')");
    publisherWithoutARowLock();

    pollAfter(1);
    second.commit();

    assertThat(run(first, "SELECT group_id FROM transport_groups")).isEqualTo("g");
  }
}
