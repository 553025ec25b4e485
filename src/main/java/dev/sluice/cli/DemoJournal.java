package dev.sluice.cli;

import dev.sluice.queue.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the demo's target saw, in the order in which it saw it. Thread-safe. */
final class DemoJournal {
  private final Map<String, Integer> places = new HashMap<>();
  private final List<Message> published;
  private final Map<String, Integer> seen = new HashMap<>();
  private final List<Entry> entries = new ArrayList<>();

  /**
   * A request.
   *
   * @param group the message's group; its own id where it has none
   */
  record Entry(String id, String group, DemoAnswer answer) {}

  /**
   * What the journal proves.
   *
   * @param requests how many requests there were
   * @param answers how often each answer was given
   * @param delivered messages accepted
   * @param refused messages refused for good
   * @param lost messages neither accepted nor refused
   * @param repeats messages seen again after they were accepted or refused
   * @param outOfOrder requests that came before an earlier message of their group was done with
   */
  record Proof(
      int requests,
      Map<DemoAnswer, Integer> answers,
      int delivered,
      int refused,
      int lost,
      int repeats,
      int outOfOrder) {

    boolean holds() {
      return lost == 0 && repeats == 0 && outOfOrder == 0;
    }
  }

  DemoJournal(List<Message> published) {
    this.published = List.copyOf(published);
    for (int place = 0; place < published.size(); place++) {
      places.put(published.get(place).id(), place);
    }
  }

  /**
   * Writes a request down, and says what the answer is.
   *
   * @throws IllegalArgumentException if nobody published that message
   */
  synchronized DemoAnswer saw(String id) {
    Integer place = places.get(id);
    if (place == null) {
      throw new IllegalArgumentException("unknown message " + id);
    }
    int before = seen.merge(id, 1, Integer::sum) - 1;
    DemoAnswer answer = DemoAnswer.to(place, before);
    entries.add(new Entry(id, published.get(place).messageGroupId().orElse(id), answer));
    return answer;
  }

  synchronized List<Entry> entries() {
    return List.copyOf(entries);
  }

  /** Goes through what was seen. */
  synchronized Proof proof() {
    Map<DemoAnswer, Integer> answers = new LinkedHashMap<>();
    Set<String> done = new HashSet<>();
    Map<String, List<String>> groups = groups();
    int repeats = 0;
    int outOfOrder = 0;
    for (Entry entry : entries) {
      answers.merge(entry.answer(), 1, Integer::sum);
      if (done.contains(entry.id())) {
        repeats++;
      }
      if (!earlierAreDone(entry, groups, done)) {
        outOfOrder++;
      }
      if (entry.answer().isFinal()) {
        done.add(entry.id());
      }
    }
    int refused = answers.getOrDefault(DemoAnswer.REFUSED, 0);
    return new Proof(
        entries.size(),
        answers,
        done.size() - refused,
        refused,
        published.size() - done.size(),
        repeats,
        outOfOrder);
  }

  private Map<String, List<String>> groups() {
    Map<String, List<String>> groups = new HashMap<>();
    for (Message message : published) {
      message
          .messageGroupId()
          .ifPresent(
              group -> groups.computeIfAbsent(group, g -> new ArrayList<>()).add(message.id()));
    }
    return groups;
  }

  private static boolean earlierAreDone(
      Entry entry, Map<String, List<String>> groups, Set<String> done) {
    List<String> group = groups.getOrDefault(entry.group(), List.of());
    int place = Math.max(0, group.indexOf(entry.id()));
    return done.containsAll(group.subList(0, place));
  }
}
