package dev.sluice.queue.harel.interleave;

import java.util.List;

/**
 * What a schedule left behind.
 *
 * @param quarantine the events in quarantine
 * @param drained what claims and acks returned afterwards, when all leases had lapsed
 */
record EndState(
    List<Message> messages, List<Group> groups, List<String> quarantine, List<Message> drained) {
  EndState {
    messages = List.copyOf(messages);
    groups = List.copyOf(groups);
    quarantine = List.copyOf(quarantine);
    drained = List.copyOf(drained);
  }
}
