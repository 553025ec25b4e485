package dev.sluice.delivery;

import java.util.Optional;

/** What an answer, or the lack of one, means: the outcome table of the Go router. Pure. */
final class AnswerClassifier {
  /** How long a target that failed is left alone, in seconds. */
  static final int FAILURE_DELAY_SECONDS = 30;

  private static final int DEFAULT_RETRY_AFTER_SECONDS = 30;
  private static final int DEFAULT_FLUSH_SECONDS = 60;
  private static final int MAX_FLUSH_SECONDS = 300;
  private static final int MAX_DIGITS = 18;

  private AnswerClassifier() {}

  /**
   * What an answer means.
   *
   * @param from who gave it, fit for a log
   */
  static Outcome classify(Answer answer, String from) {
    int status = answer.status();
    String reason = status + " from " + from;
    if (status < 200) {
      return new Outcome.Unreachable(reason, FAILURE_DELAY_SECONDS);
    }
    if (status < 300) {
      return success(AnswerBody.read(answer.body()));
    }
    if (status == 429) {
      return new Outcome.RateLimited(seconds(answer.retryAfter()));
    }
    if (status < 500 || status == 501) {
      return new Outcome.Permanent(reason, status == 501);
    }
    if (status >= 502 && status <= 504) {
      return new Outcome.Unavailable(reason, FAILURE_DELAY_SECONDS);
    }
    return new Outcome.ProcessError(reason, FAILURE_DELAY_SECONDS);
  }

  /** Whether an outcome is tried again inside the call before it counts. */
  static boolean isTriedAgain(Outcome outcome) {
    return outcome instanceof Outcome.ProcessError
        || outcome instanceof Outcome.Unavailable
        || outcome instanceof Outcome.Unreachable;
  }

  private static Outcome success(AnswerBody body) {
    if (body.deferred()) {
      return new Outcome.Deferred(body.delaySeconds());
    }
    if (body.flush()) {
      long seconds = body.delaySeconds() == 0 ? DEFAULT_FLUSH_SECONDS : body.delaySeconds();
      return new Outcome.DeliveredAndFlush((int) Math.min(seconds, MAX_FLUSH_SECONDS));
    }
    return new Outcome.Delivered();
  }

  private static long seconds(Optional<String> retryAfter) {
    return retryAfter
        .filter(AnswerClassifier::isNumber)
        .map(Long::parseLong)
        .orElse((long) DEFAULT_RETRY_AFTER_SECONDS);
  }

  private static boolean isNumber(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_DIGITS
        && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }
}
