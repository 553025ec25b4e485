package dev.sluice.monitor;

import dev.sluice.router.RouterStatus;
import java.util.Optional;

/** What is known of the router when somebody looks. */
sealed interface View {

  /** It was not handed over yet: the database is waited for, say. */
  record Starting() implements View {}

  /** It does not answer. */
  record Silent() implements View {}

  /** It answers. */
  record Seen(RouterStatus status) implements View {}

  /** What it answered, if it did. */
  default Optional<RouterStatus> answered() {
    return this instanceof Seen seen ? Optional.of(seen.status()) : Optional.empty();
  }
}
