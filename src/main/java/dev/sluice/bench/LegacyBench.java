package dev.sluice.bench;

import dev.sluice.bench.Contest.Entrant;
import dev.sluice.bench.Contest.Run;
import dev.sluice.queue.Message;
import dev.sluice.queue.MessageJson;
import dev.sluice.queue.PollResult;
import dev.sluice.queue.Queue;
import dev.sluice.queue.Receipt;
import dev.sluice.queue.Return;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.postgresql.PGConnection;

/** The legacy table: one as Go made it, one with our indexes, and the same rows in both. */
final class LegacyBench {
  private static final int POLLED = 10;
  private static final int POLLS = 100;
  private static final int BATCH = Drains.BATCH;
  private static final int PUBLISHED = 10_000;
  private static final int PUBLISH_BATCH = 1_000;
  private static final String TARGET = "http://127.0.0.1:9/orders";

  private final BenchRequest request;
  private final Contest contest;
  private final Consumer<String> progress;
  private int published;
  private int taken;

  LegacyBench(BenchRequest request, Contest contest, Consumer<String> progress) {
    this.request = request;
    this.contest = contest;
    this.progress = progress;
  }

  void run(long rows, Consumer<List<Result>> results) throws SQLException {
    try (LegacyTable plain = LegacyTable.create(request.database(), false);
        LegacyTable indexed = LegacyTable.create(request.database(), true)) {
      if (request.operations().contains(Operation.POLL)) {
        for (LegacyShape shape : request.shapes()) {
          hold(
              Operation.POLL,
              shape,
              rows,
              plain,
              indexed,
              polls(shape, rows, plain, indexed),
              results);
        }
      }
      for (Operation operation :
          List.of(
              Operation.ACK,
              Operation.NACK,
              Operation.PUBLISH,
              Operation.INSERT,
              Operation.DRAIN)) {
        if (request.operations().contains(operation)) {
          hold(
              operation,
              LegacyShape.GROUPS,
              rows,
              plain,
              indexed,
              entrants(operation, rows, plain, indexed),
              results);
        }
      }
      if (request.operations().contains(Operation.HTTP)) {
        new HttpBench(contest, progress).throughput(rows, indexed, results);
      }
      if (request.operations().contains(Operation.LATENCY)) {
        new HttpBench(contest, progress).latency(rows, plain, indexed, results);
      }
    }
  }

  private void hold(
      Operation operation,
      LegacyShape shape,
      long rows,
      LegacyTable plain,
      LegacyTable indexed,
      List<Entrant> entrants,
      Consumer<List<Result>> results)
      throws SQLException {
    if (contest.isStopped()) {
      return;
    }
    progress.accept("%s, %s, %,d rows".formatted(operation, shape, rows));
    plain.fill(shape, rows, TARGET);
    indexed.fill(shape, rows, TARGET);
    taken = 0;
    results.accept(contest.hold(operation, shape.label(), rows, entrants));
  }

  private List<Entrant> entrants(
      Operation operation, long rows, LegacyTable plain, LegacyTable indexed) {
    return switch (operation) {
      case ACK -> acks(rows, plain, indexed);
      case NACK -> nacks(rows, plain, indexed);
      case PUBLISH -> publishes(plain, indexed);
      case INSERT ->
          List.of(
              new Entrant(Entrants.SEED, () -> seedInserts(plain)),
              new Entrant(Entrants.SEED_INDEXED, () -> seedInserts(indexed)));
      case DRAIN -> drains(rows, plain, indexed);
      default -> throw new IllegalArgumentException("not of the legacy table: " + operation);
    };
  }

  private List<Entrant> polls(
      LegacyShape shape, long rows, LegacyTable plain, LegacyTable indexed) {
    return List.of(
        new Entrant(Entrants.SEED, refilled(shape, rows, plain, () -> seedPoll(plain))),
        new Entrant(Entrants.OURS_PLAIN, refilled(shape, rows, plain, () -> polls(plain))),
        new Entrant(Entrants.SEED_INDEXED, refilled(shape, rows, indexed, () -> seedPoll(indexed))),
        new Entrant(Entrants.OURS, refilled(shape, rows, indexed, () -> polls(indexed))));
  }

  /** Polls take rows away; where a small table has none left it is filled again. */
  private static Run refilled(LegacyShape shape, long rows, LegacyTable table, Run poll) {
    return () -> {
      double seconds = poll.seconds();
      if (seconds < 0) {
        table.fill(shape, rows, TARGET);
        seconds = poll.seconds();
      }
      if (seconds < 0) {
        throw new IllegalStateException("a poll found less than " + POLLED + " rows");
      }
      return seconds;
    };
  }

  private double seedPoll(LegacyTable table) throws SQLException {
    SeedLegacy seed = seed(table);
    long began = System.nanoTime();
    List<Receipt> polled = seed.poll(POLLED);
    return polled.size() == POLLED ? Contest.secondsSince(began) : -1;
  }

  /** The mean of many in a row, of as many as the table has rows for: one may work for the next. */
  private static double polls(LegacyTable table) {
    double sum = 0;
    int polls = 0;
    while (polls < POLLS) {
      double one = poll(table);
      if (one < 0) {
        break;
      }
      sum += one;
      polls++;
    }
    return polls == 0 ? -1 : sum / polls;
  }

  /** Until ten are claimed: one call, or several where a call is not sure to have seen all. */
  private static double poll(LegacyTable table) {
    Queue queue = table.queue();
    long began = System.nanoTime();
    int polled = 0;
    while (true) {
      PollResult result = queue.poll(POLLED - polled);
      polled += result.taken();
      if (polled == POLLED) {
        return Contest.secondsSince(began);
      }
      if (result.taken() == 0 && !result.inDoubt()) {
        return -1;
      }
    }
  }

  private List<Entrant> acks(long rows, LegacyTable plain, LegacyTable indexed) {
    return List.of(
        new Entrant(Entrants.SEED, () -> oneByOne(held(plain, rows), r -> seed(plain).ack(r))),
        new Entrant(
            Entrants.OURS_PLAIN, () -> atOnce(held(plain, rows), r -> plain.queue().ackBatch(r))),
        new Entrant(
            Entrants.SEED_INDEXED, () -> oneByOne(held(indexed, rows), r -> seed(indexed).ack(r))),
        new Entrant(
            Entrants.OURS, () -> atOnce(held(indexed, rows), r -> indexed.queue().ackBatch(r))),
        new Entrant(
            Entrants.BARE,
            () -> {
              held(indexed, rows);
              long began = System.nanoTime();
              delete(indexed, last(rows));
              return Contest.secondsSince(began) / BATCH;
            }));
  }

  private List<Entrant> nacks(long rows, LegacyTable plain, LegacyTable indexed) {
    return List.of(
        new Entrant(Entrants.SEED, () -> oneByOne(held(plain, rows), r -> seed(plain).nack(r))),
        new Entrant(
            Entrants.SEED_INDEXED, () -> oneByOne(held(indexed, rows), r -> seed(indexed).nack(r))),
        new Entrant(
            Entrants.OURS,
            () ->
                atOnce(
                    held(indexed, rows),
                    receipts ->
                        indexed
                            .queue()
                            .nackBatch(
                                receipts.stream()
                                    .map(r -> new Return(r, Duration.ZERO))
                                    .toList()))));
  }

  /** The last rows of the table, claimed; those that an ack took away are written again. */
  private List<Receipt> held(LegacyTable table, long rows) throws SQLException {
    table.insert(LegacyShape.GROUPS, rows, rows - BATCH + 1, rows, TARGET);
    return table.hold(last(rows));
  }

  private static List<String> last(long rows) {
    return LegacyTable.lastIds(rows, BATCH);
  }

  /** Settles one claim. */
  @FunctionalInterface
  private interface Settle {
    void settle(Receipt receipt) throws SQLException;
  }

  private double oneByOne(List<Receipt> receipts, Settle settle) throws SQLException {
    Iterator<Receipt> next = receipts.iterator();
    return contest.each(
        receipts.size(),
        () -> {
          settle.settle(next.next());
          return 1;
        });
  }

  private static double atOnce(List<Receipt> receipts, Consumer<List<Receipt>> settle) {
    long began = System.nanoTime();
    settle.accept(receipts);
    return Contest.secondsSince(began) / receipts.size();
  }

  private List<Entrant> publishes(LegacyTable plain, LegacyTable indexed) {
    return List.of(
        new Entrant(Entrants.SEED, () -> published(plain, this::seedPublish)),
        new Entrant(Entrants.OURS_PLAIN, () -> published(plain, LegacyBench::publish)),
        new Entrant(Entrants.SEED_INDEXED, () -> published(indexed, this::seedPublish)),
        new Entrant(Entrants.OURS, () -> published(indexed, LegacyBench::publish)),
        new Entrant(Entrants.BARE, () -> published(indexed, LegacyBench::copy)));
  }

  /** Writes messages to a table. */
  @FunctionalInterface
  private interface Publish {
    void publish(LegacyTable table, List<Message> messages) throws SQLException;
  }

  private double published(LegacyTable table, Publish publish) throws SQLException {
    List<Message> messages = messages(PUBLISHED);
    long began = System.nanoTime();
    publish.publish(table, messages);
    double seconds = Contest.secondsSince(began) / PUBLISHED;
    delete(table, messages.stream().map(Message::id).toList());
    return seconds;
  }

  private List<Message> messages(int count) {
    int first = published;
    published += count;
    return IntStream.range(first, published)
        .mapToObj(i -> Message.of("%013d".formatted(i) + "p", TARGET).withGroup("g" + i % BATCH))
        .toList();
  }

  private static void publish(LegacyTable table, List<Message> messages) {
    for (int from = 0; from < messages.size(); from += PUBLISH_BATCH) {
      table.queue().publishBatch(messages.subList(from, from + PUBLISH_BATCH));
    }
  }

  private void seedPublish(LegacyTable table, List<Message> messages) throws SQLException {
    SeedLegacy seed = seed(table);
    for (int from = 0; from < messages.size(); from += PUBLISH_BATCH) {
      seed.insert(
          messages.subList(from, from + PUBLISH_BATCH).stream().map(LegacyBench::row).toList());
    }
  }

  private static void copy(LegacyTable table, List<Message> messages) throws SQLException {
    StringBuilder lines = new StringBuilder();
    for (Message message : messages) {
      SeedLegacy.Row row = row(message);
      lines
          .append(row.id())
          .append("\tq\t")
          .append(row.group())
          .append("\t1700000000\t1700000000\t")
          .append(row.payload())
          .append('\n');
    }
    try {
      table
          .connection()
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn(
              "COPY queue_messages (id, queue_name, message_group_id, visible_at, created_at,"
                  + " payload) FROM STDIN",
              new StringReader(lines.toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static SeedLegacy.Row row(Message message) {
    return new SeedLegacy.Row(
        message.id(), message.messageGroupId().orElse(""), MessageJson.write(message));
  }

  private double seedInserts(LegacyTable table) throws SQLException {
    List<SeedLegacy.Row> rows = messages(BATCH).stream().map(LegacyBench::row).toList();
    SeedLegacy seed = seed(table);
    long began = System.nanoTime();
    for (SeedLegacy.Row row : rows) {
      seed.insert(List.of(row));
    }
    double seconds = Contest.secondsSince(began) / BATCH;
    delete(table, rows.stream().map(SeedLegacy.Row::id).toList());
    return seconds;
  }

  private List<Entrant> drains(long rows, LegacyTable plain, LegacyTable indexed) {
    int count = Drains.count(rows);
    return List.of(
        new Entrant(Entrants.SEED, drained(plain, rows, () -> seedDrain(plain, count))),
        new Entrant(
            Entrants.OURS_PLAIN,
            drained(plain, rows, () -> Drains.byOurs(contest, plain.queue(), count))),
        new Entrant(
            Entrants.OURS,
            drained(indexed, rows, () -> Drains.byOurs(contest, indexed.queue(), count))),
        new Entrant(Entrants.BARE, drained(indexed, rows, () -> bareDrain(indexed, rows, count))));
  }

  private Run drained(LegacyTable table, long rows, Run drain) {
    return Drains.of(
        rows,
        () -> {
          table.fill(LegacyShape.GROUPS, rows, TARGET);
          taken = 0;
        },
        drain);
  }

  private double seedDrain(LegacyTable table, int count) throws SQLException {
    SeedLegacy seed = seed(table);
    Deque<Receipt> polled = new ArrayDeque<>();
    return contest.each(
        count,
        () -> {
          if (polled.isEmpty()) {
            polled.addAll(seed.poll(BATCH));
          }
          Receipt next = polled.poll();
          if (next == null) {
            return 0;
          }
          seed.ack(next);
          return 1;
        });
  }

  private double bareDrain(LegacyTable table, long rows, int count) throws SQLException {
    List<List<String>> batches = new ArrayList<>();
    for (int done = 0; done < count; done += BATCH) {
      taken += BATCH;
      batches.add(LegacyTable.lastIds(rows - taken, BATCH));
    }
    long began = System.nanoTime();
    for (List<String> ids : batches) {
      table.hold(ids);
      delete(table, ids);
    }
    return Contest.secondsSince(began) / count;
  }

  private static void delete(LegacyTable table, List<String> ids) throws SQLException {
    try (PreparedStatement delete =
        table
            .connection()
            .prepareStatement(
                "DELETE FROM queue_messages WHERE queue_name = 'q' AND id = ANY (?)")) {
      delete.setArray(1, table.connection().createArrayOf("text", ids.toArray()));
      delete.executeUpdate();
    }
  }

  private SeedLegacy seed(LegacyTable table) {
    return new SeedLegacy(table.connection(), contest.patience());
  }
}
