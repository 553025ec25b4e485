package dev.sluice.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.Patience;
import dev.sluice.time.ManualTime;
import dev.sluice.time.SystemTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class ProbeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final ManualTime time = new ManualTime(Instant.EPOCH);
  private final Deque<Runnable> begun = new ArrayDeque<>();

  @Test
  void theSourceAnswers() {
    assertThat(new Probe<>(() -> "yes", PATIENCE, time, Runnable::run).ask()).contains("yes");
    assertThat(time.waiting()).isEmpty();
  }

  @Test
  void aSourceThatThrowsIsNoAnswer() {
    Probe<String> probe =
        new Probe<>(
            () -> {
              throw new IllegalStateException("stopped");
            },
            PATIENCE,
            time,
            Runnable::run);

    assertThat(probe.ask()).isEmpty();
    assertThat(probe.ask()).isEmpty();
  }

  @Test
  void aSourceThatHangsIsWaitedForOnceAndAskedOnce() {
    Probe<String> probe = new Probe<>(() -> "late", PATIENCE, time, begun::add);
    CompletableFuture<Optional<String>> asked = CompletableFuture.supplyAsync(probe::ask);
    Patience.await().until(() -> time.waiting().equals(List.of(PATIENCE)));
    time.advance(PATIENCE);

    assertThat(asked.join()).isEmpty();
    assertThat(probe.ask()).isEmpty();
    assertThat(begun).hasSize(1);
  }

  @Test
  void aSourceThatComesBackIsAskedAgain() {
    Probe<String> probe = new Probe<>(() -> "late", PATIENCE, time, begun::add);
    CompletableFuture<Optional<String>> asked = CompletableFuture.supplyAsync(probe::ask);
    Patience.await().until(() -> !time.waiting().isEmpty());
    time.advance(PATIENCE);
    Optional<String> unused = asked.join();
    begun.remove().run();

    CompletableFuture<Optional<String>> again = CompletableFuture.supplyAsync(probe::ask);
    Patience.await().until(() -> !time.waiting().isEmpty());
    begun.remove().run();

    assertThat(again.join()).contains("late");
  }

  @Test
  void whenTheProcessEndsThereIsNoAnswer() {
    Probe<String> probe =
        new Probe<>(
            () -> "yes",
            PATIENCE,
            time,
            task -> {
              throw new RejectedExecutionException();
            });

    assertThat(probe.ask()).isEmpty();
    assertThat(probe.ask()).isEmpty();
  }

  @Test
  void whenTheClockHasStoppedThereIsNoAnswer() {
    SystemTime stopped = new SystemTime();
    stopped.close();
    Probe<String> probe = new Probe<>(() -> "yes", PATIENCE, stopped, Runnable::run);

    assertThat(probe.ask()).isEmpty();
    assertThat(probe.ask()).isEmpty();
  }
}
