package dev.sluice.delivery;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(300)
class BreakersTest {
  private static final Outcome DELIVERED = new Outcome.Delivered();
  private static final Outcome UNAVAILABLE = new Outcome.Unavailable("503", 30);
  private static final String URL = "http://u:secret@t.example/a?secret";
  private static final String NAME = "http://t.example/a";

  private final ManualTime time = new ManualTime(Instant.EPOCH);
  private final Breakers breakers = new Breakers(time);
  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void anOpenBreakerRefusesWithoutACall() {
    fail(URL, 10);

    assertThat(call(URL, DELIVERED)).isEqualTo(new Outcome.CircuitOpen(5));
    assertThat(calls).hasValue(10);
    assertThat(breakers.status()).containsExactly(new BreakerStatus(NAME, true, 0, 10, 1));
  }

  @Test
  void theResetTimeIsRoundedUpToWholeSeconds() {
    fail(URL, 10);
    time.advance(Duration.ofNanos(1));
    assertThat(call(URL, DELIVERED)).isEqualTo(new Outcome.CircuitOpen(5));
    time.advance(Duration.ofMillis(1500));
    assertThat(call(URL, DELIVERED)).isEqualTo(new Outcome.CircuitOpen(4));
    time.advance(Duration.ofNanos(3_499_999_998L));
    assertThat(call(URL, DELIVERED)).isEqualTo(new Outcome.CircuitOpen(1));
    time.advance(Duration.ofNanos(1));
    assertThat(call(URL, DELIVERED)).isEqualTo(DELIVERED);
  }

  @Test
  void outcomesThatTellNothingChangeNothing() {
    fail(URL, 9);
    for (int i = 0; i < 100; i++) {
      call(URL, new Outcome.Deferred(1));
      call(URL, new Outcome.RateLimited(1));
    }
    fail(URL, 1);
    assertThat(call(URL, DELIVERED)).isInstanceOf(Outcome.CircuitOpen.class);

    time.advance(Duration.ofSeconds(5));
    call(URL, DELIVERED);
    call(URL, new Outcome.Deferred(1));
    call(URL, DELIVERED);
    call(URL, new Outcome.RateLimited(1));
    assertThat(breakers.status()).containsExactly(new BreakerStatus(NAME, false, 2, 10, 1));
    call(URL, DELIVERED);
    fail(URL, 9);
    assertThat(call(URL, DELIVERED)).isEqualTo(DELIVERED);
  }

  @Test
  void allCallsAreLetThroughOnTrial() {
    fail(URL, 10);
    time.advance(Duration.ofSeconds(5));
    List<CompletableFuture<Outcome>> ends = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      CompletableFuture<Outcome> end = new CompletableFuture<>();
      ends.add(end);
      breakers.guard(URL, NAME, () -> end);
    }

    ends.forEach(end -> end.complete(DELIVERED));
    assertThat(breakers.status()).containsExactly(new BreakerStatus(NAME, false, 50, 10, 0));
  }

  @Test
  void whatUrlsDifferInMakesBreakersOfTheirOwnAndOneListing() {
    String other = "http://t.example/a?other";
    fail(URL, 10);
    call(other, DELIVERED);

    assertThat(call(other, DELIVERED)).isEqualTo(DELIVERED);
    assertThat(call(URL, DELIVERED)).isInstanceOf(Outcome.CircuitOpen.class);
    assertThat(breakers.status()).containsExactly(new BreakerStatus(NAME, true, 2, 10, 1));
  }

  @Test
  void aBreakerUnusedForAnHourIsForgotten() {
    fail(URL, 9);
    time.advance(Duration.ofHours(1).minusNanos(1));
    assertThat(breakers.status()).hasSize(1);
    time.advance(Duration.ofNanos(1));
    assertThat(breakers.status()).isEmpty();

    fail(URL, 9);
    assertThat(call(URL, DELIVERED)).isEqualTo(DELIVERED);
  }

  @Test
  void aRefusedCallUsesItsBreaker() {
    fail(URL, 10);
    time.advance(Duration.ofSeconds(4));
    call(URL, DELIVERED);
    time.advance(Duration.ofHours(1).minusNanos(1));

    assertThat(breakers.status()).hasSize(1);
  }

  @Test
  void callsThatTakeLongerThanAnHourStillOpenIt() {
    List<CompletableFuture<Outcome>> ends = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      CompletableFuture<Outcome> end = new CompletableFuture<>();
      ends.add(end);
      breakers.guard(URL, NAME, () -> end);
    }
    time.advance(Duration.ofHours(2));
    assertThat(breakers.status()).isEmpty();

    ends.forEach(end -> end.complete(UNAVAILABLE));

    assertThat(call(URL, DELIVERED)).isInstanceOf(Outcome.CircuitOpen.class);
  }

  @Test
  void theLeastRecentlyUsedOfTooManyIsForgotten() {
    for (int i = 0; i < Breakers.MOST; i++) {
      call("http://t.example/" + i, DELIVERED);
    }
    call("http://t.example/0", DELIVERED);
    call("http://t.example/new", DELIVERED);

    assertThat(breakers.status())
        .hasSize(Breakers.MOST)
        .extracting(BreakerStatus::target)
        .contains("http://t.example/0", "http://t.example/new")
        .doesNotContain("http://t.example/1");
  }

  @Test
  void theCountsOfATargetDoNotFallWhileOneOfItsUrlsIsRemembered() {
    for (int i = 0; i < Breakers.MOST + 500; i++) {
      call("http://t.example/a?" + i, DELIVERED);
    }

    assertThat(breakers.status())
        .containsExactly(new BreakerStatus(NAME, false, Breakers.MOST + 500, 0, 0));
  }

  @Test
  void whatEndsAfterTheCloseIsNotRecorded() {
    CompletableFuture<Outcome> end = new CompletableFuture<>();
    CompletableFuture<Outcome> outcome = breakers.guard(URL, NAME, () -> end).toCompletableFuture();

    breakers.close();
    end.complete(UNAVAILABLE);

    assertThat(outcome).isCompletedWithValue(UNAVAILABLE);
    assertThat(breakers.status()).containsExactly(new BreakerStatus(NAME, false, 0, 0, 0));
  }

  @Test
  void openingAndClosingAreToldOnceWithoutSecrets() {
    List<String> lines =
        linesDuring(
            () -> {
              call(URL, DELIVERED);
              fail(URL, 9);
              time.advance(Duration.ofSeconds(5));
              fail(URL, 1);
              time.advance(Duration.ofSeconds(5));
              for (int i = 0; i < 4; i++) {
                call(URL, DELIVERED);
              }
            });

    assertThat(lines)
        .containsExactly(
            "WARN event=breaker_opened target=http://t.example/a samples=10 failures=9",
            "INFO event=breaker_closed target=http://t.example/a");
  }

  @Test
  void manyThreadsMayUseIt() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int i = 0; i < 4; i++) {
        threads.execute(
            () -> {
              for (int n = 0; n < 2_000; n++) {
                call("http://t.example/a?" + n % 7, DELIVERED);
                breakers.status();
              }
            });
      }
    } finally {
      threads.shutdown();
    }

    assertThat(threads.awaitTermination(30, SECONDS)).isTrue();
    assertThat(breakers.status()).containsExactly(new BreakerStatus(NAME, false, 8_000, 0, 0));
  }

  private List<String> linesDuring(Runnable actions) {
    Logger logger = (Logger) LoggerFactory.getLogger(Breakers.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    logger.setLevel(Level.INFO);
    try {
      actions.run();
    } finally {
      logger.setLevel(null);
      logger.detachAppender(lines);
    }
    return lines.list.stream()
        .map(line -> line.getLevel() + " " + line.getFormattedMessage())
        .toList();
  }

  private void fail(String url, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(call(url, UNAVAILABLE)).isEqualTo(UNAVAILABLE);
    }
  }

  /** Calls that end at once; the name is the URL without user info and query. */
  private Outcome call(String url, Outcome end) {
    String name = url.replaceAll("\\?.*|[^/]*@", "");
    return breakers
        .guard(
            url,
            name,
            () -> {
              calls.incrementAndGet();
              return CompletableFuture.completedFuture(end);
            })
        .toCompletableFuture()
        .join();
  }
}
