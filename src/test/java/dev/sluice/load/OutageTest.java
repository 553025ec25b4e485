package dev.sluice.load;

import static dev.sluice.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.load.InProcessTarget.Answer;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Queue;
import dev.sluice.queue.SchemaReport;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.queue.uri.FileTree;
import dev.sluice.queue.uri.PostgresBinaries;
import dev.sluice.queue.uri.PostgresServer;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.Router;
import dev.sluice.router.RouterStatus.QueueStatus;
import dev.sluice.testing.TestDatabase;
import dev.sluice.time.SystemTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Databases that go and come back. Groups are exclusive: a poll whose answer is lost leaves claims
 * that nobody holds, and only that keeps the messages behind them in the queue.
 */
@Isolated("measures, or starts processes")
class OutageTest {
  private static final int GROUPS = 100;
  private static final int PER_GROUP = Size.of(40, 500);
  private static final int TOTAL = GROUPS * PER_GROUP;
  private static final int OUTAGES = 3;
  private static final Duration LATENCY = Duration.ofMillis(5);

  /** So long there is enough left to be cut, where the one who cuts comes late. */
  private static final Duration UNTIL_CUT = Duration.ofMillis(50);

  private static final int ENOUGH_CUT = 4;
  private static final Duration VISIBILITY = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofMinutes(Size.of(3, 15));

  private final Map<String, List<String>> groups = Orders.groups("g", GROUPS, PER_GROUP);
  private final Journal journal = new Journal();
  private final SystemTime time = new SystemTime();
  private final AtomicInteger cut = new AtomicInteger(ENOUGH_CUT);
  private final InProcessTarget target =
      new InProcessTarget(
          journal, (delivery, call) -> Answer.taken(cut.get() < ENOUGH_CUT ? UNTIL_CUT : LATENCY));

  @AfterEach
  void end() {
    target.close();
    time.close();
  }

  @Test
  void nothingIsLostWhenTheServerFallsThreeTimes(@TempDir Path temporary) throws IOException {
    // Beside the test's own directory: what a server that was cut off leaves must not fail it.
    Path home = Files.createTempDirectory(temporary, "server");
    PostgresServer server = new PostgresServer(PostgresBinaries.unpack(), home);
    server.create(Map.of("fsync", "off"), List.of("--no-sync"));
    PGSimpleDataSource address = new PGSimpleDataSource();
    address.setServerNames(new String[] {"127.0.0.1"});
    address.setUser(PostgresServer.USER);
    address.setPassword(server.password());
    address.setDatabaseName(PostgresServer.DATABASE);
    address.setPortNumbers(new int[] {server.start()});
    try (HikariDataSource data = pool(address)) {
      Queue queue = publish(data);
      Router router = start(queue);
      for (int outage = 1; outage <= OUTAGES; outage++) {
        int before = TOTAL * outage / (OUTAGES + 2);
        await().atMost(PATIENCE).until(() -> journal.delivered() >= before);
        server.abandon();
        await().until(() -> !status(router).isReady());
        address.setPortNumbers(new int[] {server.start()});
        await().until(() -> status(router).isReady());
      }
      catchesUp(queue, router);
    } finally {
      server.abandon();
      FileTree.delete(home);
    }
  }

  @Test
  void nothingIsLostWhenConnectionsAreCutAgainAndAgain() throws Exception {
    try (TestDatabase database = TestDatabase.fresh();
        Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      Queue queue = publish(database.dataSource());
      cut.set(0);
      Router router = start(queue);
      while (journal.delivered() < TOTAL * 3 / 4) {
        Thread.sleep(50);
        // Acks are the only statements that begin so.
        try (ResultSet rows =
            statement.executeQuery(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                    + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    + " AND query ~* 'delete'")) {
          rows.next();
          cut.addAndGet(rows.getInt(1));
        }
      }
      System.out.printf("%d connections cut after or in the middle of acks%n", cut.get());
      assertThat(cut).hasValueGreaterThanOrEqualTo(ENOUGH_CUT);
      catchesUp(queue, router);
    }
  }

  private void catchesUp(Queue queue, Router router) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> queue.metrics().total() == 0 && status(router).isReady());
    router.stop();
    System.out.printf("%d messages in %d calls%n", TOTAL, journal.calls().size());
    assertThat(journal.delivered()).isEqualTo(TOTAL);
    assertThat(journal.firstSeen()).isEqualTo(groups);
    assertThat(journal.simultaneousOfOneMessage()).isEmpty();
    assertThat(queue.metrics().quarantined()).hasValue(0);
  }

  private Queue publish(DataSource data) {
    LegacyQueue queue =
        LegacyQueue.builder(data, "orders")
            .visibility(VISIBILITY)
            .groups(LegacyQueue.Groups.EXCLUSIVE)
            .build();
    queue.initSchema();
    queue.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
    Orders.publish(queue, groups, "", "http://t.example/hook", DispatchMode.NEXT_ON_ERROR);
    return queue;
  }

  private Router start(Queue queue) {
    Router router =
        Router.builder(target, time)
            .pool(PoolSettings.of(PoolSettings.DEFAULT_CODE, 20))
            .queue(queue, VISIBILITY)
            .build();
    router.start();
    return router;
  }

  private static QueueStatus status(Router router) {
    return router.status().queues().get(0);
  }

  private static HikariDataSource pool(DataSource address) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(address);
    config.setMaximumPoolSize(4);
    config.setMinimumIdle(0);
    config.setConnectionTimeout(2_000);
    return new HikariDataSource(config);
  }
}
