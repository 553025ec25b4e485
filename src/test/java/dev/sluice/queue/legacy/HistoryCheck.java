package dev.sluice.queue.legacy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.legacy.History.Claim;
import dev.sluice.queue.legacy.History.Published;
import dev.sluice.queue.legacy.History.Settled;
import dev.sluice.queue.legacy.History.Settlement;
import dev.sluice.queue.legacy.History.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Whether a history of several sessions can be one of a queue that keeps its promises. */
public final class HistoryCheck {
  private final History history;
  private final Comparator<Published> oldestFirst;
  private final Map<String, Published> messages = new HashMap<>();
  private final Map<String, List<Claim>> claims = new HashMap<>();
  private final Map<Receipt, List<Settled>> settlements = new HashMap<>();

  /** Of this history as it is now. */
  public HistoryCheck(History history, Comparator<String> idOrder) {
    this.history = history;
    this.oldestFirst =
        Comparator.comparingLong(Published::createdAt).thenComparing(Published::id, idOrder);
    history.published().forEach(message -> messages.put(message.id(), message));
    for (History.Polled poll : history.polls()) {
      for (Delivery delivery : poll.result().deliveries()) {
        claims
            .computeIfAbsent(delivery.brokerId(), id -> new ArrayList<>())
            .add(new Claim(delivery, poll.span()));
        messages.computeIfPresent(delivery.brokerId(), (id, m) -> m.asDelivered(delivery));
      }
    }
    claims.values().forEach(c -> c.sort(Comparator.comparingInt(x -> x.delivery().receives())));
    for (Settled settled : history.settlements()) {
      settlements.computeIfAbsent(settled.receipt(), r -> new ArrayList<>()).add(settled);
    }
  }

  /** Every message ends acked, quarantined or in the table, in one of them only. */
  public void nothingIsLost(Set<String> inTable, Set<String> inQuarantine) {
    Set<String> acked = idsEndedBy(Settlement.ACK);
    assertThat(inQuarantine).as("quarantined").isEqualTo(idsEndedBy(Settlement.REJECT));
    Set<String> all = new HashSet<>(acked);
    all.addAll(inTable);
    all.addAll(inQuarantine);
    assertThat(all).as("all messages").isEqualTo(messages.keySet());
    assertThat(acked.size() + inTable.size() + inQuarantine.size())
        .as("each message once")
        .isEqualTo(all.size());
  }

  private Set<String> idsEndedBy(Settlement kind) {
    return claims.values().stream()
        .flatMap(List::stream)
        .filter(claim -> settled(claim).stream().anyMatch(s -> s.held() && s.kind() == kind))
        .map(claim -> claim.delivery().brokerId())
        .collect(Collectors.toSet());
  }

  /** No claim is settled twice, and none that holds is refused. */
  public void eachClaimIsSettledOnce() {
    for (Settled settled : history.settlements()) {
      if (settled.held()) {
        assertThat(settlements.getOrDefault(settled.receipt(), List.of()))
            .as("settlements of %s that held", settled.receipt())
            .filteredOn(s -> s.held() && s.kind() != Settlement.EXTEND)
            .hasSizeLessThanOrEqualTo(1);
      }
    }
    claims.values().forEach(this::refusedOnlyWhenOver);
  }

  private void refusedOnlyWhenOver(List<Claim> ofOneMessage) {
    for (int i = 0; i < ofOneMessage.size(); i++) {
      Claim claim = ofOneMessage.get(i);
      for (Settled refused : settled(claim)) {
        boolean over =
            settled(claim).stream()
                .anyMatch(
                    s ->
                        s.held()
                            && s.kind() != Settlement.EXTEND
                            && s.span().mayHaveBegunBefore(refused.span()));
        boolean claimedAnew =
            i + 1 < ofOneMessage.size()
                && ofOneMessage.get(i + 1).span().mayHaveBegunBefore(refused.span());
        assertThat(refused.held() || over || claimedAnew)
            .as("%s of %s was refused although the claim held", refused.kind(), claim)
            .isTrue();
      }
    }
  }

  /** Receives count 1, 2, 3 ... from what the row had; the row keeps the last. */
  public void everyClaimIsCounted(
      Map<String, Integer> receivesBefore, Map<String, Integer> inTable) {
    claims.forEach(
        (id, ofOneMessage) -> {
          int before = receivesBefore.getOrDefault(id, 0);
          assertThat(ofOneMessage.stream().map(claim -> claim.delivery().receives()))
              .as("receive counts of %s", id)
              .containsExactlyElementsOf(
                  IntStream.rangeClosed(before + 1, before + ofOneMessage.size()).boxed().toList());
          assertThat(inTable.getOrDefault(id, before + ofOneMessage.size()))
              .as("receive_count of %s at the end", id)
              .isEqualTo(before + ofOneMessage.size());
        });
  }

  /** A message is claimed anew only after it was handed back or its claim lapsed. */
  public void noMessageHasTwoHolders() {
    for (List<Claim> ofOneMessage : claims.values()) {
      for (int i = 1; i < ofOneMessage.size(); i++) {
        Claim first = ofOneMessage.get(i - 1);
        Claim second = ofOneMessage.get(i);
        assertThat(mayBeHandedBackBefore(first, second) || mayHaveLapsedBefore(first, second))
            .as("%s was claimed while %s held", second, first)
            .isTrue();
      }
    }
  }

  private boolean mayBeHandedBackBefore(Claim first, Claim second) {
    return settled(first).stream()
        .anyMatch(
            s ->
                s.held()
                    && s.kind() == Settlement.HAND_BACK
                    && s.span().mayHaveBegunBefore(second.span()));
  }

  private boolean mayHaveLapsedBefore(Claim first, Claim second) {
    long lapses = first.delivery().visibleAt().getEpochSecond();
    for (Settled s : settled(first)) {
      if (s.kind() == Settlement.EXTEND && s.held() && s.span().certainlyBefore(second.span())) {
        lapses = Math.max(lapses, s.span().secondFrom() + s.extendedBySeconds());
      }
    }
    return lapses <= second.span().secondTo();
  }

  /** After its ack or reject a message is not delivered again. */
  public void whatIsSettledStaysSettled() {
    for (List<Claim> ofOneMessage : claims.values()) {
      for (Claim claim : ofOneMessage) {
        for (Settled s : settled(claim)) {
          if (s.held() && ends(s)) {
            assertThat(ofOneMessage)
                .as("claims of a message after its %s", s)
                .noneMatch(later -> s.span().certainlyBefore(later.span()));
          }
        }
      }
    }
  }

  /** A poll takes one message of a group at most, oldest first. */
  public void aPollTakesHeadsInOrder() {
    aPollTakesHeads();
    for (History.Polled poll : history.polls()) {
      assertThat(taken(poll)).isSortedAccordingTo(oldestFirst);
    }
  }

  /** A poll takes one message of a group at most. */
  public void aPollTakesHeads() {
    for (History.Polled poll : history.polls()) {
      assertThat(taken(poll)).extracting(Published::claimGroup).doesNotHaveDuplicates();
    }
  }

  private List<Published> taken(History.Polled poll) {
    return poll.result().deliveries().stream().map(d -> message(d.brokerId())).toList();
  }

  /** Nothing is claimed past an earlier message of its group that certainly waits. */
  public void nothingOvertakesAWaitingMessage() {
    forEachClaimAndEarlierMessage(
        (claim, earlier) -> {
          Span waiting = waitingAround(earlier, claim.span());
          if (waiting.from() < claim.span().from() && claim.span().to() < waiting.to()) {
            fail("%s overtook %s, which waited from %s", claim, earlier, waiting);
          }
        });
  }

  /** The time in which the message certainly was in the queue and in nobody's hands. */
  private Span waitingAround(Published message, Span moment) {
    long since = message.span().to();
    long until = Long.MAX_VALUE;
    TreeMap<Long, Long> idle = new TreeMap<>();
    List<Claim> own = claims.getOrDefault(message.id(), List.of());
    for (Claim claim : own) {
      until = claim.span().from();
      idle.put(since, until);
      since =
          settled(claim).stream()
              .filter(s -> s.held() && s.kind() == Settlement.HAND_BACK)
              .mapToLong(s -> s.span().to())
              .findFirst()
              .orElse(Long.MAX_VALUE);
      until = Long.MAX_VALUE;
    }
    idle.put(since, until);
    Map.Entry<Long, Long> around = idle.floorEntry(moment.from());
    return around == null
        ? new Span(0, 0, 0, 0)
        : new Span(around.getKey(), around.getValue(), 0, 0);
  }

  /** With exclusive groups a message goes out only when every earlier one is gone for good. */
  public void groupsAreFirstInFirstOut() {
    forEachClaimAndEarlierMessage(
        (claim, earlier) -> {
          boolean gone =
              claims.getOrDefault(earlier.id(), List.of()).stream()
                  .flatMap(c -> settled(c).stream())
                  .anyMatch(s -> s.held() && ends(s) && s.span().mayHaveBegunBefore(claim.span()));
          boolean there = earlier.span().certainlyBefore(claim.span());
          assertThat(gone || !there)
              .as("%s went out although %s was there", claim, earlier)
              .isTrue();
        });
  }

  /** With exclusive groups, two claims of a group do not overlap while both hold. */
  public void noGroupHasTwoHolders() {
    Map<String, List<Claim>> byGroup =
        claims.values().stream()
            .flatMap(List::stream)
            .collect(Collectors.groupingBy(claim -> claim.delivery().claimGroup()));
    for (List<Claim> ofOneGroup : byGroup.values()) {
      for (Claim one : ofOneGroup) {
        for (Claim two : ofOneGroup) {
          if (!one.equals(two) && overlap(one, two) && !mayHaveLapsed(one, two)) {
            fail("%s and %s held the same group", one, two);
          }
        }
      }
    }
  }

  private boolean overlap(Claim one, Claim two) {
    return one.span().to() < releasedFrom(two) && two.span().to() < releasedFrom(one);
  }

  private boolean mayHaveLapsed(Claim one, Claim two) {
    return mayHaveLapsedBefore(one, two) || mayHaveLapsedBefore(two, one);
  }

  private long releasedFrom(Claim claim) {
    return settled(claim).stream()
        .filter(s -> s.held() && s.kind() != Settlement.EXTEND)
        .mapToLong(s -> s.span().from())
        .findFirst()
        .orElse(Long.MAX_VALUE);
  }

  private interface Pair {
    void check(Claim claim, Published earlier);
  }

  private void forEachClaimAndEarlierMessage(Pair pair) {
    Map<String, List<Published>> groups =
        messages.values().stream().collect(Collectors.groupingBy(Published::claimGroup));
    for (List<Claim> ofOneMessage : claims.values()) {
      for (Claim claim : ofOneMessage) {
        Published message = message(claim.delivery().brokerId());
        groups.getOrDefault(message.claimGroup(), List.of()).stream()
            .filter(other -> oldestFirst.compare(other, message) < 0)
            .forEach(earlier -> pair.check(claim, earlier));
      }
    }
  }

  private static boolean ends(Settled s) {
    return s.kind() == Settlement.ACK || s.kind() == Settlement.REJECT;
  }

  private List<Settled> settled(Claim claim) {
    return settlements.getOrDefault(claim.delivery().receipt(), List.of());
  }

  private Published message(String id) {
    Published message = messages.get(id);
    if (message == null) {
      throw new AssertionError("a message that nobody published: " + id);
    }
    return message;
  }
}
