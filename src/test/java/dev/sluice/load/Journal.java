package dev.sluice.load;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * What targets saw, and when. Ids are as {@link Orders} makes them. Safe for use by many threads.
 */
final class Journal {

  /**
   * A call of a target.
   *
   * @param number how often this message had been called when this call was over, from 1
   * @param from when it began, in nanoseconds
   * @param to when it was answered
   * @param taken whether the target took the message
   */
  record Call(String id, int number, long from, long to, boolean taken) {
    String group() {
      return Orders.group(id);
    }
  }

  /** A call that is not answered yet. */
  final class Running {
    private final String id;
    private final int number;
    private final long from = System.nanoTime();

    private Running(String id) {
      this.id = id;
      this.number = numbers.computeIfAbsent(id, i -> new AtomicInteger()).incrementAndGet();
      running.incrementAndGet();
    }

    int number() {
      return number;
    }

    void answered(boolean taken) {
      running.decrementAndGet();
      if (taken) {
        delivered.add(id);
      }
      calls.add(new Call(id, number, from, System.nanoTime(), taken));
    }
  }

  private final Map<String, AtomicInteger> numbers = new ConcurrentHashMap<>();
  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private final Set<String> delivered = ConcurrentHashMap.newKeySet();
  private final AtomicInteger running = new AtomicInteger();

  /** A call comes in. */
  Running called(String id) {
    return new Running(id);
  }

  /** How many messages were called, if only once. */
  int seen() {
    return numbers.size();
  }

  /** How many calls are not answered yet. */
  int running() {
    return running.get();
  }

  /** How many messages were taken. */
  int delivered() {
    return delivered.size();
  }

  boolean isDelivered(String id) {
    return delivered.contains(id);
  }

  Set<String> deliveredIds() {
    return Set.copyOf(delivered);
  }

  /** All answered calls in the order in which they began. */
  List<Call> calls() {
    List<Call> all = new ArrayList<>(calls);
    all.sort(Comparator.comparingLong(Call::from));
    return all;
  }

  /** Messages that were taken more than once. */
  Set<String> takenTwice() {
    Set<String> once = new HashSet<>();
    Set<String> twice = new HashSet<>();
    calls.stream().filter(Call::taken).filter(c -> !once.add(c.id)).forEach(c -> twice.add(c.id));
    return twice;
  }

  /** Calls that began while another one of the same message was running. */
  List<Call> simultaneousOfOneMessage() {
    return simultaneous(Call::id);
  }

  /** Calls that began while another one of the same group was running. */
  List<Call> simultaneousOfOneGroup(Set<String> groups) {
    return simultaneous(Call::group).stream().filter(c -> groups.contains(c.group())).toList();
  }

  private List<Call> simultaneous(Function<Call, String> key) {
    Map<String, Long> ends = new HashMap<>();
    List<Call> wrong = new ArrayList<>();
    for (Call call : calls()) {
      if (call.from < ends.getOrDefault(key.apply(call), Long.MIN_VALUE)) {
        wrong.add(call);
      }
      ends.merge(key.apply(call), call.to, Math::max);
    }
    return wrong;
  }

  /**
   * Calls of these groups that were not of the first message which had not been taken; the groups
   * are as they were published.
   */
  List<Call> outOfTurn(Map<String, List<String>> groups) {
    Map<String, Integer> next = new HashMap<>();
    List<Call> wrong = new ArrayList<>();
    for (Call call : calls()) {
      List<String> ids = groups.get(call.group());
      if (ids == null) {
        continue;
      }
      int turn = next.getOrDefault(call.group(), 0);
      if (turn >= ids.size() || !ids.get(turn).equals(call.id)) {
        wrong.add(call);
      } else if (call.taken) {
        next.put(call.group(), turn + 1);
      }
    }
    return wrong;
  }

  /** The messages of each group in the order in which they were called first. */
  Map<String, List<String>> firstSeen() {
    Set<String> seen = new HashSet<>();
    Map<String, List<String>> groups = new HashMap<>();
    for (Call call : calls()) {
      if (seen.add(call.id)) {
        groups.computeIfAbsent(call.group(), g -> new ArrayList<>()).add(call.id);
      }
    }
    return groups;
  }
}
