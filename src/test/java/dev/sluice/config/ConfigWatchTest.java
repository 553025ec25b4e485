package dev.sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.router.PoolSettings;
import dev.sluice.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfigWatchTest {
  private static final RouterConfig ONE = config(1);
  private static final RouterConfig TWO = config(2);

  private final ManualTime time = new ManualTime(Instant.EPOCH);
  private final List<RouterConfig> applied = new ArrayList<>();
  private final Deque<Runnable> work = new ArrayDeque<>();
  private Object source = ONE;
  private int reads;
  private final ConfigWatch watch = new ConfigWatch(this::load, ONE, applied::add, work::add);

  private static RouterConfig config(int concurrency) {
    return new RouterConfig(List.of(PoolSettings.of("A", concurrency)), List.of());
  }

  private RouterConfig load() {
    reads++;
    if (source instanceof RuntimeException failure) {
      throw failure;
    }
    return (RouterConfig) source;
  }

  private void doTheWork() {
    while (!work.isEmpty()) {
      work.remove().run();
    }
  }

  @Test
  void aNewConfigIsPassedOn() {
    source = TWO;

    watch.reload();
    doTheWork();

    assertThat(applied).containsExactly(TWO);
  }

  @Test
  void anUnchangedOneIsNot() {
    watch.reload();
    doTheWork();
    source = TWO;
    watch.reload();
    doTheWork();
    watch.reload();
    doTheWork();

    assertThat(applied).containsExactly(TWO);
    assertThat(reads).isEqualTo(3);
  }

  @Test
  void aBadOneKeepsTheRunningOne() {
    source = ConfigException.wrong("c.json", "is no JSON");
    watch.reload();
    doTheWork();
    source = new IllegalStateException("ours");
    watch.reload();
    doTheWork();
    source = ONE;
    watch.reload();
    doTheWork();

    assertThat(applied).isEmpty();
    assertThat(reads).isEqualTo(3);
  }

  @Test
  void askedForSeveralTimesBeforeItBeginsItIsReadOnce() {
    watch.reload();
    watch.reload();
    watch.reload();
    doTheWork();

    assertThat(reads).isEqualTo(1);
  }

  @Test
  void itIsReadAtIntervals() {
    watch.every(Duration.ofMinutes(5), time);

    time.advance(Duration.ofSeconds(299));
    doTheWork();
    assertThat(reads).isZero();
    time.advance(Duration.ofSeconds(1));
    doTheWork();
    assertThat(reads).isEqualTo(1);
    source = TWO;
    time.advance(Duration.ofMinutes(5));
    doTheWork();

    assertThat(applied).containsExactly(TWO);
  }

  @Test
  void closedItReadsNoMore() {
    watch.every(Duration.ofMinutes(5), time);
    watch.reload();
    watch.close();
    watch.reload();
    doTheWork();
    time.advance(Duration.ofMinutes(10));
    doTheWork();

    assertThat(reads).isZero();
    assertThat(time.waiting()).isEmpty();
  }
}
