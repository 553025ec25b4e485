package dev.sluice.migrate;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts what happens. Read by other threads where it says so; else not thread-safe. */
final class Tally {
  private static final int EXAMPLES = 5;

  /** Messages moved, for whoever watches. */
  final LongAdder messages = new LongAdder();

  long groups;
  long reordered;
  long delaysLost;
  long idMismatches;
  long failedMoved;
  long prioritiesLost;
  long receiveCountsLost;

  /** What one pass over the source left, and why; begun anew with each. */
  long moved;

  long inFlight;
  long refused;
  long refusedMessages;
  long busy;
  long tooYoung;

  /** Whether producers still write to groups that have moved. */
  boolean arrivals;

  private boolean again;
  private final List<String> notes = new ArrayList<>();
  private final List<String> lostDelays = new ArrayList<>();

  void beginPass(boolean first) {
    again = !first;
    moved = 0;
    inFlight = 0;
    refused = 0;
    refusedMessages = 0;
    busy = 0;
    tooYoung = 0;
    notes.clear();
  }

  void moved(long count) {
    moved += count;
    messages.add(count);
  }

  /** A row came to a group that had moved before. */
  void swept() {
    arrivals |= again;
  }

  void refuse(String group, int messages, String reason) {
    refused++;
    refusedMessages += messages;
    if (refused <= EXAMPLES) {
      notes.add("group '" + group + "' was not moved: " + reason);
    }
  }

  /** A row behind the head of its group was delayed; the target delays heads only. */
  void delayLost(String group, String id) {
    delaysLost++;
    if (delaysLost <= EXAMPLES) {
      lostDelays.add("message '" + id + "' of group '" + group + "' lost its delay");
    }
  }

  void note(String line) {
    notes.add(line);
  }

  /** Whether another look may move more. */
  boolean mayHelpToWait() {
    return inFlight + busy + tooYoung > 0;
  }

  List<String> notes() {
    List<String> all = new ArrayList<>(notes);
    all.addAll(lostDelays);
    note(all, refused - EXAMPLES, "more groups were not moved");
    note(all, inFlight, "in flight at the source");
    note(all, tooYoung, "groups need more seconds than have passed to keep their order");
    note(all, busy, "groups were locked by others");
    note(all, delaysLost, "delays behind the head of a group have no place at the target");
    note(all, idMismatches, "messages have another id in their JSON than in the column");
    note(all, reordered, "messages were given a later second, since their ids do not ascend");
    note(all, prioritiesLost, "groups had a priority, for which the target has no place");
    note(all, receiveCountsLost, "receive counts have no place at the target");
    return all;
  }

  private static void note(List<String> notes, long count, String what) {
    if (count > 0) {
      notes.add(count + " " + what);
    }
  }
}
