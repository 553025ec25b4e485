package dev.sluice.migrate;

import dev.sluice.migrate.MigrationRequest.Mode;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.legacy.LegacyHold;
import dev.sluice.queue.uri.Database;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One migration of one queue. {@link #stop} and {@link #moved} may be called by any thread, {@link
 * #run} once.
 */
public final class Migration {
  private static final Duration PAUSE = Duration.ofMillis(200);

  /** Once it has its locks, nothing is remembered any more; what was, soon counts no more. */
  private static final long FORGOTTEN_MILLIS = LegacyHold.REMEMBERED_MILLIS + 50;

  private static final int PASSES = 5;
  private static final int TRIES = 5;

  private final Database from;
  private final Database to;
  private final MigrationRequest request;
  private final Tally tally = new Tally();
  private volatile boolean stopped;

  /** A migration from one database's tables to the other's, one of which is legacy. */
  public Migration(Database from, Database to, MigrationRequest request) {
    this.from = from;
    this.to = to;
    this.request = request;
  }

  /** Ends it after the batch under way. */
  public void stop() {
    stopped = true;
  }

  /** Messages moved so far. */
  public long moved() {
    return tally.messages.sum();
  }

  /** Both sides, without passwords. */
  public String ends() {
    return from.safeUri() + " or " + to.safeUri();
  }

  /**
   * Does what was asked for.
   *
   * @throws QueueException if it fails; nothing is lost, and the same call goes on where it ended
   */
  public MigrationReport run() {
    long began = System.nanoTime();
    try (Ends ends = Ends.open(from, to, request.queue());
        Mover mover =
            ends.toHarel()
                ? new ToHarel(ends, request, tally)
                : new ToLegacy(ends, request, tally)) {
      Outcome outcome = run(ends, mover);
      return report(outcome, (System.nanoTime() - began) / 1e9);
    } catch (SQLException e) {
      throw new QueueException("migrate", request.queue(), e);
    }
  }

  private record Outcome(String phase, long remaining, List<String> notes) {}

  private Outcome run(Ends ends, Mover mover) throws SQLException {
    RecordTable record = new RecordTable(ends);
    if (request.mode().moves()) {
      Pause.millis(FORGOTTEN_MILLIS);
    }
    return switch (request.mode()) {
      case DRY_RUN ->
          new Outcome("planned", mover.remaining(), new Plan(ends, request, tally).draw());
      case VERIFY -> verify(ends, mover, record);
      case ABORT -> abort(ends, record);
      case MOVE, FINISH -> move(ends, mover, record);
    };
  }

  private Outcome verify(Ends ends, Mover mover, RecordTable record) throws SQLException {
    if (!record.exists()) {
      throw new QueueException(
          "nothing to verify: there is no record of a migration of queue '"
              + request.queue()
              + "' at the target; it is dropped when all has moved, and by --finish and --abort");
    }
    List<String> faults = new Verification(ends, request, tally).faults();
    return new Outcome(faults.isEmpty() ? "verified" : "broken", mover.remaining(), faults);
  }

  private Outcome abort(Ends ends, RecordTable record) throws SQLException {
    Abort abort = new Abort(ends, request, tally, () -> stopped);
    if (!record.exists()) {
      abort.release();
      return new Outcome("aborted", 0, List.of("no migration was under way"));
    }
    settle(ends);
    long left = abort.run();
    return left == 0
        ? new Outcome("aborted", 0, ofOthers(ends))
        : new Outcome("aborting", left, List.of());
  }

  private List<String> ofOthers(Ends ends) throws SQLException {
    long count =
        ends.toHarel()
            ? new HarelSide(ends.target(), ends.names()).count()
            : new LegacySide(ends.target(), ends.names(), request.queue()).count();
    ends.commit();
    return count == 0
        ? List.of()
        : List.of(count + " messages at the target were put there by others, and stay");
  }

  private void settle(Ends ends) throws SQLException {
    if (!ends.oneDatabase()) {
      new Arrivals(ends, request).settle();
    }
  }

  private Outcome move(Ends ends, Mover mover, RecordTable record) throws SQLException {
    record.create();
    settle(ends);
    sweep(ends, mover);
    List<String> notes = new ArrayList<>();
    if (request.includeFailed() && !stopped) {
      new Quarantine(ends, request, tally).move();
    }
    long remaining = mover.remaining();
    boolean finish = request.mode() == Mode.FINISH;
    if (remaining > 0 || stopped || (tally.arrivals && !finish && request.hold())) {
      if (remaining == 0 && !stopped) {
        notes.add("producers still write here: switch them, then end it with --finish");
      }
      return new Outcome("held", remaining, notes);
    }
    mover.release();
    record.forget(ends.target());
    ends.commit();
    return new Outcome(finish ? "finished" : "moved", mover.remaining(), notes);
  }

  /** Pass after pass, until there is nothing that moves or may move in time. */
  private void sweep(Ends ends, Mover mover) throws SQLException {
    long deadline = System.nanoTime() + request.patience().toNanos();
    for (int pass = 1; !stopped; pass++) {
      long began = System.nanoTime();
      tally.beginPass(pass == 1);
      pass(ends, mover);
      boolean inTime = System.nanoTime() < deadline;
      boolean briefly = pass < PASSES && (tally.moved > 0 || tally.busy > 0);
      if (!(inTime || briefly) || !mayMoveMore(mover)) {
        return;
      }
      if (tally.moved == 0) {
        // A pass reads the whole queue: no more than a third of the time goes into looking.
        Pause.millis(Math.max(PAUSE.toMillis(), 2 * (System.nanoTime() - began) / 1_000_000));
      }
    }
  }

  // What came behind the keys of a pass, or in place of what was in flight, is for the next one.
  private boolean mayMoveMore(Mover mover) throws SQLException {
    return tally.mayHelpToWait() || mover.remaining() > tally.refusedMessages;
  }

  private void pass(Ends ends, Mover mover) throws SQLException {
    try (Keys keys = mover.keys()) {
      Chunks chunks = new Chunks(keys::next, request.batch());
      Set<String> left = Set.of();
      Optional<Chunk> next = chunks.next();
      while (next.isPresent() && !stopped) {
        Chunk chunk = next.get();
        // Once the first rows of a group stay, the rest of it does.
        if (chunk.continued() && left.contains(chunk.keys().get(0).group())) {
          chunk = chunk.without(chunk.keys().get(0).group());
        } else {
          left = Set.of();
        }
        if (!chunk.keys().isEmpty()) {
          Set<String> now = move(ends, mover, chunk);
          left = now.isEmpty() ? left : now;
        }
        next = chunks.next();
      }
    }
  }

  // The database ends a statement now and then for another one's sake.
  private static Set<String> move(Ends ends, Mover mover, Chunk chunk) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try {
        return mover.move(chunk);
      } catch (SQLException e) {
        if (attempt == TRIES || !mayWorkAgain(e)) {
          throw e;
        }
        ends.rollBack();
      }
    }
  }

  private static boolean mayWorkAgain(SQLException e) {
    String state = e.getSQLState();
    return state != null && Set.of("40001", "40P01", "55P03", "23505").contains(state);
  }

  private MigrationReport report(Outcome outcome, double seconds) {
    List<String> notes = new ArrayList<>(outcome.notes());
    notes.addAll(tally.notes());
    return new MigrationReport(
        tally.groups,
        tally.messages.sum(),
        tally.inFlight,
        tally.refused,
        tally.reordered,
        tally.delaysLost,
        tally.idMismatches,
        tally.failedMoved,
        seconds,
        outcome.remaining(),
        outcome.phase(),
        notes);
  }
}
