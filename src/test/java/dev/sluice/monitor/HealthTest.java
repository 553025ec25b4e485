package dev.sluice.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.BreakerStatus;
import dev.sluice.router.RouterStatus;
import dev.sluice.router.RouterStatus.FlushedGroup;
import dev.sluice.router.RouterStatus.PoolStatus;
import dev.sluice.router.RouterStatus.QueueStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HealthTest {
  private static final View STARTING = new View.Starting();
  private static final View SILENT = new View.Silent();

  @Test
  void aRouterThatAnswersIsLive() {
    assertThat(Health.live(seen(false, queue("orders", false, false))))
        .isEqualTo(json(200, "{\"status\":\"UP\",\"reasons\":[]}"));
  }

  @Test
  void aRouterThatStopsIsLive() {
    assertThat(Health.live(seen(true, queue("orders", true, true))).status()).isEqualTo(200);
  }

  @Test
  void aRouterThatWaitsForItsDatabaseIsLiveAndNotReady() {
    assertThat(Health.live(STARTING).status()).isEqualTo(200);
    assertThat(Health.ready(STARTING))
        .isEqualTo(
            json(
                503,
                "{\"status\":\"OUT_OF_SERVICE\",\"reasons\":[\"the router has not started: it"
                    + " waits for its database\"]}"));
  }

  @Test
  void aRouterThatDoesNotAnswerIsNeither() {
    Answer down = json(503, "{\"status\":\"DOWN\",\"reasons\":[\"the router does not answer\"]}");

    assertThat(Health.live(SILENT)).isEqualTo(down);
    assertThat(Health.ready(SILENT)).isEqualTo(down);
  }

  @Test
  void aRouterWhoseQueuesAreReadyIsReady() {
    assertThat(Health.ready(seen(false, queue("orders", true, true), queue("mail", true, true))))
        .isEqualTo(json(200, "{\"status\":\"UP\",\"reasons\":[]}"));
  }

  @Test
  void aQueueThatIsNotPolledIsNamed() {
    assertThat(Health.ready(seen(false, queue("orders", false, true), queue("mail", true, true))))
        .isEqualTo(
            json(
                503,
                "{\"status\":\"DOWN\",\"reasons\":[\"queue 'orders': no poll has succeeded since"
                    + " the start or the last failure\"]}"));
  }

  @Test
  void aQueueThatIsNotSettledIsNamed() {
    assertThat(Health.ready(seen(false, queue("mail", true, false))))
        .isEqualTo(
            json(
                503,
                "{\"status\":\"DOWN\",\"reasons\":[\"queue 'mail': settlements do not reach the"
                    + " database\"]}"));
  }

  @Test
  void aRouterThatStopsIsOutOfService() {
    assertThat(Health.ready(seen(true, queue("orders", true, true))))
        .isEqualTo(
            json(503, "{\"status\":\"OUT_OF_SERVICE\",\"reasons\":[\"the router is stopping\"]}"));
  }

  @Test
  void theDetailHasAll() {
    RouterStatus status =
        new RouterStatus(
            List.of(
                new PoolStatus("SLOW", 5, OptionalInt.of(60), 7, 200, 3, 2),
                new PoolStatus("FAST", 50, OptionalInt.empty(), 0, 2_000, 0, 0)),
            List.of(
                new QueueStatus(
                    "orders",
                    true,
                    1,
                    true,
                    10,
                    List.of(
                        new FlushedGroup("g2", Duration.ofMillis(12_500)),
                        new FlushedGroup("g1", Duration.ofSeconds(60))))),
            10,
            false);
    List<BreakerStatus> breakers =
        List.of(
            new BreakerStatus("https://b.example/x", true, 4, 6, 2),
            new BreakerStatus("https://a.example/x", false, 9, 0, 0));

    assertThat(Health.detail(new View.Seen(status), Optional.of(breakers), "1.2"))
        .isEqualTo(
            json(
                200,
                "{\"status\":\"UP\",\"reasons\":[],\"version\":\"1.2\",\"inPipeline\":10,"
                    + "\"pools\":[{\"code\":\"FAST\",\"concurrency\":50,"
                    + "\"rateLimitPerMinute\":null,\"buffered\":0,\"capacity\":2000,\"active\":0,"
                    + "\"groups\":0},{\"code\":\"SLOW\",\"concurrency\":5,"
                    + "\"rateLimitPerMinute\":60,\"buffered\":7,\"capacity\":200,\"active\":3,"
                    + "\"groups\":2}],\"queues\":[{\"queue\":\"orders\",\"ready\":true,"
                    + "\"polled\":true,\"settling\":true,\"unsettled\":1,\"held\":10,"
                    + "\"flushedGroupCount\":2,\"flushedGroups\":[{\"group\":\"g1\","
                    + "\"secondsLeft\":60.0},{\"group\":\"g2\",\"secondsLeft\":12.5}]}],"
                    + "\"openBreakerCount\":1,\"openBreakers\":[{\"target\":"
                    + "\"https://b.example/x\",\"succeeded\":4,\"failed\":6,\"refused\":2}]}"));
  }

  @Test
  void theDetailOfARouterThatDoesNotAnswerHasTheSameKeys() {
    assertThat(Health.detail(SILENT, Optional.empty(), "1.2"))
        .isEqualTo(
            json(
                503,
                "{\"status\":\"DOWN\",\"reasons\":[\"the router does not answer\"],"
                    + "\"version\":\"1.2\",\"inPipeline\":null,\"pools\":null,\"queues\":null,"
                    + "\"openBreakerCount\":null,\"openBreakers\":null}"));
  }

  @Test
  void ofManyFlushedGroupsAThousandAreListed() {
    List<FlushedGroup> groups =
        IntStream.range(0, 1_001)
            .mapToObj(i -> new FlushedGroup("g" + i, Duration.ofSeconds(1)))
            .toList();
    View view = seen(false, new QueueStatus("orders", true, 0, true, 0, groups));

    assertThat(Health.detail(view, Optional.of(List.of()), "1.2").body())
        .contains("\"flushedGroupCount\":1001")
        .satisfies(body -> assertThat(body.split("secondsLeft", -1)).hasSize(1_001));
  }

  private static View seen(boolean stopping, QueueStatus... queues) {
    return new View.Seen(new RouterStatus(List.of(), List.of(queues), 0, stopping));
  }

  private static QueueStatus queue(String name, boolean polled, boolean settling) {
    return new QueueStatus(name, polled, 0, settling, 0, List.of());
  }

  private static Answer json(int status, String body) {
    return new Answer(status, "application/json; charset=utf-8", body + "\n");
  }
}
