package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.harel.Event;
import dev.sluice.queue.harel.HarelQueue;
import dev.sluice.testing.Patience;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What docs/compatibility.md warns of, and how to go back. */
@Isolated("measures, or starts processes")
class HarelTrapsTest {
  private static final String TARGET = "https://t.example/hook";

  private @Nullable HarelTables tables;

  @AfterEach
  void dropDatabase() {
    if (tables != null) {
      tables.close();
    }
  }

  @Test
  void aWorkerWhoseClockIsAheadTakesOurLeaseEarly() throws Exception {
    HarelTables made = tables(HarelPackage.NEWEST);
    HarelQueue queue = queue(made);
    queue.publishEvents(List.of(event("e-1")));
    Delivery ours = queue.poll(1).deliveries().get(0);

    runUntilDrained(made, "--clock-ahead", "60");

    Set<Receipt> stale = queue.ackBatch(List.of(ours.receipt()));
    assertThat(stale).containsExactly(ours.receipt());
  }

  @Test
  void aWorkerWithThePrefixOfTheFirstNamesTakesTheFunctionsOfTheOthers() throws Exception {
    HarelTables seeds = both();
    queue(seeds).publishEvents(List.of(event("unprefixed")));
    HarelQueue.builder(seeds.dataSource())
        .prefix(HarelTables.PREFIX)
        .build()
        .publishEvents(List.of(event("prefixed")));

    String claimed = seeds.text("SELECT event::json->>'id' FROM harel_claim(1e9, 2e9, 'w:1')");

    assertThat(claimed).isEqualTo("prefixed");
  }

  @Test
  void ourClaimsStayOnTheirTablesWhenTwoNamingsShareTheFunctions() throws Exception {
    HarelTables seeds = both();
    queue(seeds).publishEvents(List.of(event("unprefixed")));

    List<Delivery> claimed = queue(seeds).poll(10).deliveries();

    assertThat(claimed).singleElement().matches(d -> d.payload().contains("unprefixed"));
  }

  @Test
  void pythonGoesOnWhenAllOfOursIsDropped() throws Exception {
    HarelTables made = tables(HarelPackage.SEED);
    made.guard();
    queue(made).publishEvents(List.of(event("e-1"), event("e-2")));

    made.initByPython();
    made.execute(
        """
        DROP TRIGGER sluice_guard_insert ON transport_groups;
        DROP TRIGGER sluice_guard_delete ON transport_groups;
        DO $$
        DECLARE f regprocedure;
        BEGIN
          FOR f IN SELECT oid::regprocedure FROM pg_proc
            WHERE proname LIKE 'sluice\\_%' AND pronamespace = current_schema()::regnamespace
          LOOP EXECUTE 'DROP FUNCTION ' || f; END LOOP;
        END $$;
        DROP TABLE transport_messages_failed""");

    runUntilDrained(made);
  }

  @Test
  void aDeploymentMovesToTheNewestVersionWithItsMessages() throws Exception {
    HarelTables seeds = tables(HarelPackage.SEED);
    seeds.guard();
    seeds.harel().run(seeds.command("produce", "--messages", "20"));

    // From harel's guide to upgrading.
    seeds.execute(
        """
        ALTER TABLE transport_messages RENAME TO harel_transport_messages;
        ALTER TABLE transport_groups RENAME TO harel_transport_groups;
        ALTER INDEX transport_messages_group RENAME TO harel_transport_messages_by_group;
        DROP INDEX IF EXISTS transport_groups_claimable""");
    HarelTables newest = seeds.of(HarelPackage.of(HarelPackage.NEWEST));
    newest.init();
    newest.guard();
    newest.harel().run(newest.command("produce", "--messages", "20", "--name", "later"));

    assertThat(newest.waiting()).isEqualTo(40);
    runUntilDrained(newest);
  }

  /** The tables of both namings in one database, made by us and then met by both versions. */
  private HarelTables both() throws Exception {
    HarelTables seeds = tables(HarelPackage.SEED);
    HarelTables newest = seeds.of(HarelPackage.of(HarelPackage.NEWEST));
    newest.init();
    seeds.initByPython();
    newest.initByPython();
    return seeds;
  }

  private HarelTables tables(String version) throws Exception {
    HarelTables made = new HarelTables(HarelPackage.of(version));
    tables = made;
    made.init();
    return made;
  }

  private static HarelQueue queue(HarelTables tables) {
    return tables.queue().eventTarget(TARGET).build();
  }

  private static Event event(String id) {
    return new Event("group", "{\"id\":\"%s\",\"kind\":\"order\",\"data\":{}}".formatted(id), 0);
  }

  private static void runUntilDrained(HarelTables tables, String... options) throws Exception {
    try (PeerProcess worker = tables.start("work", options)) {
      Patience.await().until(() -> tables.waiting() == 0 || !worker.runs());
      worker.terminate();
      int exitCode = worker.exitCode();
      assertThat(exitCode).as(worker.errors()).isZero();
    }
  }
}
