package dev.sluice.queue.uri;

import dev.sluice.queue.QueueException;

/** One line that says what failed, with the cause kept for {@code --debug}. */
final class Failures {
  private Failures() {}

  static QueueException because(String what, Exception cause) {
    String reason = cause.getMessage();
    String detail = cause.getClass().getSimpleName() + (reason == null ? "" : ": " + reason);
    QueueException failure = new QueueException(what + " (" + detail.replace('\n', ' ') + ")");
    failure.initCause(cause);
    return failure;
  }
}
