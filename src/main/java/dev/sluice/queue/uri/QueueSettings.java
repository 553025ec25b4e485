package dev.sluice.queue.uri;

import java.time.Duration;
import java.util.Optional;

/**
 * How a queue is to be opened.
 *
 * @param visibility how long a claim holds; zero for the backend's own default
 * @param exclusive whether a group is handled by one at a time across routers; the harel transport
 *     always does that
 * @param eventTarget the URL for harel events that carry no message
 */
public record QueueSettings(Duration visibility, boolean exclusive, Optional<String> eventTarget) {

  /** For a look or a change by hand. */
  public static final QueueSettings DEFAULTS =
      new QueueSettings(Duration.ZERO, false, Optional.empty());
}
