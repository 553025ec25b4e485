package dev.sluice.queue.legacy;

import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.QueueRow;
import dev.sluice.queue.jdbc.Session;
import dev.sluice.queue.jdbc.Texts;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Writes batches of messages, each in one statement. Thread-safe.
 *
 * <p>To skip ids that are there, the database looks for each of them before it writes its row,
 * which takes a quarter of its time. A large batch is first written as if all of its ids were new;
 * where one is not, that statement is undone, and what it wrote is left for vacuum. So batches that
 * follow look first, for a while.
 */
final class Inserts {
  private static final int LARGE = 100;
  private static final int WARY_BATCHES = 100;

  private final Session session;
  private final LegacyQueue.Clock clock;
  private final AtomicInteger wary = new AtomicInteger();

  Inserts(Session session, LegacyQueue.Clock clock) {
    this.session = session;
    this.clock = clock;
  }

  /**
   * Writes those whose ids are not there yet, all or nothing.
   *
   * @return the ids of all
   */
  List<String> insert(List<QueueRow> rows) {
    int size = rows.size();
    String[] ids = new String[size];
    String[] queues = new String[size];
    @Nullable String[] groups = new String[size];
    String[] payloads = new String[size];
    for (int i = 0; i < size; i++) {
      Message message = rows.get(i).message();
      ids[i] = Texts.requireNoNul("id", message.id());
      queues[i] = Texts.requireNoNul("queue name", rows.get(i).queue());
      groups[i] =
          message
              .messageGroupId()
              .map(group -> Texts.requireNoNul("message group", group))
              .orElse(null);
      payloads[i] = MessageJson.write(message);
    }
    if (!insertNew(ids, queues, groups, payloads)) {
      run(SettleSql.INSERT, ids, queues, groups, payloads);
    }
    return List.of(ids);
  }

  private boolean insertNew(
      String[] ids, String[] queues, @Nullable String[] groups, String[] payloads) {
    if (ids.length < LARGE || wary.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      return false;
    }
    try {
      run(SettleSql.INSERT_NEW, ids, queues, groups, payloads);
      return true;
    } catch (QueueException e) {
      if (!e.isConstraintViolated()) {
        throw e;
      }
      wary.set(WARY_BATCHES);
      return false;
    }
  }

  private void run(
      String sql, String[] ids, String[] queues, @Nullable String[] groups, String[] payloads) {
    session.query(
        "publish", sql, row -> row.getInt(1), clock.epochSeconds(), ids, queues, groups, payloads);
  }
}
