package dev.sluice.queue.harel;

import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** The time of statements, which is the database's own, and of this process. Thread-safe. */
final class Clock {
  private final @Nullable DoubleSupplier epochSeconds;

  Clock(@Nullable DoubleSupplier epochSeconds) {
    this.epochSeconds = epochSeconds;
  }

  /** The time to give a statement; null stands for the database's. */
  @Nullable Double injected() {
    return epochSeconds == null ? null : epochSeconds.getAsDouble();
  }

  /** Seconds by which this process measures how long ago something was. */
  double seconds() {
    return epochSeconds == null ? System.nanoTime() / 1e9 : epochSeconds.getAsDouble();
  }
}
