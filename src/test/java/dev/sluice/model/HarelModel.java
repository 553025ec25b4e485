package dev.sluice.model;

import dev.sluice.model.HarelUnderTest.Rejection;
import dev.sluice.model.HarelUnderTest.Return;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The three tables of a harel deployment in memory: what each operation does to them.
 *
 * <p>Time is an argument, in epoch seconds. Tokens and seqs are arguments too, for the database and
 * the transport choose them. Not thread-safe.
 */
public final class HarelModel {
  private final Comparator<HarelGroup> longestAgoFirst;
  private final boolean everyPriorityAtZero;
  private final Map<String, HarelGroup> groups = new HashMap<>();
  private final NavigableMap<Long, HarelMessage> messages = new TreeMap<>();
  private final NavigableMap<Long, HarelFailed> quarantine = new TreeMap<>();
  private final Set<Parked> parked = new HashSet<>();

  private record Parked(int process, String group, String token) {}

  /**
   * @param groupOrder how the database sorts the group ids
   * @param everyPriorityAtZero whether a claim from priority 0 takes negative priorities too, as
   *     ours does and the seed does not
   */
  public HarelModel(Comparator<String> groupOrder, boolean everyPriorityAtZero) {
    this.longestAgoFirst =
        Comparator.comparingDouble(HarelGroup::served).thenComparing(HarelGroup::group, groupOrder);
    this.everyPriorityAtZero = everyPriorityAtZero;
  }

  /** The groups, in no order. */
  public List<HarelGroup> groups() {
    return List.copyOf(groups.values());
  }

  /** The messages by seq. */
  public List<HarelMessage> messages() {
    return List.copyOf(messages.values());
  }

  /** The quarantine by seq. */
  public List<HarelFailed> failed() {
    return List.copyOf(quarantine.values());
  }

  /** What anybody may write: the group's row as it is, over the one that is there. */
  public void put(HarelGroup group) {
    groups.put(group.group(), group);
  }

  /** What anybody may write: a message without a look at its group. */
  public void put(HarelMessage message) {
    messages.put(message.seq(), message);
  }

  /** Publishes; a group that has a row keeps it as it is. */
  public void publish(HarelMessage message, int priority) {
    put(message);
    groups.putIfAbsent(message.group(), new HarelGroup(message.group(), null, null, priority));
  }

  /**
   * Claims as that many claims of one group each would, all at the same time; groups found empty
   * are dropped on the way.
   */
  public List<HarelClaim> claim(
      String token, double visibility, int minPriority, int max, double now) {
    List<HarelClaim> claims = new ArrayList<>();
    while (claims.size() < max) {
      Optional<HarelGroup> next = next(minPriority, now);
      if (next.isEmpty()) {
        return claims;
      }
      lease(next.get(), token, now + visibility).ifPresent(claims::add);
    }
    return claims;
  }

  private Optional<HarelGroup> next(int minPriority, double now) {
    return groups.values().stream()
        .filter(group -> group.claimable(now))
        .filter(group -> reaches(group, minPriority))
        .min(longestAgoFirst);
  }

  private boolean reaches(HarelGroup group, int minPriority) {
    return group.priority() >= minPriority || (everyPriorityAtZero && minPriority == 0);
  }

  private Optional<HarelClaim> lease(HarelGroup group, String token, double expiry) {
    Optional<HarelMessage> head = messagesOf(group.group()).stream().findFirst();
    if (head.isEmpty()) {
      groups.remove(group.group());
      return Optional.empty();
    }
    put(group.with(token, expiry));
    HarelReceipt receipt = new HarelReceipt(group.group(), head.get().seq(), token);
    return Optional.of(new HarelClaim(receipt, head.get().event()));
  }

  /** Deletes what the claims hold. */
  public Set<HarelReceipt> ack(List<HarelReceipt> receipts, double now) {
    return staleAfter(receipts, receipt -> remove(receipt, now) != null);
  }

  /** Moves what the claims hold to quarantine. */
  public Set<HarelReceipt> reject(List<Rejection> rejections, double now) {
    Set<HarelReceipt> stale = new HashSet<>();
    for (Rejection rejection : rejections) {
      HarelReceipt receipt = rejection.receipt();
      HarelGroup group = groups.get(receipt.group());
      HarelMessage message = remove(receipt, now);
      if (group == null || message == null) {
        stale.add(receipt);
      } else {
        quarantine(message, rejection.error(), group.priority(), now);
      }
    }
    return stale;
  }

  private void quarantine(HarelMessage message, String error, int priority, double now) {
    quarantine.put(
        message.seq(),
        new HarelFailed(
            message.seq(),
            message.group(),
            message.event(),
            error,
            priority,
            (long) Math.floor(now)));
  }

  private @Nullable HarelMessage remove(HarelReceipt receipt, double now) {
    HarelMessage message = messages.get(receipt.seq());
    if (!holds(receipt) || message == null || !message.group().equals(receipt.group())) {
      return null;
    }
    messages.remove(message.seq());
    free(message.group(), now);
    return message;
  }

  private void free(String group, double now) {
    if (messagesOf(group).isEmpty()) {
      groups.remove(group);
    } else {
      groups.computeIfPresent(group, (id, row) -> row.with(null, now));
    }
  }

  /** Frees the groups of these claims at once, or parks them. */
  public Set<HarelReceipt> nack(int process, List<Return> returns, double now) {
    Set<HarelReceipt> stale = new HashSet<>();
    for (Return returned : returns) {
      HarelReceipt receipt = returned.receipt();
      if (!holds(receipt)) {
        stale.add(receipt);
      } else if (returned.delay() > 0) {
        relock(receipt, receipt.token(), now + returned.delay());
        parked.add(parked(process, receipt));
      } else {
        relock(receipt, null, null);
      }
    }
    return stale;
  }

  /** Lets claims lapse later; a claim that this process parked stays as it is. */
  public Set<HarelReceipt> extend(
      int process, List<HarelReceipt> receipts, double visibility, double now) {
    return staleAfter(receipts, receipt -> extend(process, receipt, now + visibility));
  }

  private boolean extend(int process, HarelReceipt receipt, double expiry) {
    if (!holds(receipt) || parked.contains(parked(process, receipt))) {
      return false;
    }
    relock(receipt, receipt.token(), expiry);
    return true;
  }

  /**
   * Puts messages back under their old seqs; a group without a row gets one with the priority that
   * its message of the lowest seq was quarantined with.
   */
  public int requeue(Collection<Long> seqs) {
    int requeued = 0;
    for (Long seq : new TreeSet<>(seqs)) {
      HarelFailed failed = quarantine.remove(seq);
      if (failed != null) {
        int priority = failed.priority() == null ? 0 : failed.priority();
        publish(new HarelMessage(seq, failed.group(), failed.event()), priority);
        requeued++;
      }
    }
    return requeued;
  }

  // A claim that has lapsed still holds its group until another takes it.
  private boolean holds(HarelReceipt receipt) {
    HarelGroup group = groups.get(receipt.group());
    return group != null && group.heldBy(receipt.token());
  }

  private void relock(HarelReceipt receipt, @Nullable String token, @Nullable Double expiry) {
    groups.computeIfPresent(receipt.group(), (id, row) -> row.with(token, expiry));
  }

  private List<HarelMessage> messagesOf(String group) {
    return messages.values().stream().filter(message -> message.group().equals(group)).toList();
  }

  private static Parked parked(int process, HarelReceipt receipt) {
    return new Parked(process, receipt.group(), receipt.token());
  }

  private static Set<HarelReceipt> staleAfter(
      List<HarelReceipt> receipts, Predicate<HarelReceipt> settle) {
    Set<HarelReceipt> stale = new HashSet<>();
    for (HarelReceipt receipt : receipts) {
      if (!settle.test(receipt)) {
        stale.add(receipt);
      }
    }
    return stale;
  }
}
