package dev.sluice.queue.harel.interleave;

import static dev.sluice.queue.harel.interleave.Start.A1;
import static dev.sluice.queue.harel.interleave.Start.A5;
import static dev.sluice.queue.harel.interleave.Start.B2;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;

/** Who meets whom, and over which rows. */
record Meeting(Start start, List<Script> scripts) {
  private enum Kind {
    PUBLISH,
    /** Differs for other publishers only. */
    PUBLISH_IN_OTHER_ORDER,
    CLAIM,
    SETTLE,
    SETTLE_TWO
  }

  private static final Set<Kind> PUBLISHERS = Set.of(Kind.PUBLISH, Kind.PUBLISH_IN_OTHER_ORDER);

  /** What the n-th session does. */
  private record Operation(Kind kind, IntFunction<Script> script) {}

  private static final List<Operation> OURS =
      List.of(
          new Operation(Kind.PUBLISH, n -> Ours.publish("p" + n, "a")),
          new Operation(Kind.PUBLISH_IN_OTHER_ORDER, n -> Ours.publish("p" + n, "a", "b")),
          new Operation(Kind.PUBLISH, n -> Ours.publish("p" + n, "b", "a")),
          new Operation(Kind.CLAIM, n -> Ours.claim("w" + n, 1)),
          new Operation(Kind.CLAIM, n -> Ours.claim("w" + n, 10)),
          new Operation(Kind.SETTLE, n -> Ours.ack(A1)),
          new Operation(Kind.SETTLE, n -> Ours.reject(A1)),
          new Operation(Kind.SETTLE, n -> Ours.nack("a", 0)),
          new Operation(Kind.SETTLE, n -> Ours.nack("a", -1)),
          new Operation(Kind.SETTLE, n -> Ours.nack("a", 60)),
          new Operation(Kind.SETTLE, n -> Ours.extend("a")),
          new Operation(Kind.SETTLE_TWO, n -> Ours.ack(A1, B2)),
          new Operation(Kind.SETTLE_TWO, n -> Ours.reject(A1, B2)));

  /** Each of our operations with each, itself too. */
  static List<Meeting> pairs(boolean overAllRows) {
    List<Meeting> pairs = new ArrayList<>();
    for (int i = 0; i < OURS.size(); i++) {
      for (Operation other : OURS.subList(i, OURS.size())) {
        Operation one = OURS.get(i);
        for (Start start : overAllRows ? Start.ALL : starts(one.kind, other.kind)) {
          pairs.add(new Meeting(start, List.of(one.script.apply(1), other.script.apply(2))));
        }
      }
    }
    return pairs;
  }

  /** The rows over which operations of these kinds, in this order, can get in each other's way. */
  private static List<Start> starts(Kind one, Kind other) {
    if (one == Kind.PUBLISH_IN_OTHER_ORDER || other == Kind.PUBLISH_IN_OTHER_ORDER) {
      return PUBLISHERS.containsAll(List.of(one, other))
          ? List.of(Start.NOTHING, Start.TWO_FREE)
          : List.of();
    }
    if (other == Kind.SETTLE_TWO) {
      return List.of(Start.TWO_LEASED);
    }
    return switch (one) {
      case PUBLISH ->
          switch (other) {
            case PUBLISH -> List.of(Start.NOTHING, Start.FREE, Start.TWO_FREE);
            case CLAIM -> List.of(Start.NOTHING, Start.EMPTY_ROW, Start.FREE, Start.LAPSED);
            default -> List.of(Start.LAST, Start.MORE);
          };
      case CLAIM ->
          other == Kind.CLAIM
              ? List.of(Start.EMPTY_ROW, Start.FREE, Start.TWO_FREE, Start.LAPSED)
              : List.of(Start.LAST, Start.MORE, Start.LAPSED, Start.LAPSED_MORE);
      default -> List.of(Start.LAST, Start.MORE);
    };
  }

  /** What an operator or a repair does, beside the others. */
  static List<Meeting> repairs() {
    Script publish = Ours.publish("p", "a");
    Script claim = Ours.claim("w", 1);
    Script ack = Ours.ack(A1);
    Script restore = Ours.restore("a");
    Script requeue = Ours.requeue(A1);
    Script requeueSecond = Ours.requeue(A5);
    return List.of(
        new Meeting(Start.STRANDED, List.of(restore, publish)),
        new Meeting(Start.STRANDED, List.of(restore, Ours.publish("p", "b", "a"))),
        new Meeting(Start.STRANDED, List.of(restore, claim)),
        new Meeting(Start.STRANDED, List.of(restore, restore)),
        new Meeting(Start.LAST, List.of(restore, ack)),
        new Meeting(Start.EMPTY_ROW, List.of(restore, claim)),
        new Meeting(Start.QUARANTINED, List.of(requeue, publish)),
        new Meeting(Start.QUARANTINED, List.of(requeue, claim)),
        new Meeting(Start.QUARANTINED, List.of(requeue, requeue)),
        new Meeting(Start.QUARANTINED_BESIDE_LAST, List.of(requeueSecond, ack)),
        new Meeting(Start.QUARANTINED_BESIDE_LAST, List.of(requeueSecond, Ours.reject(A1))),
        new Meeting(Start.QUARANTINED_BESIDE_LAST, List.of(requeueSecond, Ours.nack("a", 0))));
  }

  static List<Meeting> triples() {
    Script publish = Ours.publish("p1", "a");
    Script publishAgain = Ours.publish("p2", "a");
    Script publishBatch = Ours.publish("p3", "b", "a");
    Script claim = Ours.claim("w1", 1);
    Script claimAndAck = Ours.claim("w1", 1).then(Ours.ackClaimed("w1"));
    Script claimMany = Ours.claim("w2", 10);
    Script ack = Ours.ack(A1);
    return List.of(
        new Meeting(Start.LAST, List.of(publish, ack, claim)),
        new Meeting(Start.LAST, List.of(publish, ack, claimAndAck)),
        new Meeting(Start.LAST, List.of(publish, publishAgain, ack)),
        new Meeting(Start.LAST, List.of(publish, Ours.reject(A1), claimMany)),
        new Meeting(Start.MORE, List.of(publish, ack, claimAndAck)),
        new Meeting(Start.EMPTY_ROW, List.of(publish, claim, publishAgain)),
        new Meeting(Start.EMPTY_ROW, List.of(publish, claim, claimMany)),
        new Meeting(Start.EMPTY_ROW, List.of(publish, claimAndAck, publishBatch)),
        new Meeting(Start.FREE, List.of(claimAndAck, claimMany, publish)),
        new Meeting(Start.LAPSED, List.of(ack, claim, publish)),
        new Meeting(Start.LAPSED, List.of(ack, claimAndAck, Ours.nack("a", 0))),
        new Meeting(Start.LAPSED_MORE, List.of(Ours.extend("a"), claimAndAck, ack)),
        new Meeting(Start.TWO_LEASED, List.of(Ours.ack(A1, B2), publishBatch, claimMany)),
        new Meeting(
            Start.NOTHING, List.of(Ours.publish("p1", "a", "b"), publishBatch, claimAndAck)));
  }

  @Override
  public String toString() {
    return String.join(" x ", scripts.stream().map(Script::name).toList()) + " over " + start;
  }
}
