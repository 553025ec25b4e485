package dev.sluice.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.delivery.Mediator;
import dev.sluice.delivery.Outcome;
import dev.sluice.queue.Delivery;
import dev.sluice.queue.DispatchMode;
import dev.sluice.queue.Message;
import dev.sluice.queue.legacy.LegacyQueue;
import dev.sluice.testing.TestDatabase;
import dev.sluice.time.ManualTime;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

/** A router without threads on a table in PostgreSQL; time and every step are the test's. */
final class TableRig {
  static final Outcome OK = new Outcome.Delivered();
  static final Outcome DOWN = new Outcome.Unavailable("503", 30);
  static final Outcome REFUSED = new Outcome.Permanent("400 bad", false);

  private static final AtomicInteger QUEUES = new AtomicInteger();

  private final TestDatabase database;
  private final String name = "q" + QUEUES.incrementAndGet();
  final ManualTime time = new ManualTime(Instant.parse("2026-11-29T12:00:00Z"));
  final ScriptedQueue queue;
  final Tally tally = new Tally();
  final RouterCore core;
  final Lane lane;
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final ArrayDeque<Runnable> polls = new ArrayDeque<>();
  private final ArrayDeque<Runnable> statements = new ArrayDeque<>();
  private final List<Runnable> news = new ArrayList<>();
  private final Map<String, CompletableFuture<Outcome>> running = new LinkedHashMap<>();
  private final List<String> calls = new ArrayList<>();
  final CompletableFuture<Void> drained = new CompletableFuture<>();
  private boolean pollsHeld;
  private boolean statementsHeld;
  private boolean newsHeld;

  TableRig(TestDatabase database, RouterOptions options, Duration visibility, int concurrency) {
    this.database = database;
    this.queue =
        new ScriptedQueue(
            LegacyQueue.builder(database.dataSource(), name)
                .clock(() -> time.now().getEpochSecond())
                .visibility(visibility)
                .build());
    Mediator mediator = this::called;
    this.core = new RouterCore(mediator, time, options, RouterListener.NONE, tally, this::tell);
    core.setPools(List.of(PoolSettings.of(PoolSettings.DEFAULT_CODE, concurrency)));
    this.lane =
        core.add(
            new RoutedQueue(queue, visibility),
            polls::add,
            statements::add,
            statements::add,
            () -> {});
  }

  private CompletionStage<Outcome> called(Delivery delivery) {
    CompletableFuture<Outcome> answer = new CompletableFuture<>();
    assertThat(running.put(delivery.brokerId(), answer)).isNull();
    calls.add(delivery.brokerId());
    return answer;
  }

  private void tell(Runnable task) {
    if (newsHeld) {
      news.add(task);
    } else {
      tasks.add(task);
    }
  }

  TableRig publish(DispatchMode mode, String group, String... ids) {
    for (String id : ids) {
      Message message = Message.of(id, "http://t.example/hook").withMode(mode);
      String unused = queue.publish(group.isEmpty() ? message : message.withGroup(group));
    }
    return this;
  }

  TableRig ordered(String group, String... ids) {
    return publish(DispatchMode.NEXT_ON_ERROR, group, ids);
  }

  TableRig start() {
    tasks.add(core::start);
    return pump();
  }

  TableRig stop() {
    tasks.add(core::stop);
    return pump();
  }

  TableRig drain(Duration wait) {
    tasks.add(() -> lane.drain(wait, drained));
    return start();
  }

  TableRig wake() {
    tasks.add(core::wake);
    return pump();
  }

  TableRig answer(String id, Outcome outcome) {
    taken(id).complete(outcome);
    return pump();
  }

  TableRig breakDown(String id) {
    taken(id).completeExceptionally(new IllegalStateException("scripted"));
    return pump();
  }

  private CompletableFuture<Outcome> taken(String id) {
    CompletableFuture<Outcome> answer = running.remove(id);
    if (answer == null) {
      throw new AssertionError(id + " is not being called, but " + running.keySet());
    }
    return answer;
  }

  TableRig holdPolls(boolean held) {
    pollsHeld = held;
    return pump();
  }

  TableRig holdStatements(boolean held) {
    statementsHeld = held;
    return pump();
  }

  /** Runs the poll that waits; the router hears of it at {@link #hear}. */
  TableRig runPoll() {
    return runApart(polls);
  }

  /** Runs the settlements or the extension that waits; heard of at {@link #hear}. */
  TableRig runStatement() {
    return runApart(statements);
  }

  private TableRig runApart(ArrayDeque<Runnable> thread) {
    Runnable next = thread.poll();
    if (next != null) {
      newsHeld = true;
      next.run();
      newsHeld = false;
    }
    return this;
  }

  TableRig hear() {
    tasks.addAll(news);
    news.clear();
    return pump();
  }

  /** As {@link #hear}, but of a poll and a statement the later is heard of first. */
  TableRig hearLatestFirst() {
    for (int i = news.size() - 1; i >= 0; i--) {
      tasks.add(news.get(i));
    }
    news.clear();
    return pump();
  }

  TableRig pump() {
    while (runNext(tasks, false)
        || runNext(polls, pollsHeld)
        || runNext(statements, statementsHeld)) {
      checkPlaces();
    }
    return this;
  }

  private static boolean runNext(ArrayDeque<Runnable> thread, boolean held) {
    if (held || thread.isEmpty()) {
      return false;
    }
    thread.remove().run();
    return true;
  }

  /** Goes from timer to timer and lets all happen that each sets off. */
  TableRig advance(Duration by) {
    long end = time.nanos() + by.toNanos();
    while (time.nanos() < end) {
      long left = end - time.nanos();
      long next = time.waiting().stream().mapToLong(Duration::toNanos).findFirst().orElse(left);
      time.advance(Duration.ofNanos(Math.min(Math.max(next, 1), left)));
      pump();
    }
    return this;
  }

  TableRig seconds(long seconds) {
    return advance(Duration.ofSeconds(seconds));
  }

  /** Lets lingering settlements go, and what goes back behind them. */
  TableRig linger() {
    return advance(Settler.LINGER).advance(Settler.LINGER);
  }

  void checkPlaces() {
    List<String> ids = core.places().stream().map(RouterCore.Placed::id).toList();
    assertThat(ids).doesNotHaveDuplicates().hasSize(core.held());
  }

  List<String> running() {
    return List.copyOf(running.keySet());
  }

  List<String> calls() {
    return List.copyOf(calls);
  }

  /** The statements so far, but for polls and what they ask. */
  List<String> settlements() {
    return queue.log().stream()
        .filter(s -> !s.startsWith("poll") && !s.startsWith("blocked"))
        .toList();
  }

  /** {@code id state}, in order: pending, delayed N, claimed N, lapsed; N in seconds from now. */
  List<String> rows() {
    return select(
        "SELECT id || CASE WHEN receipt_handle IS NULL AND visible_at <= ? THEN ' pending'"
            + " WHEN receipt_handle IS NULL THEN ' delayed ' || visible_at - ?"
            + " WHEN visible_at <= ? THEN ' lapsed' ELSE ' claimed ' || visible_at - ? END"
            + " FROM queue_messages WHERE queue_name = ? ORDER BY created_at, id",
        4);
  }

  /** {@code id: reason}, by id. */
  List<String> quarantine() {
    return select(
        "SELECT id || ': ' || error_message FROM queue_messages_failed"
            + " WHERE queue_name = ? ORDER BY id",
        0);
  }

  /** Someone else takes the claim of this row. */
  void steal(String id) {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement update =
            connection.prepareStatement(
                "UPDATE queue_messages SET receipt_handle = 'other:' || id, visible_at = ?"
                    + " WHERE queue_name = ? AND id = ?")) {
      update.setLong(1, time.now().getEpochSecond() + 120);
      update.setString(2, name);
      update.setString(3, id);
      assertThat(update.executeUpdate()).isEqualTo(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<String> select(String sql, int times) {
    try (Connection connection = database.dataSource().getConnection();
        PreparedStatement query = connection.prepareStatement(sql)) {
      for (int i = 1; i <= times; i++) {
        query.setLong(i, time.now().getEpochSecond());
      }
      query.setString(times + 1, name);
      List<String> lines = new ArrayList<>();
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          lines.add(rows.getString(1));
        }
      }
      return lines;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
