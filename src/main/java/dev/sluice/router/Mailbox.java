package dev.sluice.router;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One named daemon thread and what waits for it. Survives whatever a task throws; after the end,
 * tasks are dropped: late answers and timers have nobody to go to.
 */
final class Mailbox implements Executor {
  private static final Logger log = LoggerFactory.getLogger(Router.class);

  private final String name;
  private final ThreadPoolExecutor thread;

  Mailbox(String name) {
    this.name = name;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            this::daemon,
            new ThreadPoolExecutor.DiscardPolicy());
  }

  @Override
  public void execute(Runnable task) {
    thread.execute(
        () -> {
          try {
            task.run();
          } catch (Throwable e) {
            report(e);
          }
        });
  }

  /** Runs what waits, and ends. */
  void end() {
    thread.shutdown();
  }

  /** Ends without what waits, and interrupts what runs. */
  void endNow() {
    thread.shutdownNow();
  }

  private Thread daemon(Runnable work) {
    Thread daemon = new Thread(work, name);
    daemon.setDaemon(true);
    return daemon;
  }

  // Without its text, which may quote a payload.
  private void report(Throwable fault) {
    StackTraceElement[] trace = fault.getStackTrace();
    log.error(
        "event=internal_error thread={} error={} at={}",
        name,
        fault.getClass().getName(),
        trace.length == 0 ? "unknown" : trace[0]);
  }
}
