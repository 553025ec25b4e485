package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Message;
import dev.sluice.queue.SchemaReport;
import dev.sluice.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A pool that has work for half a day, and another one of the same queue. */
class SlowPoolTest {
  private static final int MINUTES = Boolean.getBoolean("sluice.load.full") ? 180 : 3;
  private static final int SLOW_MESSAGES = 10_000;
  private static final long SLOW_SECONDS = 5;

  @Test
  void tenThousandMessagesOfFiveSecondsForOneWorkerHoldUpNoOtherPool() throws Exception {
    try (TestDatabase database = TestDatabase.fresh()) {
      TableRig rig = new TableRig(database, RouterOptions.DEFAULTS, Duration.ofMinutes(2), 1);
      rig.queue.initSchema();
      rig.queue.admin().createExtra(SchemaReport.Extra.CLAIM_INDEXES);
      rig.core.setPools(List.of(PoolSettings.of("slow", 1), PoolSettings.of("quick", 20)));
      for (int i = 0; i < SLOW_MESSAGES / 1_000; i++) {
        rig.queue.publishBatch(messages("s", "slow", i * 1_000, 1_000));
      }
      // As autovacuum does in its time; the plans of a table that it has not seen yet are slow.
      analyze(database);
      rig.start();

      Map<String, Long> calledAt = new HashMap<>();
      Map<String, Long> publishedAt = new HashMap<>();
      int slowDone = 0;
      long longest = 0;
      for (int second = 0; second < MINUTES * 60; second++) {
        if (second % 10 == 0) {
          List<Message> quick = messages("q", "quick", second, 5);
          rig.queue.publishBatch(quick);
          for (Message message : quick) {
            publishedAt.put(message.id(), (long) second);
          }
        }
        rig.seconds(1);
        for (String id : rig.running()) {
          long began = calledAt.computeIfAbsent(id, i -> secondsNow(rig));
          if (id.startsWith("q")) {
            rig.answer(id, TableRig.OK);
            longest = Math.max(longest, second + 1 - publishedAt.remove(id));
          } else if (secondsNow(rig) - began >= SLOW_SECONDS) {
            rig.answer(id, TableRig.OK);
            slowDone++;
          }
        }
      }

      System.out.printf(
          "%d minutes: %d slow ones done, quick ones waited %d s at most%n",
          MINUTES, slowDone, longest);
      assertThat(longest).isLessThanOrEqualTo(10);
      assertThat(publishedAt).hasSizeLessThanOrEqualTo(10);
      // One worker that is never idle; the test sees only after a second that it is at the next.
      assertThat(slowDone).isGreaterThanOrEqualTo(MINUTES * 10 - 1);
    }
  }

  private static void analyze(TestDatabase database) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("ANALYZE");
    }
  }

  private static long secondsNow(TableRig rig) {
    return rig.time.now().getEpochSecond();
  }

  private static List<Message> messages(String kind, String pool, int from, int count) {
    List<Message> batch = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String id = "%s%06d".formatted(kind, from + i);
      batch.add(
          Message.of(id, "http://t.example/hook")
              .withGroup("g-" + id)
              .withMode(i % 2 == 0 ? DispatchMode.IMMEDIATE : DispatchMode.NEXT_ON_ERROR)
              .withPool(pool));
    }
    return batch;
  }
}
