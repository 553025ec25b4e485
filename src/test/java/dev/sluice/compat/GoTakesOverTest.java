package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.RecordingTarget;
import dev.sluice.e2e.SluiceProcess;
import dev.sluice.model.LegacyRow;
import dev.sluice.testing.Patience;
import dev.sluice.testing.ScaledTries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A deployment goes to the Go router in the middle of its work, and comes back. */
@Isolated("measures, or starts processes")
class GoTakesOverTest {
  private static final int MESSAGES = 1_600 * ScaledTries.SCALE;
  private static final int SHARE = MESSAGES / 8;
  private static final String VISIBILITY = "15";

  private GoProgram go;
  private Orders orders;
  private RecordingTarget target;
  private List<GoEvent.Published> published;

  @BeforeEach
  void publish() throws Exception {
    go = GoProgram.build();
    orders = new Orders();
    orders.index();
    target = new RecordingTarget(Duration.ofMillis(3));
    published = produce().published();
  }

  @AfterEach
  void dropDatabase() {
    if (target != null) {
      target.close();
    }
    if (orders != null) {
      orders.close();
    }
  }

  @Test
  void nothingIsLostWhenARouterIsKilledAndGoTakesOverAndIsKilledToo() throws Exception {
    Set<String> atKills = new HashSet<>();
    try (SluiceProcess run = run()) {
      await(() -> target.count() >= SHARE || !run.runs());
      run.kill();
    }
    atKills.addAll(inFlight());
    GoEvents killed;
    try (GoProcess consumer = consume("-max", "20")) {
      await(() -> consumer.events().acked().size() >= SHARE || !consumer.runs());
      consumer.kill();
      killed = consumer.events();
    }
    atKills.addAll(inFlight());
    GoEvents orderly;
    try (GoProcess consumer = consume("-max", "20", "-stop-after", Integer.toString(SHARE))) {
      orderly = consumer.finish();
    }

    int exitCode = orders.drain("--visibility", VISIBILITY, "--wait", "120");

    assertThat(exitCode).isZero();
    assertThat(orders.rows()).isEmpty();
    assertThat(orders.failed()).isEmpty();
    List<String> done = new ArrayList<>(Order.delivered(target));
    done.addAll(killed.acked());
    done.addAll(orderly.acked());
    List<String> lost = missing(done);
    // Its ack may have been committed, and it was killed before it could say so.
    assertThat(killed.unsettled()).containsAll(lost);
    assertThat(lost).hasSizeLessThanOrEqualTo(1);
    assertThat(atKills).as("in flight at the kills").containsAll(repeated(done));
    System.out.printf(
        "Go took over: %,d messages, %,d by Go, %d in flight at the kills, %d repeated%n",
        MESSAGES,
        killed.acked().size() + orderly.acked().size(),
        atKills.size(),
        repeated(done).size());
  }

  @Test
  void orderHoldsWhenGoTakesOverInAnOrderlyWayAndGivesBack() throws Exception {
    try (SluiceProcess run = run()) {
      await(() -> target.count() >= SHARE || !run.runs());
      run.terminate();
      assertThat(run.exitCode(600)).as(run.stderr()).isZero();
    }
    List<String> done = new ArrayList<>(Order.delivered(target));
    try (GoProcess consumer = consume("-max", "20")) {
      await(() -> consumer.events().acked().size() >= SHARE || !consumer.runs());
      consumer.terminate();
      done.addAll(consumer.finish().acked());
    }
    assertThat(inFlight()).isEmpty();
    int before = target.count();

    int exitCode = orders.drain("--wait", "120");

    assertThat(exitCode).isZero();
    List<String> delivered = Order.delivered(target);
    done.addAll(delivered.subList(before, delivered.size()));
    assertThat(done).hasSize(MESSAGES).doesNotHaveDuplicates();
    assertThat(Order.byGroup(done, published)).isEqualTo(Order.byGroup(published));
    assertThat(orders.rows()).isEmpty();
  }

  private GoEvents produce() throws Exception {
    try (GoProcess producer =
        go.start(
            "produce",
            "-uri",
            orders.uri(),
            "-queue",
            Orders.QUEUE,
            "-n",
            Integer.toString(MESSAGES),
            "-batch",
            "100",
            "-groups",
            "40",
            "-target",
            target.url())) {
      return producer.finish();
    }
  }

  private SluiceProcess run() throws Exception {
    return orders.start("run", "--visibility", VISIBILITY, "--batch", "40");
  }

  private GoProcess consume(String... options) throws Exception {
    return go.start(
        Stream.concat(
                Stream.of(
                    "consume",
                    "-uri",
                    orders.uri(),
                    "-queue",
                    Orders.QUEUE,
                    "-visibility",
                    VISIBILITY),
                Stream.of(options))
            .toArray(String[]::new));
  }

  private static void await(Callable<Boolean> condition) {
    Patience.await()
        .atMost(Patience.LONGEST.multipliedBy(ScaledTries.SCALE))
        .pollInterval(Duration.ofMillis(50))
        .until(condition);
  }

  private Set<String> inFlight() throws Exception {
    Set<String> ids = new HashSet<>();
    for (LegacyRow row : orders.rows()) {
      if (row.receipt() != null) {
        ids.add(row.id());
      }
    }
    return ids;
  }

  private List<String> missing(List<String> done) {
    Set<String> seen = new HashSet<>(done);
    return published.stream().map(GoEvent.Published::id).filter(id -> !seen.contains(id)).toList();
  }

  private static Set<String> repeated(List<String> done) {
    Set<String> seen = new HashSet<>();
    Set<String> repeated = new LinkedHashSet<>();
    for (String id : done) {
      if (!seen.add(id)) {
        repeated.add(id);
      }
    }
    return repeated;
  }
}
