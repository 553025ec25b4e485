package dev.sluice.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.Outcome;
import dev.sluice.load.InProcessTarget.Answer;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Message;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.harel.HarelQueue;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.router.PoolSettings;
import dev.sluice.router.Router;
import dev.sluice.testing.TestDatabase;
import dev.sluice.time.SystemTime;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Four routers that poll, extend and settle the same rows, while more come in. */
@Isolated("measures, or starts processes")
class ManyRoutersTest {
  private static final Duration TIME = Duration.ofSeconds(Size.of(15, 600));
  private static final Duration VISIBILITY = Duration.ofSeconds(3);
  private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(100);
  private static final int ROUTERS = 4;
  private static final String LEGACY_IDS =
      "SELECT id FROM queue_messages UNION ALL SELECT id FROM queue_messages_failed";
  private static final String HAREL_IDS =
      "SELECT event::json ->> 'id' FROM transport_messages"
          + " UNION ALL SELECT event::json ->> 'id' FROM transport_messages_failed";
  private static final int GROUPS = 50;

  private final List<Case> cases = new ArrayList<>();

  /** Four routers on a queue of their own. */
  private static final class Case implements AutoCloseable {
    private final TestDatabase database = TestDatabase.fresh();
    private final SystemTime time = new SystemTime();
    private final Journal journal = new Journal();
    private final InProcessTarget target = new InProcessTarget(journal, ManyRoutersTest::answer);
    private final java.util.Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final AtomicInteger statements = new AtomicInteger();
    private final Set<String> published = new HashSet<>();
    private final List<Router> routers = new ArrayList<>();
    private final String name;
    private final String kept;
    private final Queue queue;

    /**
     * @param kept selects the ids of the rows in the queue and in quarantine
     */
    Case(String name, String kept, Function<DataSource, Queue> open) {
      this.name = name;
      this.kept = kept;
      this.queue = open.apply(database.dataSource());
      queue.initSchema();
      for (int i = 0; i < ROUTERS; i++) {
        routers.add(
            Router.builder(target, time)
                .pool(PoolSettings.of(PoolSettings.DEFAULT_CODE, 20))
                .queue(
                    AroundQueue.of(open.apply(database.dataSource(3)), this::watched), VISIBILITY)
                .build());
      }
      routers.forEach(Router::start);
    }

    /** Notes what fails. Some extensions come too late, so that others take the rows as well. */
    private @Nullable Object watched(
        String method, @Nullable Object[] arguments, AroundQueue.Statement statement)
        throws Throwable {
      try {
        if (method.equals("extendVisibility") && ThreadLocalRandom.current().nextInt(4) == 0) {
          Thread.sleep(2_000);
        }
        statements.incrementAndGet();
        return statement.run();
      } catch (QueueException e) {
        errors.add(method + ": " + e.getMessage());
        throw e;
      }
    }

    void publish(int round) {
      List<Message> batch = new ArrayList<>();
      for (int g = 0; g < GROUPS; g++) {
        String id = "g%04d-%05d".formatted(g, round);
        published.add(id);
        batch.add(
            Orders.message(
                id,
                "http://t.example/hook",
                g % 3 == 0 ? DispatchMode.NEXT_ON_ERROR : DispatchMode.IMMEDIATE));
      }
      queue.publishBatch(batch);
    }

    /** The messages that are neither delivered nor in the queue nor in quarantine. */
    Set<String> lost() throws SQLException {
      Set<String> lost = new HashSet<>(published);
      lost.removeAll(journal.deliveredIds());
      lost.removeAll(strings(kept));
      return lost;
    }

    long deadlocks() throws SQLException {
      // A backend that ends has told what it counted.
      List<String> unused =
          strings(
              "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                  + " WHERE datname = current_database() AND pid <> pg_backend_pid()");
      return Long.parseLong(
          strings("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
              .get(0));
    }

    private List<String> strings(String query) throws SQLException {
      List<String> all = new ArrayList<>();
      try (Connection connection = database.connect();
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery(query)) {
        while (rows.next()) {
          all.add(rows.getString(1));
        }
      }
      return all;
    }

    @Override
    public void close() {
      target.close();
      time.close();
      database.close();
    }
  }

  @AfterEach
  void close() {
    cases.forEach(Case::close);
  }

  @Test
  void theirStatementsDoNotDeadlockAndLoseNothing() throws Exception {
    cases.add(new Case("relaxed", LEGACY_IDS, data -> legacy(data, LegacyQueue.Groups.RELAXED)));
    cases.add(
        new Case("exclusive", LEGACY_IDS, data -> legacy(data, LegacyQueue.Groups.EXCLUSIVE)));
    cases.add(
        new Case(
            "harel",
            HAREL_IDS,
            data -> HarelQueue.builder(data).name("orders").visibility(VISIBILITY).build()));

    long end = System.nanoTime() + TIME.toNanos();
    for (int round = 0; System.nanoTime() < end; round++) {
      for (Case one : cases) {
        one.publish(round);
      }
      Thread.sleep(BETWEEN_ROUNDS.toMillis());
    }
    Routers.stop(cases.stream().flatMap(one -> one.routers.stream()).toList());

    for (Case one : cases) {
      System.out.printf(
          "%s: %d published, %d delivered in %d calls, %d statements%n",
          one.name,
          one.published.size(),
          one.journal.delivered(),
          one.journal.calls().size(),
          one.statements.get());
      assertThat(one.errors).as(one.name).isEmpty();
      assertThat(one.lost()).as(one.name).isEmpty();
      assertThat(one.deadlocks()).as(one.name).isZero();
    }
  }

  private static Answer answer(Delivery delivery, int call) {
    String id = delivery.message().id();
    ThreadLocalRandom random = ThreadLocalRandom.current();
    Duration after = Duration.ofMillis(random.nextInt(10) == 0 ? 4_000 : random.nextInt(50));
    if (InProcessTarget.chance(1, id, 0)) {
      return new Answer(new Outcome.Permanent("400", false), after);
    }
    return switch (random.nextInt(10)) {
      case 0 -> new Answer(new Outcome.Unavailable("503", 1), after);
      case 1 -> new Answer(new Outcome.Deferred(1), after);
      default -> Answer.taken(after);
    };
  }

  private static Queue legacy(DataSource data, LegacyQueue.Groups groups) {
    return LegacyQueue.builder(data, "orders").visibility(VISIBILITY).groups(groups).build();
  }
}
