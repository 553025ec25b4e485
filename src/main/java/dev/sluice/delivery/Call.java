package dev.sluice.delivery;

import dev.sluice.time.Time;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.apache.hc.core5.concurrent.Cancellable;
import org.jspecify.annotations.Nullable;

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

  /** Makes one try; the first here, the next from a timer. */
  void start() {
    if (outcome.isDone()) {
      return;
    }
    tries++;
    try {
      exchange();
    } catch (RuntimeException e) {
      settle(null, e);
    }
  }

  /** Ends the call where it is, as unreachable. */
  void abandon() {
    outcome.complete(unreachable("given up: " + request.target().safe()));
  }

  private void exchange() {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    Cancellable exchange = transport.send(request, request.headers(time.now()), answer);
    Time.Timer deadline =
        time.after(exchangeTimeout, () -> answer.completeExceptionally(new TimeoutException()));
    CompletionStage<Answer> end = answer;
    end.whenComplete(
        (received, failure) -> {
          deadline.cancel();
          if (failure != null) {
            exchange.cancel();
          }
          settle(received, failure);
        });
  }

  private Outcome meaning(@Nullable Answer answer, @Nullable Throwable failure) {
    String target = request.target().safe();
    if (answer != null) {
      try {
        return AnswerClassifier.classify(answer, target);
      } catch (RuntimeException e) {
        // The stage must end, whatever a target comes up with.
        return unreachable(Failure.describe(e) + ": " + target);
      }
    }
    return unreachable((failure == null ? "failed" : Failure.describe(failure)) + ": " + target);
  }

  private void settle(@Nullable Answer answer, @Nullable Throwable failure) {
    Outcome result = meaning(answer, failure);
    if (tries == MAX_TRIES || !AnswerClassifier.isTriedAgain(result)) {
      outcome.complete(result);
      return;
    }
    try {
      time.after(Duration.ofSeconds(tries), this::start);
    } catch (RuntimeException e) {
      // The clock was stopped.
      outcome.complete(result);
    }
  }
}
