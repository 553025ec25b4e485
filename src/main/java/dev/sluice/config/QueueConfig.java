package dev.sluice.config;

import dev.sluice.queue.uri.QueueUri;
import java.time.Duration;

/**
 * A queue that a router serves.
 *
 * @param name as producers write it; for the harel tables only what it is called in logs
 * @param uri its database
 * @param connections how many connections it may need, from 1
 * @param visibility how long a claim holds, 1 s to 12 h
 */
public record QueueConfig(String name, QueueUri uri, int connections, Duration visibility) {

  /** The same queue with claims that hold so long. */
  public QueueConfig withVisibility(Duration visibility) {
    return new QueueConfig(name, uri, connections, visibility);
  }
}
