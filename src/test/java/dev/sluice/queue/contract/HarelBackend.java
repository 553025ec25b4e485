package dev.sluice.queue.contract;

import dev.sluice.queue.Queue;
import dev.sluice.queue.SchemaReport.Extra;
import dev.sluice.queue.harel.HarelQueue;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;
import javax.sql.DataSource;

/** The tables of the harel transport. */
record HarelBackend(Optional<String> prefix, Optional<String> kind) implements Backend {

  @Override
  public Queue open(DataSource dataSource, DoubleSupplier epochSeconds) {
    HarelQueue.Builder builder = HarelQueue.builder(dataSource).name("orders").clock(epochSeconds);
    prefix.ifPresent(builder::prefix);
    kind.ifPresent(builder::kind);
    return builder.build();
  }

  @Override
  public String messagesTable() {
    return prefix.map(p -> p + "_").orElse("") + "transport_messages";
  }

  @Override
  public String payloadColumn() {
    return "event";
  }

  @Override
  public String quarantineTable() {
    return messagesTable() + "_failed";
  }

  @Override
  public String insert(String queue) {
    return "INSERT INTO " + messagesTable() + " (group_id, event) VALUES ('g', '{}')";
  }

  @Override
  public String lockOfTheClaimed() {
    return "SELECT 1 FROM "
        + prefix.map(p -> p + "_").orElse("")
        + "transport_groups FOR NO KEY UPDATE";
  }

  @Override
  public Set<Extra> extras() {
    return Set.of(Extra.CLAIM_INDEXES, Extra.GUARD, Extra.NOTIFY);
  }

  @Override
  public boolean keepsIdsApart() {
    return false;
  }

  @Override
  public boolean ordersOneInstantAsPublished() {
    return true;
  }

  @Override
  public boolean successorsWaitForTheOneInFlight() {
    return true;
  }

  @Override
  public boolean servesGroupsInTurn() {
    return true;
  }

  @Override
  public boolean countsReceives() {
    return false;
  }

  @Override
  public boolean knowsWhenItWasPublished() {
    return false;
  }

  @Override
  public boolean knowsDelayedFromInFlight() {
    return false;
  }

  @Override
  public boolean aDelayedReturnCanStillBeSettled() {
    return true;
  }

  @Override
  public boolean countsWholeSeconds() {
    return false;
  }

  @Override
  public boolean quarantinesWhatIsNoMessage() {
    return false;
  }

  @Override
  public boolean holdsManyQueues() {
    return false;
  }
}
