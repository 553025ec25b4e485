package dev.sluice.queue.harel;

import dev.sluice.queue.Receipt;
import dev.sluice.queue.harel.Claim.Lease;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Receipts as the statements take them.
 *
 * @param given all of them, those among them that are none of ours
 * @param list what the others say, each once
 */
record Claims(Collection<Receipt> given, List<Claim> list) {

  static Claims of(Collection<Receipt> receipts) {
    Set<Receipt> each = new LinkedHashSet<>(receipts);
    return new Claims(each, each.stream().map(Claim::of).flatMap(Optional::stream).toList());
  }

  boolean isEmpty() {
    return list.isEmpty();
  }

  String[] groups() {
    return list.stream().map(Claim::group).toArray(String[]::new);
  }

  Long[] seqs() {
    return list.stream().map(Claim::seq).toArray(Long[]::new);
  }

  String[] tokens() {
    return list.stream().map(Claim::token).toArray(String[]::new);
  }

  /** The receipts that held nothing, where these were held. */
  Set<Receipt> staleBut(Collection<Claim> held) {
    return stale(new HashSet<>(held)::contains);
  }

  /** The receipts that held nothing, where these leases were held. */
  Set<Receipt> staleButLeases(Set<Lease> held) {
    return stale(claim -> held.contains(claim.lease()));
  }

  private Set<Receipt> stale(Predicate<Claim> held) {
    Set<Receipt> stale = new LinkedHashSet<>(given);
    list.stream().filter(held).forEach(claim -> stale.remove(claim.receipt()));
    return stale;
  }
}
