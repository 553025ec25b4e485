package dev.sluice.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.BreakerStatus;
import dev.sluice.queue.Queue;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.QueueMetrics;
import dev.sluice.router.RouterListener;
import dev.sluice.router.RouterListener.End;
import dev.sluice.router.RouterStatus;
import dev.sluice.router.RouterStatus.FlushedGroup;
import dev.sluice.router.RouterStatus.PoolStatus;
import dev.sluice.router.RouterStatus.QueueStatus;
import dev.sluice.testing.Patience;
import dev.sluice.time.ManualTime;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MonitorTest {
  private static final PoolStatus FAST =
      new PoolStatus("FAST", 50, OptionalInt.empty(), 7, 2_000, 3, 2);
  private static final PoolStatus SLOW =
      new PoolStatus("SLOW", 1, OptionalInt.of(60), 0, 100, 0, 0);
  private static final QueueStatus ORDERS =
      new QueueStatus(
          "orders", true, 4, true, 10, List.of(new FlushedGroup("g", Duration.ofSeconds(9))));
  private static final QueueStatus MAIL = new QueueStatus("mail", false, 0, true, 0, List.of());

  private final ManualTime time = new ManualTime(Instant.EPOCH);
  private final CountDownLatch end = new CountDownLatch(1);
  private final Monitor monitor =
      Monitor.start(
          new MonitorOptions(new HttpAddress("127.0.0.1", 0), "1.2.3", Optional.empty()), time);
  private final Visitor visitor = new Visitor(monitor.port());
  private volatile RouterStatus status =
      new RouterStatus(List.of(FAST, SLOW), List.of(ORDERS, MAIL), 10, false);
  private volatile List<BreakerStatus> breakers = List.of();

  @AfterEach
  void stop() {
    end.countDown();
    monitor.close();
  }

  @Test
  void beforeThereIsARouterItIsLiveAndNotReady() throws Exception {
    assertThat(visitor.get("/health/live").statusCode()).isEqualTo(200);
    assertThat(visitor.get("/health/ready").statusCode()).isEqualTo(503);
    assertThat(visitor.get("/health").statusCode()).isEqualTo(503);
    assertThat(metrics()).contains("sluice_router_up 0.0").doesNotContain("fc_pool_queue_size");
  }

  @Test
  void readinessFollowsTheQueues() throws Exception {
    watch();
    assertThat(visitor.get("/health/ready").statusCode()).isEqualTo(503);
    assertThat(visitor.get("/health/ready").body()).contains("queue 'mail'");

    status = new RouterStatus(List.of(), List.of(ORDERS), 0, false);
    assertThat(visitor.get("/health/ready").statusCode()).isEqualTo(200);
    assertThat(visitor.get("/health").body()).contains("\"version\":\"1.2.3\"");
  }

  @Test
  void everySeriesOfTheGoRouterIsThere() throws Exception {
    watch();
    breakers = List.of(new BreakerStatus("https://t.example/hook", true, 5, 7, 2));
    RouterListener heard = monitor.listener();
    heard.received("orders", 30);
    heard.called("FAST", Duration.ofMillis(5));
    heard.called("FAST", Duration.ofMillis(80));
    heard.called("FAST", Duration.ofSeconds(20));
    heard.processed("FAST", true);
    heard.processed("FAST", true);
    heard.processed("FAST", false);
    heard.rateExceeded("SLOW");
    heard.settled("orders", End.ACKED);
    heard.settled("orders", End.ACKED);
    heard.settled("orders", End.NACKED);
    heard.settled("orders", End.DEFERRED);
    monitor.addQueue(CountedQueue.of("orders", () -> new QueueMetrics(100, 20, 3, 4, 5)));

    assertThat(metrics().lines())
        .contains(
            "# TYPE fc_pool_queue_size gauge",
            "fc_pool_queue_size{pool=\"FAST\"} 7.0",
            "fc_pool_queue_size{pool=\"SLOW\"} 0.0",
            "# TYPE fc_pool_active_workers gauge",
            "fc_pool_active_workers{pool=\"FAST\"} 3.0",
            "# TYPE fc_pool_message_groups gauge",
            "fc_pool_message_groups{pool=\"FAST\"} 2.0",
            "# TYPE fc_messages_processed_total counter",
            "fc_messages_processed_total{pool=\"FAST\",success=\"true\"} 2.0",
            "fc_messages_processed_total{pool=\"FAST\",success=\"false\"} 1.0",
            "fc_messages_processed_total{pool=\"SLOW\",success=\"true\"} 0.0",
            "fc_messages_processed_total{pool=\"SLOW\",success=\"false\"} 0.0",
            "# TYPE fc_rate_limit_exceeded_total counter",
            "fc_rate_limit_exceeded_total{pool=\"FAST\"} 0.0",
            "fc_rate_limit_exceeded_total{pool=\"SLOW\"} 1.0",
            "# TYPE fc_mediation_duration_seconds histogram",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"0.005\"} 1",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"0.01\"} 1",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"0.025\"} 1",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"0.05\"} 1",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"0.1\"} 2",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"0.25\"} 2",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"0.5\"} 2",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"1.0\"} 2",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"2.5\"} 2",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"5.0\"} 2",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"10.0\"} 2",
            "fc_mediation_duration_seconds_bucket{pool=\"FAST\",le=\"+Inf\"} 3",
            "fc_mediation_duration_seconds_count{pool=\"FAST\"} 3",
            "fc_mediation_duration_seconds_count{pool=\"SLOW\"} 0",
            "fc_mediation_duration_seconds_sum{pool=\"FAST\"} 20.085",
            "# TYPE fc_in_pipeline_messages gauge",
            "fc_in_pipeline_messages 10.0",
            "# TYPE fc_queue_pending_messages gauge",
            "fc_queue_pending_messages{queue=\"orders\"} 100.0",
            "# TYPE fc_queue_in_flight_messages gauge",
            "fc_queue_in_flight_messages{queue=\"orders\"} 3.0",
            "# TYPE fc_consumer_messages_received_total counter",
            "fc_consumer_messages_received_total{consumer=\"orders\"} 30.0",
            "fc_consumer_messages_received_total{consumer=\"mail\"} 0.0",
            "# TYPE fc_queue_messages_total counter",
            "fc_queue_messages_total{outcome=\"acked\",queue=\"orders\"} 2.0",
            "fc_queue_messages_total{outcome=\"nacked\",queue=\"orders\"} 1.0",
            "fc_queue_messages_total{outcome=\"deferred\",queue=\"orders\"} 1.0",
            "# TYPE fc_circuit_breaker_open gauge",
            "fc_circuit_breaker_open{target=\"https://t.example/hook\"} 1.0",
            "# TYPE fc_circuit_breaker_calls_total counter",
            "fc_circuit_breaker_calls_total{outcome=\"success\",target=\"https://t.example/hook\"}"
                + " 5.0",
            "fc_circuit_breaker_calls_total{outcome=\"failure\",target=\"https://t.example/hook\"}"
                + " 7.0");
  }

  @Test
  void soAreOurs() throws Exception {
    watch();
    breakers = List.of(new BreakerStatus("https://t.example/hook", false, 5, 7, 2));
    RouterListener heard = monitor.listener();
    heard.settled("orders", End.REJECTED);
    heard.poolFull("FAST");
    heard.suppressed("SLOW");
    monitor.addQueue(CountedQueue.of("orders", () -> new QueueMetrics(100, 20, 3, 4, 5)));

    assertThat(metrics().lines())
        .contains(
            "sluice_quarantined_total{queue=\"orders\"} 1.0",
            "sluice_pool_full_total{pool=\"FAST\"} 1.0",
            "sluice_suppressed_total{pool=\"SLOW\"} 1.0",
            "sluice_pool_capacity{pool=\"FAST\"} 2000.0",
            "sluice_pool_concurrency{pool=\"FAST\"} 50.0",
            "sluice_unsettled_messages{queue=\"orders\"} 4.0",
            "sluice_held_messages{queue=\"orders\"} 10.0",
            "sluice_queue_ready{queue=\"orders\"} 1.0",
            "sluice_queue_ready{queue=\"mail\"} 0.0",
            "sluice_flushed_groups{queue=\"orders\"} 1.0",
            "sluice_queue_delayed_messages{queue=\"orders\"} 20.0",
            "sluice_queue_lapsed_messages{queue=\"orders\"} 4.0",
            "sluice_quarantine_messages{queue=\"orders\"} 5.0",
            "sluice_circuit_breaker_refused_total{target=\"https://t.example/hook\"} 2.0",
            "sluice_router_up 1.0",
            "sluice_router_stopping 0.0",
            "sluice_build_info{version=\"1.2.3\"} 1");
  }

  @Test
  void theVirtualMachineIsWatched() {
    Patience.await()
        .untilAsserted(
            () ->
                assertThat(metrics())
                    .contains("jvm_memory_used_bytes{", "jvm_threads_live_threads ", "jvm_gc_"));
  }

  @Test
  void theTextIsWhatPrometheusReads() throws Exception {
    assertThat(visitor.get("/metrics").headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
  }

  @Test
  void aRemovedPoolHasNoGaugesAtOnceAndNoCountersLater() throws Exception {
    watch();
    monitor.listener().processed("SLOW", true);
    monitor.listener().received("mail", 1);
    assertThat(metrics()).contains("fc_pool_queue_size{pool=\"SLOW\"}", "queue=\"mail\"");

    status = new RouterStatus(List.of(FAST), List.of(ORDERS), 0, false);
    assertThat(metrics())
        .doesNotContain("fc_pool_queue_size{pool=\"SLOW\"}", "sluice_queue_ready{queue=\"mail\"}")
        .contains("fc_messages_processed_total{pool=\"SLOW\",success=\"true\"} 1.0");

    time.advance(Duration.ofMinutes(5));
    assertThat(metrics()).doesNotContain("SLOW", "mail").contains("FAST", "orders");
  }

  @Test
  void aPoolThatComesBackCountsFromZero() throws Exception {
    watch();
    monitor.listener().processed("SLOW", true);
    status = new RouterStatus(List.of(FAST), List.of(), 0, false);
    String unused = metrics();
    time.advance(Duration.ofMinutes(5));
    unused = metrics();
    status = new RouterStatus(List.of(FAST, SLOW), List.of(), 0, false);

    assertThat(metrics())
        .contains("fc_messages_processed_total{pool=\"SLOW\",success=\"true\"} 0.0");
  }

  @Test
  void aQueueThatIsNoLongerCountedHasNoCounts() throws Exception {
    Queue queue = CountedQueue.of("orders", () -> new QueueMetrics(1, 0, 0, 0, 0));
    monitor.addQueue(queue);
    assertThat(metrics()).contains("fc_queue_pending_messages{queue=\"orders\"} 1.0");

    monitor.removeQueue(queue);
    assertThat(metrics()).doesNotContain("fc_queue_pending_messages");
  }

  @Test
  void whatABackendDoesNotKnowIsLeftOut() throws Exception {
    monitor.addQueue(
        CountedQueue.of(
            "orders", () -> new QueueMetrics(1, OptionalLong.empty(), 2, 3, OptionalLong.empty())));

    assertThat(metrics())
        .contains("fc_queue_in_flight_messages{queue=\"orders\"} 2.0")
        .doesNotContain("sluice_queue_delayed_messages", "sluice_quarantine_messages");
  }

  @Test
  void namesThatAreAlikeAreOneSeries() throws Exception {
    QueueStatus elsewhere = new QueueStatus("eu/orders", false, 1, true, 2, List.of());
    status = new RouterStatus(List.of(), List.of(ORDERS, elsewhere), 0, false);
    breakers =
        List.of(
            new BreakerStatus("https://t.example/", false, 1, 2, 0),
            new BreakerStatus("https://t.example/", true, 10, 20, 0));
    watch();
    monitor.addQueue(CountedQueue.of("orders", () -> new QueueMetrics(1, 0, 0, 0, 0)));
    monitor.addQueue(CountedQueue.of("eu/orders", () -> new QueueMetrics(2, 0, 0, 0, 0)));

    assertThat(metrics().lines())
        .contains(
            "sluice_queue_ready{queue=\"orders\"} 0.0",
            "sluice_unsettled_messages{queue=\"orders\"} 5.0",
            "fc_queue_pending_messages{queue=\"orders\"} 3.0",
            "fc_circuit_breaker_open{target=\"https://t.example/\"} 1.0",
            "fc_circuit_breaker_calls_total{outcome=\"failure\",target=\"https://t.example/\"}"
                + " 22.0");
  }

  @Test
  void oddNamesAreEscaped() throws Exception {
    PoolStatus odd = new PoolStatus("a\"b\\c\nd", 1, OptionalInt.empty(), 1, 100, 0, 0);
    status = new RouterStatus(List.of(odd), List.of(), 0, false);
    watch();

    assertThat(metrics()).contains("fc_pool_queue_size{pool=\"a\\\"b\\\\c\\nd\"} 1.0\n");
  }

  @Test
  void aRouterThatDoesNotAnswerIsDownAfterThreeSeconds() throws Exception {
    monitor.watch(this::hang, List::of);
    CompletableFuture<HttpResponse<String>> live = visitor.begin("/health/live");
    Patience.await().until(() -> time.waiting().equals(List.of(Duration.ofSeconds(3))));
    time.advance(Duration.ofSeconds(3));

    assertThat(live.get().statusCode()).isEqualTo(503);
    assertThat(visitor.get("/health/ready").statusCode()).isEqualTo(503);
    assertThat(visitor.get("/health").statusCode()).isEqualTo(503);
    assertThat(metrics()).contains("sluice_router_up 0.0").doesNotContain("fc_pool_queue_size");
  }

  @Test
  void aRouterThatFailsIsDown() throws Exception {
    monitor.watch(
        () -> {
          throw new IllegalStateException("stopped");
        },
        List::of);

    assertThat(visitor.get("/health/live").statusCode()).isEqualTo(503);
    assertThat(metrics()).contains("sluice_router_up 0.0");
  }

  @Test
  void aDatabaseThatHangsHoldsUpNoMetricsButTheFirst() throws Exception {
    monitor.addQueue(
        CountedQueue.of(
            "orders",
            () -> {
              RouterStatus unused = hang();
              return new QueueMetrics(1, 0, 0, 0, 0);
            }));
    monitor.addQueue(CountedQueue.of("mail", () -> new QueueMetrics(2, 0, 0, 0, 0)));
    CompletableFuture<HttpResponse<String>> first = visitor.begin("/metrics");
    Patience.await().until(() -> time.waiting().equals(List.of(Duration.ofSeconds(1))));
    time.advance(Duration.ofSeconds(1));

    assertThat(first.get().body())
        .contains("fc_queue_pending_messages{queue=\"mail\"} 2.0")
        .doesNotContain("fc_queue_pending_messages{queue=\"orders\"}");
    time.advance(Duration.ofMinutes(1));
    assertThat(metrics()).doesNotContain("fc_queue_pending_messages{queue=\"orders\"}");
  }

  @Test
  void aDatabaseThatFailsHasNoCounts() throws Exception {
    monitor.addQueue(
        CountedQueue.of(
            "orders",
            () -> {
              throw new QueueException("the database is gone");
            }));

    assertThat(metrics()).doesNotContain("fc_queue_pending_messages{");
  }

  @Test
  void thousandsOfTargetsAreShown() throws Exception {
    breakers =
        IntStream.range(0, 10_000)
            .mapToObj(i -> new BreakerStatus("https://t" + i + ".example/", false, 1, 0, 0))
            .toList();
    watch();

    assertThat(metrics()).contains("fc_circuit_breaker_open{target=\"https://t9999.example/\"}");
  }

  @Test
  void aSecondCloseDoesNothing() throws Exception {
    assertThat(metrics()).isNotEmpty();
    monitor.close();
    monitor.close();
  }

  private void watch() {
    monitor.watch(() -> status, () -> breakers);
  }

  private RouterStatus hang() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return status;
  }

  private String metrics() throws Exception {
    HttpResponse<String> response = visitor.get("/metrics");
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }
}
