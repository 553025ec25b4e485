package dev.sluice.queue.harel;

import dev.sluice.queue.AsyncQueue;
import dev.sluice.queue.ExecutorAsyncQueue;
import dev.sluice.queue.PollResult;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** The asynchronous twin of {@link HarelQueue}; see {@link AsyncQueue}. */
public final class AsyncHarelQueue extends ExecutorAsyncQueue {
  private final HarelQueue queue;

  private AsyncHarelQueue(HarelQueue queue, Executor executor) {
    super(queue, executor);
    this.queue = queue;
  }

  /** The twin of this queue; give it as many threads as the queue has connections. */
  public static AsyncHarelQueue of(HarelQueue queue, Executor executor) {
    return new AsyncHarelQueue(queue, executor);
  }

  /** See {@link HarelQueue#poll(int, int)}. */
  public CompletionStage<PollResult> poll(int max, int minPriority) {
    return call(() -> queue.poll(max, minPriority));
  }

  /** See {@link HarelQueue#publishEvents}. */
  public CompletionStage<List<Long>> publishEvents(List<Event> events) {
    List<Event> copy = List.copyOf(events);
    return call(() -> queue.publishEvents(copy));
  }
}
