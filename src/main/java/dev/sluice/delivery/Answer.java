package dev.sluice.delivery;

import java.util.Optional;

/**
 * What a target answered.
 *
 * @param status the HTTP status
 * @param retryAfter the value of the Retry-After header
 * @param body the first MiB of the body, what is no UTF-8 as U+FFFD; may be left empty unless the
 *     status is 2xx
 */
record Answer(int status, Optional<String> retryAfter, String body) {

  boolean successful() {
    return status >= 200 && status < 300;
  }

  /** Leaves out the body, which may hold anything. */
  @Override
  public String toString() {
    return "Answer[status=" + status + "]";
  }
}
