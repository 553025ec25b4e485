package dev.sluice.queue.harel;

import java.time.Duration;

/**
 * How a storm is made up.
 *
 * @param workers sessions that claim through the transport under test
 * @param publishers sessions that publish through it
 * @param workersBeside sessions that claim through the other transport
 * @param publishersBeside sessions that publish through the other transport
 * @param groups how many groups the messages are spread over
 * @param messages how many are published, by all publishers together
 * @param backlog how many may wait before publishers pause; few make groups drain all the time,
 *     which is when messages are stranded
 * @param stranded for how long a message may be stranded
 * @param patience how long nothing may be delivered before the rest is given up
 * @param limit how long all of it may take
 */
record HarelStormPlan(
    int workers,
    int publishers,
    int workersBeside,
    int publishersBeside,
    int groups,
    int messages,
    int backlog,
    Duration stranded,
    Duration patience,
    Duration limit) {

  /** Eight sessions of the transport under test, in a few seconds. */
  static final HarelStormPlan ALONE =
      new HarelStormPlan(
          4, 4, 0, 0, 20, 2_000, 20, Duration.ZERO, Duration.ofSeconds(30), Duration.ofMinutes(5));

  /**
   * Half of the publishers and a quarter of the workers are the other transport's. What they strand
   * is restored within 5 s, which a machine that stands still may make many more; patience is for
   * that.
   */
  static final HarelStormPlan BESIDE =
      new HarelStormPlan(
          3,
          2,
          1,
          2,
          20,
          2_000,
          20,
          Duration.ofSeconds(20),
          Duration.ofSeconds(40),
          Duration.ofMinutes(5));

  /** The same where nothing may be stranded for a moment. */
  static final HarelStormPlan GUARDED =
      new HarelStormPlan(
          3, 2, 1, 2, 20, 2_000, 20, Duration.ZERO, Duration.ofSeconds(40), Duration.ofMinutes(5));

  /** This one; as large as {@code -Dsluice.storm.messages=N} says, in 200 groups, where it does. */
  HarelStormPlan asLongAsAskedFor() {
    int asked = Integer.getInteger("sluice.storm.messages", messages);
    return asked == messages ? this : of(200, asked);
  }

  /** The same, given up as soon as nothing was delivered for so long. */
  HarelStormPlan withPatience(Duration other) {
    return new HarelStormPlan(
        workers,
        publishers,
        workersBeside,
        publishersBeside,
        groups,
        messages,
        backlog,
        stranded,
        other,
        limit);
  }

  /** The same sessions on more messages and groups, with the same share of waiting ones. */
  HarelStormPlan of(int moreGroups, int moreMessages) {
    return new HarelStormPlan(
        workers,
        publishers,
        workersBeside,
        publishersBeside,
        moreGroups,
        moreMessages,
        Math.max(1, backlog * moreGroups / groups),
        stranded,
        patience,
        limit.multipliedBy(Math.max(1, moreMessages / messages)));
  }

  boolean isMixed() {
    return workersBeside + publishersBeside > 0;
  }

  int allPublishers() {
    return publishers + publishersBeside;
  }
}
