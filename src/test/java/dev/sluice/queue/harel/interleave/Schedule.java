package dev.sluice.queue.harel.interleave;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** One run of the scripts, in which one session at a time does its next step. For one thread. */
final class Schedule {
  private static final long PATIENCE = Duration.ofMinutes(2).toNanos();
  private static final long A_CALL = 150_000;
  private static final int RUNNING = -2;
  private static final int AT_HOME = -3;

  private final Stage stage;
  private final List<Session> sessions;
  private final int[] places;
  private final int[] done;
  private final List<String> turns = new ArrayList<>();

  Schedule(Stage stage, List<Script> scripts) {
    this.stage = stage;
    sessions = stage.sessions(scripts.size());
    places = new int[scripts.size()];
    done = new int[scripts.size()];
    Arrays.fill(places, AT_HOME);
    for (int i = 0; i < scripts.size(); i++) {
      sessions.get(i).take(scripts.get(i));
    }
  }

  /** The sessions that have a next step and are not kept from it by others. */
  List<Integer> runnable() {
    List<Integer> runnable = new ArrayList<>();
    for (int i = 0; i < places.length; i++) {
      if (places[i] >= 0 || (places[i] == AT_HOME && sessions.get(i).hasMore())) {
        runnable.add(i);
      }
    }
    return runnable;
  }

  /** Has a session do its next step, and returns when everybody stands still again. */
  void step(int chosen) throws SQLException {
    letGo(chosen);
    sayWhoWaits();
  }

  private void letGo(int chosen) throws SQLException {
    turns.add(sessions.get(chosen).name() + " " + ++done[chosen]);
    sessions.forEach(session -> session.log().turn(turns.size()));
    int gate = places[chosen];
    places[chosen] = RUNNING;
    if (gate >= 0) {
      List<Integer> away = away();
      if (stands(away, stage.pass(gate, pids(away)))) {
        return;
      }
    } else {
      sessions.get(chosen).send();
      LockSupport.parkNanos(A_CALL);
    }
    settle();
  }

  private void sayWhoWaits() {
    for (int i = 0; i < places.length; i++) {
      if (places[i] == Stage.FOR_A_LOCK) {
        turns.set(
            turns.size() - 1,
            turns.get(turns.size() - 1) + " (" + sessions.get(i).name() + " waits)");
      }
    }
  }

  private void settle() throws SQLException {
    long deadline = System.nanoTime() + PATIENCE;
    while (true) {
      bringHome();
      List<Integer> away = away();
      if (away.isEmpty() || stands(away, stage.waiting(pids(away)))) {
        return;
      }
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("somebody hangs after " + this);
      }
    }
  }

  private void bringHome() {
    for (int i = 0; i < places.length; i++) {
      if (places[i] < 0 && !sessions.get(i).isBusy()) {
        places[i] = AT_HOME;
      }
    }
  }

  private List<Integer> away() {
    List<Integer> away = new ArrayList<>();
    for (int i = 0; i < places.length; i++) {
      if (places[i] == RUNNING || places[i] == Stage.FOR_A_LOCK) {
        away.add(i);
      }
    }
    return away;
  }

  /** Whether all of these stand at a gate or wait for a lock that will not come by itself. */
  private boolean stands(List<Integer> away, Map<Integer, Integer> waiting) throws SQLException {
    List<Integer> locked = new ArrayList<>();
    for (int i : away) {
      places[i] = waiting.getOrDefault(sessions.get(i).pid(), RUNNING);
      if (places[i] == Stage.FOR_A_LOCK) {
        locked.add(sessions.get(i).pid());
      }
    }
    return waiting.size() == away.size()
        && (locked.isEmpty() || !runnable().isEmpty())
        && (locked.size() < 2 || !stage.waitInACircle(locked));
  }

  private List<Integer> pids(List<Integer> some) {
    return some.stream().map(i -> sessions.get(i).pid()).toList();
  }

  Outcome outcome(State initial) throws SQLException {
    List<Happening> happenings = new ArrayList<>();
    List<String> failures = new ArrayList<>();
    for (Session session : sessions) {
      happenings.addAll(session.log().happenings());
      SQLException failure = session.log().failure();
      if (failure != null) {
        failures.add(session.name() + ": " + failure.getSQLState() + " " + failure.getMessage());
      }
    }
    return new Outcome(initial, happenings, failures, stage.end());
  }

  @Override
  public String toString() {
    return String.join(" | ", turns);
  }
}
