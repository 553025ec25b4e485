package dev.sluice.router;

import dev.sluice.queue.Queue;
import java.time.Duration;

/**
 * A queue that a router takes messages from.
 *
 * @param queue stays its owner's: the router does not close it
 * @param visibility the visibility timeout that it was opened with, 1 s to 12 h; claims that are
 *     still held are extended by it when a third of it is left
 */
public record RoutedQueue(Queue queue, Duration visibility) {
  /** As the Go router has it where nobody says otherwise. */
  public static final Duration DEFAULT_VISIBILITY = Duration.ofMinutes(2);

  private static final Duration LEAST = Duration.ofSeconds(1);
  private static final Duration MOST = Duration.ofHours(12);

  /**
   * @throws IllegalArgumentException if the visibility is out of range
   */
  public RoutedQueue {
    requireVisibility(visibility);
  }

  /**
   * Checks that a router can work with this visibility timeout.
   *
   * @throws IllegalArgumentException if it cannot
   */
  public static void requireVisibility(Duration visibility) {
    if (visibility.compareTo(LEAST) < 0 || visibility.compareTo(MOST) > 0) {
      throw new IllegalArgumentException(
          "visibility: must be from " + LEAST + " to " + MOST + ", was " + visibility);
    }
  }
}
