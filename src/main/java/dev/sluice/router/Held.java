package dev.sluice.router;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Receipt;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A message that this process holds a claim on, from its poll to its settlement. */
final class Held {

  /**
   * A claim as a poll brought it in.
   *
   * @param poll the number of that poll
   * @param lapsesAt when the claim lapses at the earliest, in {@code Time.nanos}
   */
  record Claim(Delivery delivery, long poll, long lapsesAt) {}

  private final Delivery delivery;
  private final Lane lane;
  private final Pool pool;
  private final @Nullable OrderedGroup<Held> group;
  private Receipt receipt;
  private long lapsesAt;
  private int calls;
  private long calledAt;
  private boolean admitted;
  private boolean settling;
  private boolean leavesAtOnce;
  private boolean owesCommit;
  private @Nullable Claim again;

  /**
   * @param lane the queue it came from
   * @param group where it waits its turn; null for a message that need not
   */
  Held(Claim claim, Lane lane, Pool pool, @Nullable OrderedGroup<Held> group) {
    this.delivery = claim.delivery;
    this.lane = lane;
    this.pool = pool;
    this.group = group;
    this.receipt = claim.delivery.receipt();
    this.lapsesAt = claim.lapsesAt;
  }

  Delivery delivery() {
    return delivery;
  }

  String id() {
    return delivery.brokerId();
  }

  Lane lane() {
    return lane;
  }

  Pool pool() {
    return pool;
  }

  /** It has a place in its pool. */
  void admit() {
    admitted = true;
    pool.admit();
  }

  /**
   * It gives up its place.
   *
   * @return whether it had one
   */
  boolean leavePool() {
    boolean had = admitted;
    if (had) {
      admitted = false;
      pool.left();
    }
    return had;
  }

  Optional<OrderedGroup<Held>> group() {
    return Optional.ofNullable(group);
  }

  /** The group by which a target may flush it; empty for none. */
  String flushGroup() {
    return delivery.message().messageGroupId().orElse("");
  }

  /** The newest receipt. */
  Receipt receipt() {
    return receipt;
  }

  long lapsesAt() {
    return lapsesAt;
  }

  void extendedTo(long lapsesAt) {
    this.lapsesAt = lapsesAt;
  }

  int calls() {
    return calls;
  }

  void called(long now) {
    calls++;
    calledAt = now;
  }

  /** When its last call began, in {@code Time.nanos}. */
  long calledAt() {
    return calledAt;
  }

  /** There is no place for it: it is settled as it came. */
  void leaveAtOnce() {
    leavesAtOnce = true;
  }

  boolean leavesAtOnce() {
    return leavesAtOnce;
  }

  /** Its disposition is known and waits for the database. */
  void settle(boolean owesCommit) {
    this.settling = true;
    this.owesCommit = owesCommit;
  }

  boolean isSettling() {
    return settling;
  }

  /** Whether its group waits for its settlement. */
  boolean owesCommit() {
    return owesCommit;
  }

  /**
   * A poll brings it in once more: its claim had lapsed, or it was published anew under its old id.
   */
  void claimedAgain(Claim claim) {
    boolean sameRow = isSameRow(claim);
    if (sameRow) {
      receipt = claim.delivery.receipt();
      lapsesAt = claim.lapsesAt;
    }
    // While it is being settled nobody knows yet whether the old claim still held; see Ends.
    if (settling || !sameRow) {
      again = claim;
    }
  }

  /** The claim that came in while this one was being settled, or of another row with its id. */
  Optional<Claim> again() {
    return Optional.ofNullable(again);
  }

  /** The later claim is this message's own: only its receipt matters. */
  void adoptAgain() {
    again = null;
  }

  boolean isSameRow(Claim claim) {
    return claim.delivery.createdAt().equals(delivery.createdAt())
        && claim.delivery.payload().equals(delivery.payload());
  }
}
