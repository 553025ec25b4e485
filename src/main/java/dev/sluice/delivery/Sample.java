package dev.sluice.delivery;

/** What a call tells the breaker of its target: the last column of the outcome table. */
enum Sample {
  SUCCESS,
  FAILURE,
  /** Nothing, one way or the other. */
  NONE;

  /**
   * What the outcome of a call that was made tells.
   *
   * @param outcome a permanent one is an answer, since what cannot be called never gets this far
   */
  static Sample of(Outcome outcome) {
    if (outcome instanceof Outcome.Delivered
        || outcome instanceof Outcome.DeliveredAndFlush
        || outcome instanceof Outcome.Permanent) {
      return SUCCESS;
    }
    if (outcome instanceof Outcome.ProcessError
        || outcome instanceof Outcome.Unavailable
        || outcome instanceof Outcome.Unreachable) {
      return FAILURE;
    }
    return NONE;
  }
}
