package dev.sluice.cli;

/** What the demo's target says to a request. */
enum DemoAnswer {
  ACCEPTED(200, "{\"ack\":true}"),
  LATER(200, "{\"ack\":false,\"delaySeconds\":2}"),
  TOO_MANY(429, ""),
  DOWN(503, ""),
  REFUSED(404, "no such order");

  /**
   * What is asked for later takes its group's time: it should not be the last thing of the demo.
   */
  private static final int EARLY = 800;

  private final int status;
  private final String body;

  DemoAnswer(int status, String body) {
    this.status = status;
    this.body = body;
  }

  int status() {
    return status;
  }

  String body() {
    return body;
  }

  /** Whether the message is done with, one way or the other. */
  boolean isFinal() {
    return this == ACCEPTED || this == REFUSED;
  }

  /**
   * What the target says to a message when it sees it.
   *
   * @param place the message's place in the day, from 0
   * @param before how often it was seen before
   */
  static DemoAnswer to(int place, int before) {
    if (place % 800 == 401) {
      return REFUSED;
    }
    if (place % 160 == 21) {
      return before < 2 ? DOWN : ACCEPTED;
    }
    if (place % 160 == 75) {
      return before < 1 ? TOO_MANY : ACCEPTED;
    }
    if (place % 40 == 30 && place < EARLY) {
      return before < 1 ? LATER : ACCEPTED;
    }
    return ACCEPTED;
  }
}
