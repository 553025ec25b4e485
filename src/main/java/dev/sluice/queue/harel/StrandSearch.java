package dev.sluice.queue.harel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides where to look for messages whose group has no row, and when such a group gets one.
 *
 * <p>Only a publish that races with the deletion of its group's row strands a message, so new
 * messages are looked at, each a few times: when they are first seen, with growing pauses, and once
 * more when every transaction is over that could still commit one of them or delete its group. That
 * costs as much as was published since, whatever the backlog, and of a great many published at once
 * each look takes a share. What was stranded before this process began is found by a sweep over all
 * groups, in small steps.
 *
 * <p>A group is restored only when it was seen without a row for two seconds: a publisher that
 * commits its message before its group is under way, and names the group's priority. Not safe for
 * use by many threads; times are seconds.
 */
final class StrandSearch {
  private static final double GRACE = 2;
  private static final double SHORTEST_GAP = 1;
  private static final double LONGEST_GAP = 60;
  private static final double BETWEEN_SWEEPS = 60;
  private static final int MOST_RANGES = 64;

  /** How many messages are looked at at a time. */
  private static final long AT_A_TIME = 50_000;

  // Where seqs were left out by millions, or come faster than that, a look takes more.
  private static final int SHARES = 16;

  /**
   * How far below the newest message one may be that a publisher has not committed at the start.
   */
  private static final long UNCOMMITTED_AT_START = 10_000;

  private final List<Range> ranges = new ArrayList<>();
  private final Map<String, Double> suspects = new LinkedHashMap<>();
  private boolean begun;
  private long seen;
  private long lastSeq;
  private long oldestTransaction;
  private boolean sweeping = true;
  private boolean sweptOnce;
  private double nextSweep;

  /** Messages that came into view together. */
  private static final class Range {
    private final long from;
    private final long to;
    private long untilOver;
    private boolean publishersOver;
    private double gap = SHORTEST_GAP;
    private double next;

    Range(long from, long to, long untilOver, double next) {
      this.from = from;
      this.to = to;
      this.untilOver = untilOver;
      this.next = next;
    }
  }

  /** Seqs to look at, ends included. */
  record Part(long from, long to) {}

  /**
   * What one look found, all in one snapshot.
   *
   * @param oldestTransaction every transaction before it was over
   * @param nextTransaction no transaction from it on had begun
   * @param lastSeq the newest message
   * @param stranded groups without a row
   */
  record Look(long oldestTransaction, long nextTransaction, long lastSeq, List<String> stranded) {
    Look {
      stranded = List.copyOf(stranded);
    }
  }

  /** The seqs to look at now. */
  List<Part> due(double now) {
    List<Part> parts = new ArrayList<>();
    dueRanges(now).forEach(range -> parts.add(new Part(range.from, range.to)));
    if (begun) {
      parts.add(new Part(seen + 1, seen + share()));
    }
    return parts;
  }

  private long share() {
    return Math.max(AT_A_TIME, (lastSeq - seen) / SHARES);
  }

  /** Those that wait longest first, as many as one look takes. */
  private List<Range> dueRanges(double now) {
    List<Range> due = new ArrayList<>();
    long messages = 0;
    for (Range range :
        ranges.stream()
            .filter(each -> now >= each.next || oldestTransaction >= each.untilOver)
            .sorted(Comparator.comparingDouble(each -> each.next))
            .toList()) {
      messages += range.to - range.from + 1;
      if (!due.isEmpty() && messages > AT_A_TIME) {
        break;
      }
      due.add(range);
    }
    return due;
  }

  /** Takes in what a look at {@link #due} found. */
  void looked(double now, Look look) {
    for (Range range : dueRanges(now)) {
      if (look.oldestTransaction < range.untilOver) {
        range.gap = Math.min(2 * range.gap, LONGEST_GAP);
        range.next = now + range.gap;
      } else if (range.publishersOver) {
        ranges.remove(range);
      } else {
        // All of its messages are in view; an ack that did not see one of them may be under way.
        range.publishersOver = true;
        range.untilOver = look.nextTransaction;
        range.gap = SHORTEST_GAP;
        range.next = now + range.gap;
      }
    }
    oldestTransaction = look.oldestTransaction;
    long from = begun ? seen + 1 : Math.max(0, look.lastSeq - UNCOMMITTED_AT_START);
    long to = begun ? Math.min(look.lastSeq, seen + share()) : look.lastSeq;
    if (to >= from) {
      ranges.add(new Range(from, to, look.nextTransaction, now + SHORTEST_GAP));
      mergeOldest();
    }
    seen = begun ? Math.max(seen, to) : to;
    lastSeq = look.lastSeq;
    begun = true;
    suspect(now, look.stranded);
  }

  private void mergeOldest() {
    if (ranges.size() > MOST_RANGES) {
      Range first = ranges.remove(0);
      Range second = ranges.remove(0);
      Range both =
          new Range(
              first.from,
              second.to,
              Math.max(first.untilOver, second.untilOver),
              Math.max(first.next, second.next));
      both.gap = Math.max(first.gap, second.gap);
      both.publishersOver = first.publishersOver && second.publishersOver;
      ranges.add(0, both);
    }
  }

  /** Whether the sweep has a step to make. */
  boolean isSweepDue(double now) {
    if (!sweeping && now >= nextSweep) {
      sweeping = true;
    }
    return sweeping;
  }

  /**
   * Takes in a step of the sweep.
   *
   * @param last whether it was the last one
   */
  void swept(double now, List<String> stranded, boolean last) {
    suspect(now, stranded);
    if (last) {
      sweeping = false;
      sweptOnce = true;
      nextSweep = now + BETWEEN_SWEEPS;
    }
  }

  private void suspect(double now, List<String> groups) {
    groups.forEach(group -> suspects.putIfAbsent(group, now));
  }

  /** Groups that were without a row for long enough; they are suspects no more. */
  List<String> takeOverdue(double now) {
    List<String> overdue = new ArrayList<>();
    suspects.forEach(
        (group, since) -> {
          if (now - since >= GRACE) {
            overdue.add(group);
          }
        });
    overdue.forEach(suspects::remove);
    return overdue;
  }

  /** Whether groups without a row may be there that are not restored yet. */
  boolean isInDoubt() {
    return !sweptOnce || seen < lastSeq || !suspects.isEmpty();
  }
}
