package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sluice.delivery.Backoff;
import dev.sluice.delivery.Outcome;
import dev.sluice.router.Disposition.Defer;
import dev.sluice.router.Disposition.Reject;
import dev.sluice.router.Disposition.Release;
import dev.sluice.router.Disposition.RetryInPlace;
import dev.sluice.router.RouterOptions.On5xx;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class DispositionRuleTest {
  private static final DispositionRule RULE = new DispositionRule(true, On5xx.RELEASE, 0);
  private static final DispositionRule WITHOUT_DELAYED_RETURN =
      new DispositionRule(false, On5xx.RELEASE, 0);

  static Stream<JsonNode> curves() throws IOException {
    return vectors("backoff.json");
  }

  @ParameterizedTest
  @MethodSource("curves")
  void eachCurveOfTheVectorsIsKept(JsonNode vector) {
    Backoff curve =
        vector.get("curve").asText().equals("deferred") ? Backoff.DEFERRED : Backoff.RATE_LIMITED;
    long floor = vector.get("floorSeconds").asLong();
    JsonNode expected = vector.get("delayMillisByAttempt");

    for (int attempt = 0; attempt < expected.size(); attempt++) {
      assertThat(curve.delay(attempt, floor).toMillis())
          .as("attempt %d", attempt)
          .isEqualTo(expected.get(attempt).asLong());
    }
  }

  @Test
  void theLargestFloorIsCappedWithoutOverflow() {
    assertThat(Backoff.RATE_LIMITED.delay(0, Long.MAX_VALUE)).isEqualTo(Duration.ofMinutes(5));
    assertThat(Backoff.DEFERRED.delay(Integer.MAX_VALUE, 0)).isEqualTo(Duration.ofSeconds(60));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 30", "2, 30", "3, 30", "4, 60", "5, 120", "6, 240", "7, 480", "8, 900", "9, 900", "99, 900"
  })
  void aReleaseIsDoubledForEachFailureBeyondTheThird(int failures, long seconds) {
    Outcome outcome = new Outcome.Unreachable("refused", 30);

    assertThat(RULE.decide(outcome, 1, failures))
        .isEqualTo(new Release(Duration.ofSeconds(seconds), "refused"));
  }

  @Test
  void aDeferralWithADelayGoesBackAtItsFirstOccurrenceWithExactlyThat() {
    assertThat(RULE.decide(new Outcome.Deferred(4294967295L), 1, 0))
        .isEqualTo(new Defer(Duration.ofSeconds(4294967295L)));
  }

  @ParameterizedTest
  @CsvSource({"1, 45000", "4, 45000", "5, 60000", "9, 60000"})
  void aDeferralWithADelayWaitsInPlaceWhereTheQueueKeepsNoOrderOfDelayed(int calls, long millis) {
    assertThat(WITHOUT_DELAYED_RETURN.decide(new Outcome.Deferred(45), calls, 0))
        .isEqualTo(new RetryInPlace(Duration.ofMillis(millis)));
  }

  @Test
  void theTenthDeferralGoesBackWithItsBackoff() {
    assertThat(RULE.decide(new Outcome.Deferred(0), 9, 0))
        .isEqualTo(new RetryInPlace(Duration.ofSeconds(60)));
    assertThat(RULE.decide(new Outcome.Deferred(0), 10, 0))
        .isEqualTo(new Defer(Duration.ofSeconds(60)));
    assertThat(WITHOUT_DELAYED_RETURN.decide(new Outcome.Deferred(7), 10, 0))
        .isEqualTo(new Defer(Duration.ofSeconds(60)));
  }

  @Test
  void theTenthRateLimitedCallGoesBackWithItsBackoffInWholeSeconds() {
    assertThat(RULE.decide(new Outcome.RateLimited(0), 9, 0))
        .isEqualTo(new RetryInPlace(Duration.ofMillis(25_600)));
    assertThat(RULE.decide(new Outcome.RateLimited(0), 10, 0))
        .isEqualTo(new Release(Duration.ofSeconds(52), "429 on each of 10 calls"));
  }

  @Test
  void otherServerErrorsAreRejectedAtOnceWhereThatIsAskedFor() {
    DispositionRule rule = new DispositionRule(true, On5xx.REJECT, 0);

    assertThat(rule.decide(new Outcome.ProcessError("500", 30), 1, 1))
        .isEqualTo(new Reject("500", false));
    assertThat(rule.decide(new Outcome.Unavailable("503", 30), 1, 1))
        .isEqualTo(new Release(Duration.ofSeconds(30), "503"));
  }

  @Test
  void aMessageIsRejectedAfterAsManyFailuresAsItMayHave() {
    DispositionRule rule = new DispositionRule(true, On5xx.RELEASE, 3);

    assertThat(rule.decide(new Outcome.Unavailable("503", 30), 2, 2))
        .isEqualTo(new Release(Duration.ofSeconds(30), "503"));
    assertThat(rule.decide(new Outcome.Unavailable("503", 30), 3, 3))
        .isEqualTo(new Reject("3 failures, the last: 503", false));
  }

  @Test
  void deferralsAndRateLimitsAreNoFailures() {
    DispositionRule rule = new DispositionRule(true, On5xx.RELEASE, 1);

    assertThat(DispositionRule.isFailure(new Outcome.Deferred(5))).isFalse();
    assertThat(DispositionRule.isFailure(new Outcome.RateLimited(5))).isFalse();
    assertThat(DispositionRule.isFailure(new Outcome.Permanent("400", false))).isFalse();
    assertThat(rule.decide(new Outcome.Deferred(5), 7, 7))
        .isEqualTo(new Defer(Duration.ofSeconds(5)));
  }

  private static Stream<JsonNode> vectors(String file) throws IOException {
    JsonNode all = new ObjectMapper().readTree(new File("fixtures/vectors", file));
    return StreamSupport.stream(all.spliterator(), false);
  }
}
