package dev.sluice.queue.harel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is served when there is more than one can serve. */
class HarelFairnessTest {
  private static final int BUSY_MESSAGES = 10_000;

  private TestDatabase database;
  private HarelQueue queue;

  @BeforeEach
  void open() {
    database = TestDatabase.fresh();
    queue = HarelQueue.builder(database.dataSource()).eventTarget("http://target.example/").build();
    queue.initSchema();
    queue.admin().createExtra(Extra.CLAIM_INDEXES);
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void run(String sql) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  // The busy groups come first in every order that is not fair.
  private void publishThreeBusyGroupsAndAHundredSmallOnes() throws SQLException {
    run(
        """
        INSERT INTO transport_messages (group_id, event)
        SELECT 'busy ' || i %% 3, '{}' FROM generate_series(1, %d) i;
        INSERT INTO transport_messages (group_id, event)
        SELECT 'small ' || i %% 100, '{}' FROM generate_series(1, 1000) i;
        INSERT INTO transport_groups (group_id) SELECT DISTINCT group_id FROM transport_messages"""
            .formatted(3 * BUSY_MESSAGES));
  }

  /** How many of the messages of small groups are gone after so many claims, one by one or many. */
  private int smallOnesWithin(int claims, int batch) {
    int small = 0;
    for (int claimed = 0; claimed < claims; ) {
      List<Delivery> deliveries = queue.poll(Math.min(batch, claims - claimed)).deliveries();
      claimed += deliveries.size();
      small +=
          Math.toIntExact(
              deliveries.stream().filter(d -> d.claimGroup().startsWith("small")).count());
      List<Receipt> receipts = deliveries.stream().map(Delivery::receipt).toList();
      assertThat(queue.ackBatch(receipts)).isEmpty();
    }
    return small;
  }

  @Test
  void smallGroupsAreDoneWithinTheFirstTwentiethOfTheClaims() throws SQLException {
    publishThreeBusyGroupsAndAHundredSmallOnes();

    assertThat(smallOnesWithin((3 * BUSY_MESSAGES + 1_000) / 20, 1)).isEqualTo(1_000);
  }

  @Test
  void smallGroupsAreDoneAsSoonWhereManyAreClaimedAtOnce() throws SQLException {
    publishThreeBusyGroupsAndAHundredSmallOnes();

    assertThat(smallOnesWithin((3 * BUSY_MESSAGES + 1_000) / 20, 50)).isEqualTo(1_000);
  }

  @Test
  void aGroupOfPriority4ComesFirstBehindAHundredThousandOfPriority0() throws SQLException {
    run(
        """
        INSERT INTO transport_messages (group_id, event)
        SELECT 'a' || i, '{}' FROM generate_series(1, 100000) i;
        INSERT INTO transport_groups (group_id) SELECT group_id FROM transport_messages""");
    queue.publishEvents(List.of(new Event("urgent", "{}", 4)));

    assertThat(queue.poll(10, 4).deliveries())
        .extracting(Delivery::claimGroup)
        .containsExactly("urgent");
  }
}
