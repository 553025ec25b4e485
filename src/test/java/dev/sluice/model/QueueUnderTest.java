package dev.sluice.model;

import dev.sluice.queue.Queue;
import java.time.Duration;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/** Opens a backend of {@code queue_messages} as the tests need it. */
@FunctionalInterface
public interface QueueUnderTest {

  /**
   * Opens one queue. Closing it leaves the data source open.
   *
   * @param dataSource where both tables exist
   * @param queueName which queue
   * @param epochSeconds the time by which it claims, hands back, publishes and quarantines; may be
   *     asked by many threads
   * @param visibility how long a claim holds; zero and less mean 30 seconds
   * @param exclusiveGroups whether one message of a group is in flight at most
   */
  Queue open(
      DataSource dataSource,
      String queueName,
      LongSupplier epochSeconds,
      Duration visibility,
      boolean exclusiveGroups);
}
