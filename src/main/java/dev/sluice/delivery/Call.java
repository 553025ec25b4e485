package dev.sluice.delivery;

import dev.sluice.time.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.apache.hc.core5.concurrent.Cancellable;

/** The tries of one request, one after the other, up to an outcome that counts. */
final class Call {
  private static final int MAX_TRIES = 3;

  private final Request request;
  private final HttpTransport transport;
  private final Time time;
  private final Duration exchangeTimeout;
  private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
  private int tries;

  Call(Request request, HttpTransport transport, Time time, Duration exchangeTimeout) {
    this.request = request;
    this.transport = transport;
    this.time = time;
    this.exchangeTimeout = exchangeTimeout;
  }

  static Outcome unreachable(String reason) {
    return new Outcome.Unreachable(reason, AnswerClassifier.FAILURE_DELAY_SECONDS);
  }

  /** Completes when the call is over; never fails. */
  CompletionStage<Outcome> outcome() {
    return outcome;
  }

  void start() {
    tries++;
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    onEnd(answer, () -> settle(meaning(answer)));
    try {
      limit(answer, transport.send(request, request.headers(time.now()), answer));
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
    }
  }

  /** Ends the call where it is, as unreachable. */
  void abandon() {
    outcome.complete(unreachable("given up: " + request.target().safe()));
  }

  private void limit(CompletableFuture<Answer> answer, Cancellable exchange) {
    onEnd(
        answer,
        () -> {
          if (answer.isCompletedExceptionally()) {
            exchange.cancel();
          }
        });
    Time.Timer deadline =
        time.after(exchangeTimeout, () -> answer.completeExceptionally(new TimeoutException()));
    onEnd(answer, deadline::cancel);
  }

  private Outcome meaning(CompletableFuture<Answer> ended) {
    String target = request.target().safe();
    try {
      return AnswerClassifier.classify(ended.join(), target);
    } catch (RuntimeException e) {
      return unreachable(Failure.describe(e) + ": " + target);
    }
  }

  private void settle(Outcome result) {
    if (tries == MAX_TRIES || !AnswerClassifier.isTriedAgain(result) || outcome.isDone()) {
      outcome.complete(result);
      return;
    }
    try {
      Time.Timer retry = time.after(Duration.ofSeconds(tries), this::start);
      onEnd(outcome, retry::cancel);
    } catch (RuntimeException e) {
      // The clock was stopped.
      outcome.complete(result);
    }
  }

  private static void onEnd(CompletionStage<?> stage, Runnable task) {
    stage.whenComplete((result, failure) -> task.run());
  }
}
