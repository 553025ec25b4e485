package dev.sluice.router;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One ordered group: who is its head, who waits behind it, who has to go back. Knows no clock, no
 * thread and no queue.
 *
 * <p>A message in flight does not hold back its successors in the queue. So what goes back goes in
 * generations: the head first; when that is committed, all that waited behind it, in order; and
 * while a generation is under way, or a poll that may have looked before it was committed, whatever
 * that poll brings in joins the next generation.
 *
 * <p>A message for which there is no place here leaves at once, past those that wait: in the queue
 * they come before it, and hold it back there if they return too. Until that is committed, whatever
 * comes in behind it leaves as well.
 *
 * @param <M> the messages, compared by identity or {@code equals}
 */
final class OrderedGroup<M> {
  /** The least delay of an untried message that goes back behind its head. */
  static final Duration LEAST_DELAY_BEHIND = Duration.ofSeconds(10);

  private final String pool;
  private final String key;
  private final Deque<M> untried = new ArrayDeque<>();
  private final Deque<M> behind = new ArrayDeque<>();
  private @Nullable M head;
  private int returning;
  private long closedToPolls;
  private Duration delayBehind = Duration.ZERO;
  private boolean blocked;
  private int tailsLeaving;
  private long tailClosedToPolls;

  OrderedGroup(String pool, String key) {
    this.pool = pool;
    this.key = key;
  }

  /** The code of the pool that its messages are in. */
  String pool() {
    return pool;
  }

  String key() {
    return key;
  }

  /**
   * A message comes in.
   *
   * @param poll the number, from 1, of the poll that brought it
   */
  void arrive(M message, long poll) {
    if (isClosedTo(poll)) {
      behind.add(message);
    } else {
      delayBehind = Duration.ZERO;
      blocked = false;
      untried.add(message);
    }
  }

  /** Whether what this poll brings in can only go back behind others that are on their way. */
  boolean isClosedTo(long poll) {
    return isClosing() || poll <= closedToPolls;
  }

  /** Whether what this poll brings in has to leave at once, as a message before it does. */
  boolean followsTail(long poll) {
    return tailsLeaving > 0 || poll <= tailClosedToPolls;
  }

  /** A message that came in leaves at once; {@link #tailCommitted} is due for it. */
  void tailLeaves() {
    tailsLeaving++;
  }

  /**
   * A message that left at once is where it belongs.
   *
   * @param lastPoll the last poll that began; it may have looked before that
   */
  void tailCommitted(long lastPoll) {
    tailsLeaving--;
    tailClosedToPolls = Math.max(tailClosedToPolls, lastPoll);
  }

  /** A message that left at once stays claimed after all: what comes later leaves too. */
  void tailIsLeft() {
    tailClosedToPolls = Long.MAX_VALUE;
  }

  /** Makes the next message the head, if there is no head and the group is open. */
  Optional<M> takeNext() {
    if (head != null || untried.isEmpty()) {
      return Optional.empty();
    }
    head = untried.remove();
    return Optional.of(head);
  }

  /**
   * The head is settled as far as its group is concerned.
   *
   * @return whether messages wait behind it to go back, so that {@link #committed} is due for it
   */
  boolean headDone() {
    head = null;
    if (behind.isEmpty()) {
      return false;
    }
    returning++;
    return true;
  }

  /** The head is on its way back: all others follow it. {@link #committed} is due for it. */
  void headGoesBack(Duration delay) {
    head = null;
    returning++;
    retreat(max(delay, LEAST_DELAY_BEHIND));
  }

  /** The head is rejected and stops its group: all others follow it into quarantine. */
  void headBlocks() {
    head = null;
    returning++;
    block();
  }

  /** All that wait follow another message of their group into quarantine. */
  void block() {
    retreat(Duration.ZERO);
    blocked = true;
  }

  /** Whether what {@link #takeBehind} gives goes to quarantine rather than back. */
  boolean isBlocked() {
    return blocked;
  }

  /** The head, which is not being delivered, goes back together with all that is behind it. */
  void retreatWithHead(Duration delay) {
    retreat(delay);
    if (head != null) {
      behind.addFirst(head);
      head = null;
    }
  }

  /** The untried messages go back as soon as the head is settled. */
  void retreat(Duration delay) {
    List<M> late = List.copyOf(behind);
    behind.clear();
    behind.addAll(untried);
    behind.addAll(late);
    untried.clear();
    delayBehind = max(delayBehind, delay);
  }

  /** The head stays claimed and nobody will settle it: what is behind it goes back, no sooner. */
  void headIsLeft(Duration claim) {
    head = null;
    closeForGood(claim);
  }

  /** What was on its way back stays claimed after all: what is behind it goes back, no sooner. */
  void returnIsLeft(Duration claim) {
    closeForGood(claim);
  }

  private void closeForGood(Duration claim) {
    closedToPolls = Long.MAX_VALUE;
    blocked = false;
    retreat(claim);
  }

  /** A message is not ours any more: what is behind the head goes back. */
  void lose(M message) {
    if (message.equals(head)) {
      head = null;
    } else if (!untried.remove(message)) {
      behind.remove(message);
    }
    // Whoever took it needs time for it, or what is behind it would overtake it.
    retreat(LEAST_DELAY_BEHIND);
  }

  /** Takes out the messages that wait behind the head, in order. */
  List<M> takeUntried() {
    List<M> all = List.copyOf(untried);
    untried.clear();
    return all;
  }

  /** The messages to give back now in one statement, in order; each owes {@link #committed}. */
  List<M> takeBehind() {
    if (head != null || returning > 0 || behind.isEmpty()) {
      return List.of();
    }
    List<M> generation = new ArrayList<>(behind);
    behind.clear();
    returning = generation.size();
    return generation;
  }

  /**
   * What was on its way is committed.
   *
   * @param lastPoll the last poll that began; it may have looked before the commit
   */
  void committed(long lastPoll) {
    returning--;
    closedToPolls = Math.max(closedToPolls, lastPoll);
  }

  /** The delay with which {@link #takeBehind} goes back. */
  Duration delayBehind() {
    return delayBehind;
  }

  /** Whether nothing is known of the group that matters after this poll has been routed. */
  boolean isForgettable(long routedPoll) {
    return head == null
        && untried.isEmpty()
        && !isClosing()
        && closedToPolls <= routedPoll
        && tailsLeaving == 0
        && tailClosedToPolls <= routedPoll;
  }

  /** The messages that are neither the head nor on their way back. */
  List<M> waiting() {
    List<M> all = new ArrayList<>(untried);
    all.addAll(behind);
    return all;
  }

  private boolean isClosing() {
    return returning > 0 || !behind.isEmpty();
  }

  private static Duration max(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }
}
