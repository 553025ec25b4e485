package dev.sluice.queue.harel.interleave;

import dev.sluice.queue.harel.interleave.Happening.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What must be true of every outcome, whoever ran beside whom. */
final class HarelRules {
  private final Outcome outcome;
  private final EndState end;
  private final List<Violation> violations = new ArrayList<>();

  private HarelRules(Outcome outcome) {
    this.outcome = outcome;
    end = outcome.end();
  }

  static List<Violation> check(Outcome outcome) {
    return new HarelRules(outcome).check();
  }

  private List<Violation> check() {
    outcome.failures().forEach(failure -> broken(Violation.Kind.FAILED, failure));
    nothingIsStranded();
    exactlyTheSettledAreGone();
    quarantineHoldsTheRejected();
    eachGroupHasOneHolder();
    noAckedMessageIsClaimed();
    acksOfEarlierHoldersDoNotHold();
    headsGoFirst();
    theRestDrainsInOrder();
    return violations;
  }

  private void nothingIsStranded() {
    end.messages().stream()
        .filter(message -> !hasGroup(message))
        .forEach(message -> broken(Violation.Kind.STRANDED, message));
  }

  private boolean hasGroup(Message message) {
    return end.groups().stream().anyMatch(group -> group.id().equals(message.group()));
  }

  private void exactlyTheSettledAreGone() {
    Set<String> left = events(end.messages());
    Set<String> written = events(outcome.initial().messages());
    written().forEach(h -> written.add(h.message().event()));
    Set<String> settled = new HashSet<>();
    settlements()
        .map(h -> h.message().event())
        .filter(event -> !settled.add(event))
        .forEach(event -> broken(Violation.Kind.SETTLED_TWICE, event));
    for (String event : written) {
      if (!left.contains(event) && !settled.contains(event)) {
        broken(Violation.Kind.LOST, event);
      }
    }
    for (String event : left) {
      if (settled.contains(event)) {
        broken(Violation.Kind.KEPT, event);
      }
      if (!written.contains(event)) {
        broken(Violation.Kind.LOST, "unknown " + event);
      }
    }
  }

  /**
   * Acks and rejections that held, and that no requeue undid; the seed's ack held if its message is
   * gone.
   */
  private Stream<Happening> settlements() {
    Set<String> left = events(end.messages());
    return outcome.happenings().stream()
        .filter(h -> !isRequeuedAfter(h))
        .filter(
            h ->
                h.is(Kind.ACKED, Kind.REJECTED)
                    || (h.is(Kind.ACK_SENT) && !left.contains(h.message().event())));
  }

  private boolean isRequeuedAfter(Happening rejection) {
    return all(Kind.REQUEUED)
        .anyMatch(
            h ->
                h.message().event().equals(rejection.message().event())
                    && h.committed() > rejection.committed());
  }

  private void quarantineHoldsTheRejected() {
    Set<String> expected = events(outcome.initial().quarantine());
    all(Kind.REJECTED).forEach(h -> expected.add(h.message().event()));
    outcome.happenings().stream()
        .filter(h -> h.is(Kind.REQUEUED, Kind.DISCARDED))
        .forEach(h -> expected.remove(h.message().event()));
    if (!expected.equals(Set.copyOf(end.quarantine()))) {
      broken(Violation.Kind.LOST, expected + ", in quarantine " + end.quarantine());
    }
  }

  private void eachGroupHasOneHolder() {
    List<Happening> leases = leases().toList();
    for (Happening lease : leases) {
      if (release(lease).isEmpty() && !isInForce(lease)) {
        broken(Violation.Kind.TWO_HOLDERS, lease.token() + " lost " + lease.group());
      }
      for (Happening later : leases) {
        if (overlap(lease, later)) {
          broken(
              Violation.Kind.TWO_HOLDERS,
              later.token() + " took " + lease.group() + " from " + lease.token());
        }
      }
    }
  }

  /** Leases that do not lapse in the time of the schedule. */
  private Stream<Happening> leases() {
    Stream<Happening> initial =
        outcome.initial().groups().stream()
            .filter(group -> group.isHeldAt(State.NOW))
            .map(group -> initialLease(group.id(), String.valueOf(group.lockedBy())));
    Stream<Happening> claimed =
        outcome.happenings().stream().filter(h -> h.is(Kind.CLAIMED, Kind.EXTENDED));
    return Stream.concat(initial, claimed);
  }

  private static Happening initialLease(String group, String token) {
    return new Happening(Kind.CLAIMED, new Message(group, 0, ""), token, 0, 0, 0);
  }

  private Optional<Happening> release(Happening lease) {
    return outcome.happenings().stream()
        .filter(h -> h.endsLease() && isSameLease(h, lease))
        .findFirst();
  }

  private static boolean isSameLease(Happening one, Happening other) {
    return one.token().equals(other.token()) && one.group().equals(other.group());
  }

  private boolean isInForce(Happening lease) {
    return end.groups().stream()
        .anyMatch(
            group -> group.id().equals(lease.group()) && lease.token().equals(group.lockedBy()));
  }

  private boolean overlap(Happening lease, Happening later) {
    return lease.group().equals(later.group())
        && !lease.token().equals(later.token())
        && lease.committed() <= later.returned()
        && lease.returned() < later.returned()
        && release(lease).map(release -> release.begun() > later.returned()).orElse(true);
  }

  private void noAckedMessageIsClaimed() {
    settlements()
        .forEach(
            ack ->
                claimsOf(ack.message())
                    .filter(
                        claim ->
                            ack.returned() < claim.returned() || ack.committed() < claim.begun())
                    .forEach(claim -> broken(Violation.Kind.REDELIVERED, claim.message())));
  }

  private void acksOfEarlierHoldersDoNotHold() {
    settlements()
        .forEach(
            ack ->
                claimsOf(ack.message())
                    .filter(claim -> !claim.token().equals(ack.token()))
                    .filter(claim -> claim.committed() < ack.begun())
                    .filter(
                        claim ->
                            release(claim)
                                .map(release -> release.begun() > ack.returned())
                                .orElse(true))
                    .forEach(claim -> broken(Violation.Kind.NOT_FENCED, ack.message())));
  }

  private Stream<Happening> claimsOf(Message message) {
    return all(Kind.CLAIMED).filter(h -> h.message().event().equals(message.event()));
  }

  private void headsGoFirst() {
    Map<String, Message> known =
        Stream.of(outcome.initial().messages(), end.messages(), claimed())
            .flatMap(List::stream)
            .collect(Collectors.toMap(Message::event, Function.identity(), (one, same) -> one));
    for (Happening claim : all(Kind.CLAIMED).toList()) {
      known.values().stream()
          .filter(m -> m.group().equals(claim.group()) && m.seq() < claim.message().seq())
          .filter(m -> isWrittenBefore(claim.begun(), m) && !isSettledBefore(claim, m))
          .forEach(m -> broken(Violation.Kind.OVERTAKEN, m));
    }
  }

  private List<Message> claimed() {
    return all(Kind.CLAIMED).map(Happening::message).toList();
  }

  private boolean isWrittenBefore(int turn, Message message) {
    return outcome.initial().messages().contains(message)
        || written()
            .anyMatch(h -> h.message().event().equals(message.event()) && h.committed() < turn);
  }

  private boolean isSettledBefore(Happening claim, Message message) {
    return settlements()
        .anyMatch(
            h -> h.message().event().equals(message.event()) && h.returned() <= claim.returned());
  }

  private void theRestDrainsInOrder() {
    Set<Message> consumable =
        end.messages().stream().filter(this::hasGroup).collect(Collectors.toSet());
    if (!consumable.equals(Set.copyOf(end.drained()))
        || consumable.size() != end.drained().size()) {
      broken(Violation.Kind.NOT_DRAINED, consumable + " as " + end.drained());
    }
    Map<String, List<Message>> byGroup =
        end.drained().stream().collect(Collectors.groupingBy(Message::group));
    for (List<Message> drained : byGroup.values()) {
      List<Long> seqs = drained.stream().map(Message::seq).toList();
      if (!seqs.equals(seqs.stream().sorted().toList())) {
        broken(Violation.Kind.NOT_DRAINED, "in the order " + seqs);
      }
    }
  }

  private Stream<Happening> written() {
    return outcome.happenings().stream().filter(h -> h.is(Kind.PUBLISHED, Kind.REQUEUED));
  }

  private Stream<Happening> all(Kind kind) {
    return outcome.happenings().stream().filter(h -> h.is(kind));
  }

  private static Set<String> events(List<Message> messages) {
    return messages.stream().map(Message::event).collect(Collectors.toSet());
  }

  private void broken(Violation.Kind kind, Object what) {
    violations.add(new Violation(kind, what.toString()));
  }
}
