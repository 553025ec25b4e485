package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Delivery;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.harel.Event;
import dev.sluice.queue.harel.HarelQueue;
import dev.sluice.testing.TestDatabase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Events as harel writes them, read by us. */
class HarelFixtureTest {
  private static final String TARGET = "https://events.example/hook";

  private TestDatabase database;
  private HarelQueue queue;
  private List<HarelFixture.Row> rows;

  @BeforeEach
  void load() throws Exception {
    database = TestDatabase.fresh();
    queue = HarelQueue.builder(database.dataSource()).eventTarget(TARGET).build();
    queue.initSchema();
    rows = HarelFixture.rows();
    queue.publishEvents(
        rows.stream().map(row -> new Event(row.group(), row.event(), row.priority())).toList());
  }

  @AfterEach
  void dropDatabase() {
    database.close();
  }

  @Test
  void eachEventComesInItsGroupAndAsItWasWritten() {
    List<String> delivered =
        takeAll().stream().map(d -> d.claimGroup() + " " + d.payload()).toList();

    assertThat(delivered)
        .containsExactlyElementsOf(rows.stream().map(r -> r.group() + " " + r.event()).toList());
  }

  @Test
  void anEventThatCarriesAMessageGoesToItsTarget() throws Exception {
    List<Delivery> deliveries = takeAll();

    for (int i = 0; i < rows.size(); i++) {
      if (rows.get(i).carriesMessage()) {
        assertThat(deliveries.get(i).message()).isEqualTo(MessageJson.read(rows.get(i).data()));
      }
    }
  }

  @Test
  void anyOtherEventGoesToTheTargetForEvents() {
    List<Delivery> deliveries = takeAll();

    for (int i = 0; i < rows.size(); i++) {
      assertThat(deliveries.get(i).kind())
          .as(rows.get(i).id())
          .isEqualTo(rows.get(i).carriesMessage() ? Delivery.Kind.MESSAGE : Delivery.Kind.EVENT);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {HarelPackage.SEED, HarelPackage.NEWEST})
  void thePackageWritesTheFixture(String version) throws Exception {
    List<String> written = HarelPackage.of(version).run("fixture");

    assertThat(written).isEqualTo(HarelFixture.lines());
  }

  /** All messages, in the order in which they were published. */
  private List<Delivery> takeAll() {
    List<Delivery> all = new ArrayList<>();
    List<Delivery> some = queue.poll(100).deliveries();
    while (!some.isEmpty()) {
      all.addAll(some);
      queue.ackBatch(some.stream().map(Delivery::receipt).toList());
      some = queue.poll(100).deliveries();
    }
    all.sort(Comparator.comparingLong(d -> Long.parseLong(d.brokerId())));
    return all;
  }
}
