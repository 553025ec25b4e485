package dev.sluice.bench;

import dev.sluice.queue.QueueException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Measures entrants by turns, so that what else the machine does hits all of them. Each runs once
 * before its time counts, unless that takes so long that it can only be measured once.
 */
final class Contest {
  private static final String QUERY_CANCELED = "57014";

  private final int runs;
  private final Duration patience;
  private final BooleanSupplier stopped;

  /**
   * One who takes part.
   *
   * @param name as reports call it
   * @param run does it once
   */
  record Entrant(String name, Run run) {}

  /** Does what is measured. */
  @FunctionalInterface
  interface Run {
    /** Prepares, does it, and says how many seconds one unit took, without the preparation. */
    double seconds() throws SQLException;
  }

  /**
   * @param runs how often each is measured, from 1
   * @param patience how long one run may take before it is taken as given up
   * @param stopped asked before each run; once it is true no more are made
   */
  Contest(int runs, Duration patience, BooleanSupplier stopped) {
    this.runs = runs;
    this.patience = patience;
    this.stopped = stopped;
  }

  Duration patience() {
    return patience;
  }

  boolean isStopped() {
    return stopped.getAsBoolean();
  }

  /**
   * Holds it.
   *
   * @return a result for each, in their order; none for who did not run once before the end
   */
  List<Result> hold(Operation operation, String shape, long rows, List<Entrant> entrants)
      throws SQLException {
    List<Taken> taken = entrants.stream().map(Taken::new).toList();
    for (Taken one : taken) {
      if (!isStopped()) {
        warmUp(one);
      }
    }
    for (int run = 0; run < runs; run++) {
      for (int i = 0; i < taken.size() && !isStopped(); i++) {
        // Nobody always comes after the same one, whose pages it would find in memory.
        Taken one = taken.get((i + run) % taken.size());
        if (!one.done) {
          one.seconds.add(one.entrant.run().seconds());
        }
      }
    }
    return taken.stream()
        .filter(one -> !one.seconds.isEmpty())
        .map(one -> new Result(operation, shape, rows, one.entrant.name(), one.seconds, one.gaveUp))
        .toList();
  }

  private void warmUp(Taken one) throws SQLException {
    long began = System.nanoTime();
    try {
      double seconds = one.entrant.run().seconds();
      if (secondsSince(began) * runs > patience.toSeconds()) {
        one.seconds.add(seconds);
        one.done = true;
      }
    } catch (SQLException e) {
      giveUp(one, began, e, e.getSQLState());
    } catch (QueueException e) {
      giveUp(one, began, e, e.sqlState().orElse(""));
    }
  }

  private static <E extends Exception> void giveUp(
      Taken one, long began, E failure, String sqlState) throws E {
    if (!sqlState.equals(QUERY_CANCELED)) {
      throw failure;
    }
    one.seconds.add(secondsSince(began));
    one.done = true;
    one.gaveUp = true;
  }

  /** Does a part of the work that is measured. */
  @FunctionalInterface
  interface Step {
    /** How many units it did. */
    int units() throws SQLException;
  }

  /**
   * Does steps until so many units are done, or as many as fit into a share of the patience.
   *
   * @return the seconds of one unit
   * @throws IllegalStateException if a step finds nothing to do
   */
  double each(int units, Step step) throws SQLException {
    double most = patience.toSeconds() / (2.0 * runs);
    long began = System.nanoTime();
    int done = 0;
    while (done < units && secondsSince(began) <= most) {
      int some = step.units();
      if (some == 0) {
        throw new IllegalStateException("nothing was left to be measured");
      }
      done += some;
    }
    return secondsSince(began) / done;
  }

  /** The seconds since this {@link System#nanoTime}. */
  static double secondsSince(long nanos) {
    return (System.nanoTime() - nanos) / 1e9;
  }

  private static final class Taken {
    final Entrant entrant;
    final List<Double> seconds = new ArrayList<>();
    boolean done;
    boolean gaveUp;

    Taken(Entrant entrant) {
      this.entrant = entrant;
    }
  }
}
