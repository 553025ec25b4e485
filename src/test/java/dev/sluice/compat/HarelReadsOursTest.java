package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.QueueRow;
import dev.sluice.queue.harel.Event;
import dev.sluice.queue.harel.HarelQueue;
import dev.sluice.testing.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What we publish, read by the real package. */
@Isolated("measures, or starts processes")
class HarelReadsOursTest {
  private static final String KIND = "deliver";
  private static final int MESSAGES = 200;

  private @Nullable HarelTables tables;

  @AfterEach
  void dropDatabase() {
    if (tables != null) {
      tables.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {HarelPackage.SEED, HarelPackage.NEWEST})
  void messagesPublishedAsEventsComeWithAllTheirFields(String version) throws Exception {
    HarelTables made = tables(version);
    List<Message> messages = messages();
    HarelQueue queue = made.queue().kind(KIND).build();
    queue.insertBatch(messages.stream().map(m -> new QueueRow(queue.identifier(), m)).toList());

    List<PeerEvent> claims = claimsOfAll(made);

    List<Message> read = new ArrayList<>();
    for (PeerEvent claim : claims) {
      read.add(MessageJson.read(String.valueOf(claim.data())));
    }
    assertThat(read).containsExactlyInAnyOrderElementsOf(messages);
    assertThat(claims).extracting(PeerEvent::kind).containsOnly(KIND);
    assertThat(claims)
        .extracting(PeerEvent::eventId)
        .containsExactlyInAnyOrderElementsOf(messages.stream().map(Message::id).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {HarelPackage.SEED, HarelPackage.NEWEST})
  void eventsThatWePublishComeInOrder(String version) throws Exception {
    HarelTables made = tables(version);
    List<HarelFixture.Row> rows = HarelFixture.rows();
    made.queue()
        .build()
        .publishEvents(rows.stream().map(r -> new Event("one", r.event(), r.priority())).toList());

    List<PeerEvent> claims = claimsOfAll(made);

    assertThat(claims)
        .extracting(PeerEvent::eventId)
        .containsExactlyElementsOf(rows.stream().map(HarelFixture.Row::id).toList());
  }

  @Test
  void aBareMessageStopsAWorker() throws Exception {
    HarelTables made = tables(HarelPackage.NEWEST);
    made.queue().build().publish(Message.of("m-1", "https://t.example/hook"));

    try (PeerProcess worker = made.start("work")) {
      int exitCode = worker.exitCode();

      assertThat(exitCode).isEqualTo(1);
      assertThat(worker.errors()).contains("validation error for Event", "kind");
    }
    assertThat(made.waiting()).isEqualTo(1);
  }

  private static List<Message> messages() {
    RandomMessages random = new RandomMessages(new Random(7));
    return Stream.generate(random::next)
        .filter(m -> m.id().indexOf('\0') < 0 && m.messageGroupId().orElse("").indexOf('\0') < 0)
        .limit(MESSAGES)
        .toList();
  }

  private HarelTables tables(String version) throws Exception {
    HarelTables made = new HarelTables(HarelPackage.of(version));
    tables = made;
    made.init();
    return made;
  }

  private static List<PeerEvent> claimsOfAll(HarelTables tables) throws Exception {
    try (PeerProcess worker = tables.start("work", "--data")) {
      Patience.await().until(() -> tables.waiting() == 0 || !worker.runs());
      worker.terminate();
      int exitCode = worker.exitCode();
      assertThat(exitCode).as(worker.errors()).isZero();
      return worker.events().stream().filter(e -> e.is("claim")).toList();
    }
  }
}
