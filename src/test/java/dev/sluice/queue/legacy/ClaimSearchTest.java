package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.jdbc.SchemaTools;
import dev.sluice.testing.OneConnection;
import dev.sluice.testing.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where polls look, with budgets so small that few rows make them go on a round. */
class ClaimSearchTest {
  private static final long NOW = 1_800_000_000L;
  private static final ClaimSearch.Budgets TINY = new ClaimSearch.Budgets(2, 0, 3, 1);

  private final TestDatabase database = TestDatabase.fresh();
  private final Connection other = database.connect();

  @BeforeEach
  void create() {
    try (LegacyQueue queue = LegacyQueue.builder(database.dataSource(), "q").build()) {
      queue.initSchema();
      queue.admin().createExtra(Extra.CLAIM_INDEXES);
    }
  }

  @AfterEach
  void close() throws SQLException {
    other.close();
    database.close();
  }

  @Test
  void aRowTooLongForTheIndexesHoldsBackItsGroupThoughItComesInTheMiddleOfAPoll() throws Exception {
    // Blocked, and as many as a poll looks at first.
    row("'d0'", "'d'", null, NOW + 1_000, 0);
    row("'d1'", "'d'", null, 1, 1);
    row("'d2'", "'d'", null, 2, 2);
    row("'d3'", "'d'", null, 3, 3);
    try (Connection own = database.connect();
        LegacyQueue queue =
            queue(
                beforeTheFirstOn(
                    own,
                    "hops",
                    () -> {
                      row("repeat('x', 2100)", "'g'", null, 4, 4);
                      row("'y'", "'g'", null, 5, 5);
                    }))) {
      assertThat(queue.poll(5).deliveries()).isEmpty();
      assertThat(queue.poll(5).deliveries())
          .extracting(Delivery::brokerId)
          .containsExactly("x".repeat(2_100));
    }
  }

  @Test
  void claimsThatLapsedComeInTheirTurnThoughOtherGroupsNeverRunOut() throws Exception {
    // Back and blocked, and as many as a poll looks at of those that came back.
    row("'d0'", "'d'", null, NOW + 1_000, 0);
    row("'d1'", "'d'", null, 2, 1);
    row("'d2'", "'d'", null, 3, 2);
    row("'lapsed'", "'l'", "'r:lapsed'", NOW - 1, 1);
    for (int i = 0; i < 200; i++) {
      row("'f" + i + "'", null, null, 100, 100);
    }
    try (Connection own = database.connect();
        LegacyQueue queue = queue(own)) {
      List<String> taken = new ArrayList<>();
      for (int poll = 0; poll < 100; poll++) {
        queue.poll(1).deliveries().forEach(delivery -> taken.add(delivery.brokerId()));
      }
      assertThat(taken).hasSize(100).contains("lapsed");
    }
  }

  @Test
  void fromAMarkWhatCameBackGoesBeforeWhatIsLaterInItsGroup() throws Exception {
    assertTakenFromAMark(
        List.of("old", "w3"), "'old'", null, NOW, NOW - 1_000, List.of("old", "later"));
  }

  @Test
  void fromAMarkADelayedHeadHoldsBackItsGroup() throws Exception {
    assertTakenFromAMark(List.of("w3"), "'old'", null, NOW + 100, NOW - 1_000, List.of());
  }

  @Test
  void fromAMarkALapsedClaimGoesBeforeWhatIsLaterInItsGroup() throws Exception {
    assertTakenFromAMark(
        List.of("old", "w3"), "'old'", "'r:old'", NOW, NOW - 1_000, List.of("old", "later"));
  }

  @Test
  void fromAMarkAClaimThatLapsedBeforeItHoldsBackItsGroup() throws Exception {
    assertTakenFromAMark(
        List.of("w3"), "'old'", "'r:old'", NOW - 5, NOW - 1_000, List.of("old", "later"));
  }

  @Test
  void fromAMarkARowDatedBackByFiveSecondsHoldsBackItsGroup() throws Exception {
    assertTakenFromAMark(List.of("w3"), "'old'", null, NOW - 15, NOW - 15, List.of("old", "later"));
  }

  @Test
  void fromAMarkARowDatedBackByMoreIsOvertaken() throws Exception {
    assertTakenFromAMark(List.of("w3", "later"), "'old'", null, NOW - 17, NOW - 17, List.of("old"));
  }

  /** A row is put in before another of its group while polls begin at ten seconds ago. */
  private void assertTakenFromAMark(
      List<String> ids,
      String id,
      @Nullable String receipt,
      long visibleAt,
      long createdAt,
      List<String> ofGroupInAll)
      throws Exception {
    for (int i = 0; i < 4; i++) {
      row("'w" + i + "'", null, null, NOW - 10, NOW - 10);
    }
    AtomicLong nanos = new AtomicLong();
    try (Connection own = database.connect();
        LegacyQueue queue =
            LegacyQueue.builder(new OneConnection(own), "q")
                .clock(() -> NOW)
                .ticker(() -> nanos.addAndGet(1_000_000), 0)
                .build()) {
      for (int i = 0; i < 3; i++) {
        assertThat(queue.poll(1).deliveries()).hasSize(1);
      }
      row(id, "'g'", receipt, visibleAt, createdAt);
      row("'later'", "'g'", null, NOW - 9, NOW - 9);

      List<String> taken = ids(queue.poll(10));

      assertThat(taken).containsExactlyElementsOf(ids);
      for (PollResult next = queue.poll(1); next.taken() > 0 || next.inDoubt(); ) {
        taken.addAll(ids(next));
        next = queue.poll(1);
      }
      taken.remove("w3");
      assertThat(taken).endsWith(ofGroupInAll.toArray(String[]::new));
    }
  }

  private static List<String> ids(PollResult polled) {
    return new ArrayList<>(polled.deliveries().stream().map(Delivery::brokerId).toList());
  }

  private static LegacyQueue queue(Connection connection) {
    return LegacyQueue.builder(new OneConnection(connection), "q")
        .clock(() -> NOW)
        .budgets(TINY, ClaimSql.ROWS)
        // No walk is slow, so that all polls begin at the front.
        .ticker(() -> 0, 1)
        .build();
  }

  private interface Change {
    void make() throws SQLException;
  }

  /** The connection, with a change made before the first statement that names this. */
  private static Connection beforeTheFirstOn(Connection connection, String name, Change change) {
    List<Change> left = new ArrayList<>(List.of(change));
    return (Connection)
        Proxy.newProxyInstance(
            ClaimSearchTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (!left.isEmpty()
                  && method.getName().equals("prepareStatement")
                  && arguments[0] instanceof String sql
                  && sql.contains(name)) {
                left.remove(0).make();
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void row(
      String id, @Nullable String group, @Nullable String receipt, long visibleAt, long createdAt)
      throws SQLException {
    SchemaTools.execute(
        other,
        "INSERT INTO queue_messages (id, queue_name, message_group_id, receipt_handle, visible_at,"
            + " payload, created_at) VALUES (%s, 'q', %s, %s, %d, '%s', %d)"
                .formatted(
                    id,
                    group,
                    receipt,
                    visibleAt,
                    "{\"id\":\"x\",\"mediationType\":\"HTTP\",\"mediationTarget\":\"https://t.example/h\"}",
                    createdAt));
  }
}
