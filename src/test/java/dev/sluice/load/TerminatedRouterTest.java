package dev.sluice.load;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.SluiceProcess;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.testing.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** SIGTERM with 500 messages buffered and 50 being delivered, half of which end in time. */
@Isolated("measures, or starts processes")
class TerminatedRouterTest {
  private static final long DRAIN_SECONDS = 20;

  private final Journal journal = new Journal();
  private final CompletableFuture<Void> answers = new CompletableFuture<>();

  /** A row as it is left; {@code visibleIn} seconds from now it may be claimed. */
  private record Row(boolean claimed, long visibleIn) {
    boolean isVisible() {
      return !claimed && visibleIn <= 0;
    }
  }

  @Test
  void theTableHoldsExactlyWhatIsNotDeliveredAndNoTailComesBeforeItsHead() throws Exception {
    Map<String, List<String>> ending = Orders.groups("ending", 25, 5);
    Map<String, List<String>> stuck = Orders.groups("stuck", 25, 5);
    Map<String, List<String>> waiting = Orders.groups("waiting", 60, 5);
    try (TestDatabase database = TestDatabase.fresh();
        HttpTarget target = new HttpTarget(journal, this::until)) {
      LegacyQueue queue = LegacyQueue.builder(database.dataSource(), "orders").build();
      queue.initSchema();
      for (Map<String, List<String>> groups : List.of(ending, stuck, waiting)) {
        Orders.publish(queue, groups, "", target.url(), DispatchMode.NEXT_ON_ERROR);
      }
      Set<String> left = new TreeSet<>();
      Stream.of(ending, stuck, waiting).forEach(g -> g.values().forEach(left::addAll));

      try (SluiceProcess router = start(database)) {
        await().until(() -> journal.running() == 50 && queue.metrics().inFlight() == 550);
        router.terminate();
        // Those of idle groups are claimable for others while fifty deliveries still run.
        await()
            .atMost(Duration.ofSeconds(DRAIN_SECONDS * 3 / 4))
            .until(() -> queue.metrics().pending() == 300);
        Map<String, Row> early = rows(database);
        answers.complete(null);
        long terminated = System.nanoTime();
        assertThat(router.exitCode(DRAIN_SECONDS + 300)).as(router.stderr()).isZero();
        System.out.printf(
            "ended %.1f s after its deliveries could%n", (System.nanoTime() - terminated) / 1e9);
        assertThat(ids(waiting)).allMatch(id -> row(early, id).isVisible());
        assertThat(Stream.concat(ids(ending), ids(stuck))).allMatch(id -> row(early, id).claimed());
      }

      Map<String, Row> rows = rows(database);
      ending.values().forEach(ids -> left.remove(ids.get(0)));
      assertThat(journal.delivered()).isEqualTo(25);
      assertThat(rows.keySet()).containsExactlyElementsOf(left);
      assertThat(ids(waiting)).allMatch(id -> row(rows, id).isVisible());
      assertThat(ids(ending).filter(left::contains)).allMatch(id -> row(rows, id).isVisible());
      for (List<String> ids : stuck.values()) {
        assertThat(row(rows, ids.get(0)).claimed()).isTrue();
        List<Row> tail = ids.stream().skip(1).map(id -> row(rows, id)).toList();
        assertThat(tail).noneMatch(Row::claimed);
        assertThat(ids.stream().map(id -> row(rows, id).visibleIn())).isSorted();
      }
    }
  }

  private CompletionStage<?> until(String id) {
    return id.startsWith("ending") ? answers : new CompletableFuture<Void>();
  }

  private static Stream<String> ids(Map<String, List<String>> groups) {
    return groups.values().stream().flatMap(List::stream);
  }

  private static Row row(Map<String, Row> rows, String id) {
    return Objects.requireNonNull(rows.get(id), () -> "no row of " + id);
  }

  private static Map<String, Row> rows(TestDatabase database) throws SQLException {
    Map<String, Row> all = new TreeMap<>();
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT id, receipt_handle IS NOT NULL,"
                    + " visible_at - floor(extract(epoch FROM clock_timestamp()))::bigint"
                    + " FROM queue_messages")) {
      while (rows.next()) {
        all.put(rows.getString(1), new Row(rows.getBoolean(2), rows.getLong(3)));
      }
    }
    return all;
  }

  private static SluiceProcess start(TestDatabase database) throws IOException {
    return SluiceProcess.start(
        List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
        List.of(
            "run",
            "--http",
            "off",
            "--uri",
            database.uri(),
            "--queue",
            "orders",
            "--visibility",
            "60",
            "--concurrency",
            "50",
            "--drain-time",
            Long.toString(DRAIN_SECONDS)));
  }
}
