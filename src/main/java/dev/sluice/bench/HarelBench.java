package dev.sluice.bench;

import dev.sluice.bench.Contest.Entrant;
import dev.sluice.bench.Contest.Run;
import dev.sluice.queue.Queue;
import dev.sluice.queue.Receipt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The harel tables: as Python makes them, and with ours, and the same groups in both. */
final class HarelBench {
  private static final int BATCH = Drains.BATCH;
  private static final int SESSIONS = 4;
  private static final double SESSIONS_SECONDS = 2;
  private static final Duration LEASE = Duration.ofHours(12);
  private static final String TOKEN = "bench:1";

  private final BenchRequest request;
  private final Contest contest;
  private final Consumer<String> progress;
  private long groups;
  private long taken;

  HarelBench(BenchRequest request, Contest contest, Consumer<String> progress) {
    this.request = request;
    this.contest = contest;
    this.progress = progress;
  }

  /** A claim of the seed's function. */
  private record Claim(String group, long seq, String token) {}

  void run(long groups, Consumer<List<Result>> results) throws SQLException {
    this.groups = groups;
    try (HarelTable seed = HarelTable.create(request.database(), false);
        HarelTable ours = HarelTable.create(request.database(), true)) {
      Queue queue = ours.queue();
      if (request.operations().contains(Operation.CLAIM)) {
        for (HarelShape shape : HarelShape.values()) {
          hold(
              Operation.CLAIM,
              shape,
              seed,
              ours,
              List.of(
                  new Entrant(Entrants.SEED, () -> timed(() -> claim(seed.connection()))),
                  new Entrant(Entrants.OURS, () -> timed(() -> queue.poll(1)))),
              results);
        }
      }
      if (request.operations().contains(Operation.SESSIONS)) {
        hold(
            Operation.SESSIONS,
            HarelShape.FRESH,
            seed,
            ours,
            List.of(
                new Entrant(Entrants.SEED, () -> sessions(() -> claimOnItsOwn(seed))),
                new Entrant(Entrants.OURS, () -> sessions(() -> queue.poll(1)))),
            results);
      }
      if (request.operations().contains(Operation.HAREL_ACK)) {
        hold(
            Operation.HAREL_ACK,
            HarelShape.FRESH,
            seed,
            ours,
            List.of(
                new Entrant(Entrants.SEED, () -> seedAck(seed)),
                new Entrant(Entrants.OURS, () -> ack(queue))),
            results);
      }
      if (request.operations().contains(Operation.HAREL_DRAIN)) {
        int count = Drains.count(groups);
        hold(
            Operation.HAREL_DRAIN,
            HarelShape.FRESH,
            seed,
            ours,
            List.of(
                new Entrant(Entrants.SEED, drained(seed, () -> seedDrain(seed, count))),
                new Entrant(
                    Entrants.OURS, drained(ours, () -> Drains.byOurs(contest, queue, count))),
                new Entrant(Entrants.BARE, drained(ours, () -> bareDrain(ours, count)))),
            results);
      }
    }
  }

  private void hold(
      Operation operation,
      HarelShape shape,
      HarelTable seed,
      HarelTable ours,
      List<Entrant> entrants,
      Consumer<List<Result>> results)
      throws SQLException {
    if (contest.isStopped()) {
      return;
    }
    progress.accept("%s, %s, %,d groups".formatted(operation, shape, groups));
    seed.fill(shape, groups);
    ours.fill(shape, groups);
    taken = 0;
    results.accept(contest.hold(operation, shape.label(), groups, entrants));
  }

  private Run drained(HarelTable table, Run drain) {
    return Drains.of(
        groups,
        () -> {
          table.fill(HarelShape.FRESH, groups);
          taken = 0;
        },
        drain);
  }

  /** Does one thing. */
  @FunctionalInterface
  private interface Action {
    void run() throws SQLException;
  }

  private static double timed(Action action) throws SQLException {
    long began = System.nanoTime();
    action.run();
    return Contest.secondsSince(began);
  }

  private Optional<Claim> claim(Connection connection) throws SQLException {
    double now = Instant.now().toEpochMilli() / 1e3;
    try (PreparedStatement claim =
        connection.prepareStatement("SELECT group_id, seq FROM harel_claim(?, ?, ?, 0)")) {
      claim.setQueryTimeout((int) contest.patience().toSeconds());
      claim.setDouble(1, now);
      claim.setDouble(2, now + LEASE.toSeconds());
      claim.setString(3, TOKEN);
      try (ResultSet row = claim.executeQuery()) {
        return row.next()
            ? Optional.of(new Claim(row.getString(1), row.getLong(2), TOKEN))
            : Optional.empty();
      }
    }
  }

  private void claimOnItsOwn(HarelTable table) throws SQLException {
    try (Connection connection = table.scratch().connect()) {
      claim(connection);
    }
  }

  /** How long a claim takes for all sessions together. */
  private static double sessions(Action claim) {
    ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
    try {
      long began = System.nanoTime();
      List<CompletableFuture<Integer>> sessions =
          IntStream.range(0, SESSIONS)
              .mapToObj(i -> CompletableFuture.supplyAsync(() -> session(claim, began), threads))
              .toList();
      int claims = sessions.stream().mapToInt(CompletableFuture::join).sum();
      return Contest.secondsSince(began) / claims;
    } finally {
      threads.shutdownNow();
    }
  }

  private static int session(Action claim, long began) {
    int claims = 0;
    do {
      try {
        claim.run();
      } catch (SQLException e) {
        throw new CompletionException(e);
      }
      claims++;
    } while (Contest.secondsSince(began) < SESSIONS_SECONDS);
    return claims;
  }

  private double seedAck(HarelTable table) throws SQLException {
    Iterator<Claim> next = leased(table, nextGroups()).iterator();
    return contest.each(
        BATCH,
        () -> {
          ack(table.connection(), next.next());
          return 1;
        });
  }

  private static void ack(Connection connection, Claim claim) throws SQLException {
    try (PreparedStatement ack = connection.prepareStatement("SELECT harel_ack(?, ?, ?, ?)")) {
      ack.setString(1, claim.group());
      ack.setLong(2, claim.seq());
      ack.setString(3, claim.token());
      ack.setDouble(4, Instant.now().toEpochMilli() / 1e3);
      ack.execute();
    }
  }

  private static double ack(Queue queue) {
    List<Receipt> receipts = Drains.poll(queue);
    long began = System.nanoTime();
    queue.ackBatch(receipts);
    return Contest.secondsSince(began) / receipts.size();
  }

  /** The last groups that were not taken yet: far from those that claims take. */
  private String[] nextGroups() {
    String[] next = new String[BATCH];
    for (int i = 0; i < BATCH; i++) {
      next[i] = "g" + (groups - taken);
      taken++;
    }
    return next;
  }

  /** By primary key, as the least that a claim must write. */
  private static List<Claim> leased(HarelTable table, String[] names) throws SQLException {
    Connection connection = table.connection();
    List<Claim> claims = new ArrayList<>();
    try (PreparedStatement lease =
        connection.prepareStatement(
            """
            UPDATE transport_groups g SET locked_by = ?, lock_expiry = 4000000000
            FROM transport_messages m
            WHERE g.group_id = ANY (?) AND m.group_id = g.group_id
            RETURNING g.group_id, m.seq""")) {
      lease.setString(1, TOKEN);
      lease.setArray(2, connection.createArrayOf("text", names));
      try (ResultSet row = lease.executeQuery()) {
        while (row.next()) {
          claims.add(new Claim(row.getString(1), row.getLong(2), TOKEN));
        }
      }
    }
    return claims;
  }

  private double seedDrain(HarelTable table, int count) throws SQLException {
    return contest.each(
        count,
        () -> {
          Optional<Claim> claim = claim(table.connection());
          if (claim.isEmpty()) {
            return 0;
          }
          ack(table.connection(), claim.get());
          return 1;
        });
  }

  private double bareDrain(HarelTable table, int count) throws SQLException {
    List<String[]> batches = new ArrayList<>();
    for (int done = 0; done < count; done += BATCH) {
      batches.add(nextGroups());
    }
    Connection connection = table.connection();
    long began = System.nanoTime();
    for (String[] names : batches) {
      Object[] seqs = leased(table, names).stream().map(Claim::seq).toArray();
      try (PreparedStatement messages =
              connection.prepareStatement("DELETE FROM transport_messages WHERE seq = ANY (?)");
          PreparedStatement ofGroups =
              connection.prepareStatement(
                  "DELETE FROM transport_groups WHERE group_id = ANY (?)")) {
        messages.setArray(1, connection.createArrayOf("bigint", seqs));
        messages.executeUpdate();
        ofGroups.setArray(1, connection.createArrayOf("text", names));
        ofGroups.executeUpdate();
      }
    }
    return Contest.secondsSince(began) / count;
  }
}
