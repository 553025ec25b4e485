package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.SluiceProcess;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.testing.ScaledTries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** We write the table, and Go polls, acks and hands back. */
@Isolated("measures, or starts processes")
class GoConsumesTest {
  private static final int GROUPS = 50;
  private static final int PER_GROUP = 20 * ScaledTries.SCALE;
  private static final int ODD = 500 * ScaledTries.SCALE;

  private GoProgram go;
  private Orders orders;

  @BeforeEach
  void createTables() throws Exception {
    go = GoProgram.build();
    orders = new Orders();
  }

  @AfterEach
  void dropDatabase() {
    if (orders != null) {
      orders.close();
    }
  }

  @Test
  void goTakesEachMessageOnceAndInOrder(@TempDir Path scratch) throws Exception {
    List<Message> messages = inGroups(GROUPS, PER_GROUP);
    publish(Files.write(scratch.resolve("orders"), json(messages)));

    GoEvents events = consume("-max", "100", "-idle", "1s");

    assertThat(events.acked()).hasSize(messages.size()).doesNotHaveDuplicates();
    assertThat(Order.byGroup(ids(events.claimed()), published(messages)))
        .isEqualTo(Order.byGroup(published(messages)));
    assertThat(orders.rows()).isEmpty();
  }

  @Test
  void whatGoHandsBackComesAgainBeforeTheRestOfItsGroup(@TempDir Path scratch) throws Exception {
    List<Message> messages = inGroups(GROUPS / 2, PER_GROUP / 4);
    publish(Files.write(scratch.resolve("orders"), json(messages)));

    GoEvents events =
        consume(
            "-ack-rate",
            "0.8",
            "-nack-rate",
            "0.1",
            "-defer-rate",
            "0.1",
            "-max-delay",
            "1",
            "-max",
            "50",
            "-idle",
            "10s");

    assertThat(events.all()).extracting(GoEvent::kind).contains("nack", "defer");
    assertThat(Order.byGroup(events.acked(), published(messages)))
        .isEqualTo(Order.byGroup(published(messages)));
    assertThat(orders.rows()).isEmpty();
  }

  @Test
  void goReadsOddMessagesAsWeWroteThem() throws Exception {
    Map<String, String> written = new TreeMap<>();
    RandomMessages random = new RandomMessages(new Random(2026));
    while (written.size() < ODD) {
      Message message = random.next();
      if (!holdsNul(message)) {
        written.putIfAbsent(message.id(), MessageJson.write(message));
        orders.queue().publish(message);
      }
    }

    GoEvents events = consume("-max", "100", "-idle", "1s");

    Map<String, String> read =
        events.claimed().stream()
            .collect(Collectors.toMap(GoEvent.Claim::id, GoEvent.Claim::payload));
    assertThat(read).isEqualTo(written);
    assertThat(orders.rows()).isEmpty();
  }

  // The one character that the columns cannot hold.
  private static boolean holdsNul(Message message) {
    return (message.id() + message.messageGroupId().orElse("")).indexOf('\0') >= 0;
  }

  private static List<Message> inGroups(int groups, int perGroup) {
    List<Message> messages = new ArrayList<>();
    for (int n = 0; n < perGroup; n++) {
      for (int g = 0; g < groups; g++) {
        messages.add(
            Message.of("order-%05d-%03d".formatted(n, g), "https://t.example/hook")
                .withGroup("group-" + g)
                .withMode(DispatchMode.NEXT_ON_ERROR));
      }
    }
    return messages;
  }

  private static List<String> json(List<Message> messages) {
    return messages.stream().map(MessageJson::write).toList();
  }

  private static List<GoEvent.Published> published(List<Message> messages) {
    return messages.stream()
        .map(m -> new GoEvent.Published(m.id(), m.messageGroupId().orElse(null)))
        .toList();
  }

  private void publish(Path file) throws Exception {
    try (SluiceProcess publish = orders.start("publish", file.toString())) {
      assertThat(publish.exitCode(600)).as(publish.stderr()).isZero();
    }
  }

  private GoEvents consume(String... options) throws Exception {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("consume", "-uri", orders.uri(), "-queue", Orders.QUEUE));
    arguments.addAll(List.of(options));
    try (GoProcess consumer = go.start(arguments.toArray(String[]::new))) {
      return consumer.finish();
    }
  }

  private static List<String> ids(List<GoEvent.Claim> claims) {
    return claims.stream().map(GoEvent.Claim::id).toList();
  }
}
