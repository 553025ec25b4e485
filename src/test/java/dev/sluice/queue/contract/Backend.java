package dev.sluice.queue.contract;

import dev.sluice.queue.Queue;
import dev.sluice.queue.SchemaReport.Extra;
import java.util.Set;
import java.util.function.DoubleSupplier;
import javax.sql.DataSource;

/**
 * A backend under the contract: how to open it, what its tables are called, and where it differs
 * from the other one. All that is not named here both must do alike.
 */
interface Backend {

  /** Opens one queue with claims of 30 s, on a clock that counts epoch seconds. */
  Queue open(DataSource dataSource, DoubleSupplier epochSeconds);

  String messagesTable();

  String payloadColumn();

  String quarantineTable();

  /** Publishes the message {@code x} by itself, as the other programs of the table do. */
  String insert(String queue);

  /** Locks, as whoever settles claims does, the rows by which messages are claimed. */
  String lockOfTheClaimed();

  Set<Extra> extras();

  /**
   * Whether an id is in the queue once. The legacy table has (queue_name, id) for its key. A harel
   * event has no id of its own, only the seq that the database gives it, and Python publishers
   * count on every event's being kept.
   */
  boolean keepsIdsApart();

  /**
   * Whether messages of one instant come in the order in which they were published. Harel orders by
   * seq; the legacy table by (created_at, id) in whole seconds, as the Go router does.
   */
  boolean ordersOneInstantAsPublished();

  /**
   * Whether a message in flight holds back the next one of its group. Harel leases the group; the
   * Go router does not, so neither does the legacy backend unless told to by exclusive groups.
   */
  boolean successorsWaitForTheOneInFlight();

  /**
   * Whether a group that was served goes behind the others. Harel's order is that of the last
   * lease; the legacy order is that of the messages' age, so a group of old ones comes first.
   */
  boolean servesGroupsInTurn();

  /** Whether the rows count claims. The harel tables have no column for it. */
  boolean countsReceives();

  /** Whether the rows tell when they were published. The harel tables have no column for it. */
  boolean knowsWhenItWasPublished();

  /**
   * Whether figures tell a message that waits for its delay from one in flight. A parked harel
   * group keeps its lease, as Python's nack leaves it, and looks like any leased one.
   */
  boolean knowsDelayedFromInFlight();

  /**
   * Whether a claim that went back with a delay can still be settled by its receipt, until somebody
   * claims anew. Harel's park keeps the token by which all else is fenced; the legacy hand-back
   * takes the receipt off the row. An {@linkplain Queue#extendVisibility extension} is refused by
   * both, since it would undo the delay.
   */
  boolean aDelayedReturnCanStillBeSettled();

  /**
   * Whether a delay is in whole seconds, rounded up. The legacy columns are integers that Go writes
   * too; harel's are doubles.
   */
  boolean countsWholeSeconds();

  /**
   * Whether a payload that is no message goes to quarantine. In the legacy table it is a fault; in
   * the harel tables it is an event for a Python worker, and none of ours to take away.
   */
  boolean quarantinesWhatIsNoMessage();

  /** Whether the tables hold many queues, by name. The harel tables are one queue. */
  boolean holdsManyQueues();
}
