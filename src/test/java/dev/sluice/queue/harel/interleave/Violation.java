package dev.sluice.queue.harel.interleave;

/** A rule that a schedule broke. */
record Violation(Kind kind, String what) {
  enum Kind {
    /** The server refused a statement: a deadlock, say. */
    FAILED,
    /** A message lies in a group without a row. */
    STRANDED,
    /** A message is gone that nobody acked or rejected, or another is there. */
    LOST,
    /** A message is still there that was acked or rejected. */
    KEPT,
    /** A message was acked or rejected twice. */
    SETTLED_TWICE,
    /** Two hold one group, or a lease that nobody ended is not in force. */
    TWO_HOLDERS,
    /** A claim returned a message after its ack. */
    REDELIVERED,
    /** An ack held though another had claimed the group since. */
    NOT_FENCED,
    /** A claim returned a message before its predecessor was dealt with. */
    OVERTAKEN,
    /** A message is in quarantine behind others that are there no more. */
    BEHIND_NOBODY,
    /** What was left could not be consumed, or not in order. */
    NOT_DRAINED
  }
}
