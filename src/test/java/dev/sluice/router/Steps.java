package dev.sluice.router;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** A thread that a test steps: tasks run when told, in their order. */
final class Steps implements Executor {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  boolean isIdle() {
    return tasks.isEmpty();
  }

  /** Runs the next task, if there is one. */
  boolean step() {
    Runnable next = tasks.poll();
    if (next == null) {
      return false;
    }
    next.run();
    return true;
  }
}
