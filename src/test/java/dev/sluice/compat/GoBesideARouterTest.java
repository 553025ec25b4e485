package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.RecordingTarget;
import dev.sluice.e2e.SluiceProcess;
import dev.sluice.queue.Message;
import dev.sluice.testing.Patience;
import dev.sluice.testing.ScaledTries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A router of ours and a Go consumer share a queue that both kinds of producers write. */
@Isolated("measures, or starts processes")
class GoBesideARouterTest {
  private static final String WITHOUT_END = "1000000";
  private static final int BY_US = 500;
  private static final int KILLS = 3 * ScaledTries.SCALE;
  private static final int SHARE = 70;

  private final List<GoEvents> killed = new ArrayList<>();
  private final List<String> ackedByGo = new ArrayList<>();
  private GoProgram go;
  private Orders orders;
  private RecordingTarget target;

  @BeforeEach
  void createTables() throws Exception {
    go = GoProgram.build();
    orders = new Orders();
    orders.index();
    target = new RecordingTarget(Duration.ofMillis(5));
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
  void nothingIsLostWhenBothAreKilledAgainAndAgain() throws Exception {
    Set<String> published = new HashSet<>();
    try (GoProcess producer = produce()) {
      publishOurs().forEach(published::add);
      for (int kill = 0; kill < KILLS; kill++) {
        workUntilKilled(kill);
      }
      producer.terminate();
      producer.finish().published().forEach(message -> published.add(message.id()));
    }

    int exitCode = orders.drain("--visibility", "3", "--wait", "120");

    assertThat(exitCode).isZero();
    assertThat(orders.rows()).isEmpty();
    assertThat(orders.failed()).isEmpty();
    Set<String> lost = new HashSet<>(published);
    lost.removeAll(Set.copyOf(Order.delivered(target)));
    lost.removeAll(Set.copyOf(ackedByGo));
    assertMayHaveBeenAcked(lost);
    System.out.printf(
        "beside Go: %,d messages, %,d acked by Go, %,d calls of the target, each killed %d times%n",
        published.size(), ackedByGo.size(), target.count(), KILLS);
  }

  /**
   * Both work, the router with three deliveries at a time, else it would leave nothing to Go; each
   * time another one is killed first.
   */
  private void workUntilKilled(int kill) throws Exception {
    int before = target.count();
    try (SluiceProcess run =
            orders.start(
                "run",
                "--visibility",
                "3",
                "--batch",
                "20",
                "--concurrency",
                "3",
                "--poll-interval",
                "0.1");
        GoProcess consumer = consume(kill)) {
      await(() -> consumer.events().acked().size() >= SHARE);
      if (kill % 2 == 0) {
        consumer.kill();
      }
      await(() -> target.count() >= before + SHARE);
      run.kill();
      consumer.kill();
      killed.add(consumer.events());
      ackedByGo.addAll(consumer.events().acked());
    }
  }

  /** One ack of each killed process may have been committed without a word of it. */
  private void assertMayHaveBeenAcked(Set<String> lost) {
    Set<String> left = new HashSet<>(lost);
    for (GoEvents run : killed) {
      run.unsettled().stream().filter(left::contains).findFirst().ifPresent(left::remove);
    }
    assertThat(left).as("lost").isEmpty();
  }

  private Set<String> publishOurs() {
    List<Message> messages =
        IntStream.range(0, BY_US)
            .mapToObj(
                i ->
                    Message.of("ours-%08d".formatted(i), target.url())
                        .withGroup("group-%04d".formatted(i % 100)))
            .toList();
    return Set.copyOf(orders.queue().publishBatch(messages));
  }

  private GoProcess produce() throws Exception {
    return go.start(
        "produce",
        "-uri",
        orders.uri(),
        "-queue",
        Orders.QUEUE,
        "-n",
        WITHOUT_END,
        "-batch",
        "5",
        "-pause",
        "20ms",
        "-groups",
        "100",
        "-target",
        target.url());
  }

  private GoProcess consume(int seed) throws Exception {
    return go.start(
        "consume",
        "-uri",
        orders.uri(),
        "-queue",
        Orders.QUEUE,
        "-visibility",
        "3",
        "-shuffle",
        "-ack-rate",
        "0.7",
        "-nack-rate",
        "0.15",
        "-defer-rate",
        "0.1",
        "-max-delay",
        "2",
        "-seed",
        Integer.toString(seed));
  }

  private static void await(Callable<Boolean> condition) {
    Patience.await().pollInterval(Duration.ofMillis(50)).until(condition);
  }
}
