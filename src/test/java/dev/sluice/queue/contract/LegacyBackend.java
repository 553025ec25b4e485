package dev.sluice.queue.contract;

import dev.sluice.queue.Queue;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.queue.legacy.LegacyQueue.Groups;
import java.util.Set;
import java.util.function.DoubleSupplier;
import javax.sql.DataSource;

/** The table {@code queue_messages}. */
record LegacyBackend(Groups groups) implements Backend {

  @Override
  public Queue open(DataSource dataSource, DoubleSupplier epochSeconds) {
    return LegacyQueue.builder(dataSource, "orders")
        .clock(() -> (long) Math.floor(epochSeconds.getAsDouble()))
        .groups(groups)
        .build();
  }

  @Override
  public String messagesTable() {
    return "queue_messages";
  }

  @Override
  public String payloadColumn() {
    return "payload";
  }

  @Override
  public String quarantineTable() {
    return "queue_messages_failed";
  }

  @Override
  public String insert(String queue) {
    return """
        INSERT INTO queue_messages (id, queue_name, message_group_id, visible_at, payload, created_at)
        VALUES ('x', '%s', 'g', 0, '{}', 0)
        ON CONFLICT (queue_name, id) DO NOTHING"""
        .formatted(queue);
  }

  @Override
  public String lockOfTheClaimed() {
    return "SELECT 1 FROM queue_messages FOR UPDATE";
  }

  @Override
  public Set<Extra> extras() {
    return Set.of(Extra.CLAIM_INDEXES, Extra.NOTIFY);
  }

  @Override
  public boolean keepsIdsApart() {
    return true;
  }

  @Override
  public boolean ordersOneInstantAsPublished() {
    return false;
  }

  @Override
  public boolean successorsWaitForTheOneInFlight() {
    return groups == Groups.EXCLUSIVE;
  }

  @Override
  public boolean servesGroupsInTurn() {
    return false;
  }

  @Override
  public boolean countsReceives() {
    return true;
  }

  @Override
  public boolean knowsWhenItWasPublished() {
    return true;
  }

  @Override
  public boolean knowsDelayedFromInFlight() {
    return true;
  }

  @Override
  public boolean aDelayedReturnCanStillBeSettled() {
    return false;
  }

  @Override
  public boolean countsWholeSeconds() {
    return true;
  }

  @Override
  public boolean quarantinesWhatIsNoMessage() {
    return true;
  }

  @Override
  public boolean holdsManyQueues() {
    return true;
  }
}
