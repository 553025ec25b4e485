package dev.sluice.queue.legacy;

import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;

/**
 * How far the polls of one queue have come on their round from group to group, and whether they
 * have been everywhere since one last found something: at the front and at all groups. Thread-safe.
 */
final class GroupRound {
  /** The order of groups is that of their hashes; a round of each kind begins anywhere. */
  enum Kind {
    IDLE,
    LAPSED
  }

  private static final class Lap {
    private long next = Long.MIN_VALUE;
    private long begunAt = Long.MIN_VALUE;
    private boolean wrapped;
    private boolean over;

    void begin() {
      begunAt = next;
      wrapped = false;
      over = false;
    }

    void to(long hash, boolean end) {
      over |= wrapped && (end || hash >= begunAt);
      if (end) {
        over |= begunAt == Long.MIN_VALUE;
        wrapped = true;
      }
      next = end ? Long.MIN_VALUE : hash;
    }
  }

  private final Map<Kind, Lap> laps = new EnumMap<>(Kind.class);
  private boolean beenAtFront;

  GroupRound() {
    for (Kind kind : Kind.values()) {
      laps.put(kind, new Lap());
    }
  }

  /** Where to go on. */
  synchronized long next(Kind kind) {
    return lap(kind).next;
  }

  /**
   * Some groups were looked at.
   *
   * @param from where that began; if another poll has gone on from there meanwhile, this one says
   *     nothing new
   * @param last the last hash that was looked at
   * @param end whether there is none behind it
   */
  synchronized void lookedAt(Kind kind, long from, long last, boolean end) {
    Lap lap = lap(kind);
    if (lap.next == from) {
      boolean atEnd = end || last == Long.MAX_VALUE;
      lap.to(atEnd ? Long.MIN_VALUE : last + 1, atEnd);
    }
  }

  /** A walk from the oldest row on has found too little. */
  synchronized void lookedAtFront() {
    beenAtFront = true;
  }

  /** Something was claimed: whatever was found empty before that proves nothing now. */
  synchronized void beginAnew() {
    laps.values().forEach(Lap::begin);
    beenAtFront = false;
  }

  /** Whether the front and all groups were looked at since all began; then it begins anew. */
  synchronized boolean hasBeenEverywhere(Collection<Kind> kinds) {
    boolean everywhere = beenAtFront && kinds.stream().allMatch(this::isOver);
    if (everywhere) {
      beginAnew();
    }
    return everywhere;
  }

  /** Whether all groups were looked at since a lap began. */
  synchronized boolean isOver(Kind kind) {
    return lap(kind).over;
  }

  private Lap lap(Kind kind) {
    Lap lap = laps.get(kind);
    if (lap == null) {
      throw new IllegalStateException("no lap of kind " + kind);
    }
    return lap;
  }
}
