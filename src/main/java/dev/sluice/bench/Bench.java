package dev.sluice.bench;

import dev.sluice.queue.QueueException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Measures what a {@link BenchRequest} asks for. For one run; {@link #stop} from any thread. */
public final class Bench {
  private final BenchRequest request;
  private final Consumer<String> progress;
  private volatile boolean stopped;

  /**
   * @param progress told in a few words what is being measured
   */
  public Bench(BenchRequest request, Consumer<String> progress) {
    this.request = request;
    this.progress = progress;
  }

  /**
   * Makes scratch schemas, measures, and drops them.
   *
   * @return what was measured, in the order of its doing; less than was asked for after {@link
   *     #stop}
   * @throws QueueException if the database fails, or the user may not create schemas
   */
  public List<Result> run() {
    Contest contest = new Contest(request.runs(), request.patience(), () -> stopped);
    List<Result> results = new ArrayList<>();
    try {
      for (long size : request.sizes()) {
        if (request.measuresLegacy() && !stopped) {
          new LegacyBench(request, contest, progress).run(size, results::addAll);
        }
        if (request.measuresHarel() && !stopped) {
          new HarelBench(request, contest, progress).run(size, results::addAll);
        }
      }
    } catch (SQLException e) {
      throw new QueueException("bench", request.database().safe(), e);
    }
    return results;
  }

  /** Ends the run after the call that is being measured, and cleans up. */
  public void stop() {
    stopped = true;
  }
}
