package dev.sluice.queue.legacy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
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
  private boolean turned;
  private long begun;

  /**
   * Where a look at groups begins.
   *
   * @param begun how often all had begun anew by then
   */
  record Stop(long hash, long begun) {}

  GroupRound() {
    for (Kind kind : Kind.values()) {
      laps.put(kind, new Lap());
    }
  }

  /** Where to go on. */
  synchronized Stop next(Kind kind) {
    return new Stop(lap(kind).next, begun);
  }

  /** These kinds, each of them first in its turn: the first may leave nothing for the others. */
  synchronized List<Kind> inTurn(List<Kind> kinds) {
    List<Kind> inTurn = new ArrayList<>(kinds);
    turned = !turned;
    if (turned) {
      Collections.reverse(inTurn);
    }
    return inTurn;
  }

  /**
   * Some groups were looked at.
   *
   * @param from where that began; if another poll has gone on from there meanwhile, this one says
   *     nothing new
   * @param last the last hash that was looked at
   * @param end whether there is none behind it
   */
  synchronized void lookedAt(Kind kind, Stop from, long last, boolean end) {
    Lap lap = lap(kind);
    if (lap.next == from.hash()) {
      boolean atEnd = end || last == Long.MAX_VALUE;
      lap.to(atEnd ? Long.MIN_VALUE : last + 1, atEnd);
      if (begun != from.begun()) {
        // It may not have seen what another poll has claimed since.
        lap.begin();
      }
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
    begun++;
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
