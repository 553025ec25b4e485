package dev.sluice.cli;

import java.time.Duration;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Shows how far something is: a bar on a terminal, a line every few seconds elsewhere, so that logs
 * stay readable. Thread-safe.
 */
final class Progress {
  private static final Duration REDRAW = Duration.ofMillis(200);
  private static final Duration LINE = Duration.ofSeconds(5);
  private static final int UNKNOWN = -1;

  private final Console console;
  private final String verb;
  private final long most;
  private final LongSupplier done;
  private final long began = System.nanoTime();
  private final Ticker ticker;
  private final Thread thread;
  private final @Nullable ProgressBar bar;

  private Progress(Console console, String verb, long most, LongSupplier done) {
    this.console = console;
    this.verb = verb;
    this.most = most;
    this.done = done;
    this.bar = console.terminal().err() ? bar() : null;
    this.ticker = new Ticker(bar == null ? LINE : REDRAW);
    this.thread = new Thread(this::show, "sluice-progress");
    thread.setDaemon(true);
    thread.start();
  }

  /** Of something whose end is not known. */
  static Progress of(Console console, String verb, LongSupplier done) {
    return new Progress(console, verb, UNKNOWN, done);
  }

  /** Of something that is done when {@code done} has reached {@code most}. */
  static Progress of(Console console, String verb, long most, LongSupplier done) {
    return new Progress(console, verb, Math.max(most, 1), done);
  }

  /** Shows it while work is done. */
  static <T, E extends Exception> T during(Progress progress, Interrupts.Work<T, E> work) throws E {
    try {
      return work.call();
    } finally {
      progress.close();
    }
  }

  private ProgressBar bar() {
    return new ProgressBarBuilder()
        .setTaskName(verb)
        .setInitialMax(most)
        .setStyle(ProgressBarStyle.ASCII)
        .showSpeed()
        .setUpdateIntervalMillis((int) REDRAW.toMillis())
        .setConsumer(new BarOnConsole(console))
        .build();
  }

  private void show() {
    try {
      while (ticker.next()) {
        if (bar == null) {
          printLine();
        } else {
          bar.stepTo(done.getAsLong());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void printLine() {
    long count = done.getAsLong();
    double perSecond = count / Math.max(1e-9, (System.nanoTime() - began) / 1e9);
    String of = most == UNKNOWN ? "" : " of about " + Words.count(Math.max(most, count));
    console.message(verb + " " + Words.count(count) + of + ", " + Words.rate(perSecond));
  }

  /** Stops, and takes the bar off the screen. */
  private void close() {
    ticker.stop();
    if (bar != null) {
      bar.stepTo(done.getAsLong());
      bar.close();
      console.clearBar();
    }
  }

  private record BarOnConsole(Console console) implements ProgressBarConsumer {
    @Override
    public int getMaxRenderedLength() {
      return console.columns() - 1;
    }

    @Override
    public void accept(String rendered) {
      console.drawBar(rendered);
    }

    @Override
    public void close() {}
  }
}
