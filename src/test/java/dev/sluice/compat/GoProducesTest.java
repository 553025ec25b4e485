package dev.sluice.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.e2e.RecordingTarget;
import dev.sluice.model.LegacyRow;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.testing.ScaledTries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Go writes the table, one row and many rows a statement, and we deliver it. */
@Isolated("measures, or starts processes")
class GoProducesTest {
  private static final int ALONE = 2_000;
  private static final int TOGETHER = 48_000 * ScaledTries.SCALE;

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
  void fiftyThousandMessagesOfGoAreDeliveredOnceAndInOrder() throws Exception {
    try (RecordingTarget target = new RecordingTarget(Duration.ZERO)) {
      List<GoEvent.Published> published = new ArrayList<>();
      published.addAll(produce("a", ALONE, "1", target));
      published.addAll(produce("b", TOGETHER, "500", target));
      orders.index();

      int exitCode = orders.drain("--batch", "500", "--concurrency", "64");

      assertThat(exitCode).isZero();
      assertThat(target.count()).isEqualTo(ALONE + TOGETHER);
      assertThat(Order.byGroup(Order.delivered(target), published))
          .isEqualTo(Order.byGroup(published));
      assertThat(orders.rows()).isEmpty();
      assertThat(orders.failed()).isEmpty();
    }
  }

  private List<GoEvent.Published> produce(
      String prefix, int count, String batch, RecordingTarget target) throws Exception {
    try (GoProcess producer =
        go.start(
            "produce",
            "-uri",
            orders.uri(),
            "-queue",
            Orders.QUEUE,
            "-prefix",
            prefix,
            "-n",
            Integer.toString(count),
            "-batch",
            batch,
            "-groups",
            "500",
            "-target",
            target.url())) {
      return producer.finish().published();
    }
  }

  @Test
  void aRowOfGoIsARowOfOurs() throws Exception {
    try (RecordingTarget target = new RecordingTarget(Duration.ZERO)) {
      produce("go", 100, "7", target);
    }
    List<LegacyRow> theirs = orders.rows();
    List<Message> messages = new ArrayList<>();
    for (LegacyRow row : theirs) {
      messages.add(MessageJson.read(row.payload()));
    }

    orders.clear();
    orders.queue().publishBatch(messages);

    assertThat(orders.rows()).isEqualTo(publishedAt(theirs, orders.rows().get(0).createdAt()));
  }

  private static List<LegacyRow> publishedAt(List<LegacyRow> rows, long second) {
    return rows.stream()
        .peek(row -> assertThat(row.visibleAt()).isEqualTo(row.createdAt()))
        .map(
            row ->
                new LegacyRow(
                    row.queue(),
                    row.id(),
                    row.group(),
                    row.receipt(),
                    second,
                    row.payload(),
                    second,
                    row.receives()))
        .toList();
  }

  @Test
  void anIdThatGoPublishesAgainIsLeftAlone() throws Exception {
    try (RecordingTarget target = new RecordingTarget(Duration.ZERO)) {
      orders.queue().publish(Message.of("go-00000001", "https://ours.example/"));
      List<LegacyRow> ours = orders.rows();

      produce("go", 3, "3", target);

      assertThat(orders.rows()).hasSize(3).containsAll(ours);
    }
  }

  @Test
  void anIdOfGoThatWePublishAgainIsLeftAlone() throws Exception {
    try (RecordingTarget target = new RecordingTarget(Duration.ZERO)) {
      produce("go", 3, "3", target);
      List<LegacyRow> theirs = orders.rows();

      orders.queue().publish(Message.of("go-00000001", "https://ours.example/"));

      assertThat(orders.rows()).isEqualTo(theirs);
    }
  }
}
