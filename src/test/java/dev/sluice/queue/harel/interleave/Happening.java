package dev.sluice.queue.harel.interleave;

/**
 * What a committed operation did to one message or group.
 *
 * @param message what it was done to; without an event where only the group matters
 * @param token the lease under which it was done, empty for a publish
 * @param begun the turn in which its request was sent
 * @param returned the turn in which its answer came
 * @param committed the turn in which its transaction ended
 */
record Happening(Kind kind, Message message, String token, int begun, int returned, int committed) {
  enum Kind {
    PUBLISHED,
    CLAIMED,
    ACKED,
    /** The seed's ack, which does not say whether the token still held. */
    ACK_SENT,
    NACKED,
    EXTENDED,
    REJECTED,
    REQUEUED,
    /** Taken out of quarantine for good. */
    DISCARDED
  }

  boolean is(Kind first, Kind... others) {
    for (Kind other : others) {
      if (kind == other) {
        return true;
      }
    }
    return kind == first;
  }

  boolean endsLease() {
    return is(Kind.ACKED, Kind.ACK_SENT, Kind.NACKED, Kind.REJECTED);
  }

  String group() {
    return message.group();
  }
}
