package dev.sluice.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/**
 * What a command sees of the world around it: data goes to {@link #out}, everything else to {@link
 * #err}. Safe for use by many threads.
 */
final class Console {
  /** Which of the streams are a terminal. */
  record Terminal(boolean in, boolean out, boolean err) {
    static final Terminal NONE = new Terminal(false, false, false);
  }

  private static final String CLEAR_LINE = "\r\033[K";

  private final InputStream in;
  private final WatchedOutput watched;
  private final PrintStream out;
  private final PrintStream err;
  private final Terminal terminal;
  private final Map<String, String> environment;

  /** Guarded by {@link #err}. */
  private boolean barDrawn;

  Console(
      InputStream in,
      OutputStream out,
      OutputStream err,
      Terminal terminal,
      Map<String, String> environment) {
    this.in = in;
    this.watched = new WatchedOutput(out);
    this.out =
        new PrintStream(new BufferedOutputStream(watched, 8192), false, StandardCharsets.UTF_8);
    this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
    this.terminal = terminal;
    this.environment = Map.copyOf(environment);
  }

  /** The streams, the environment and the terminal of this process. */
  static Console system() {
    return new Console(
        new FileInputStream(FileDescriptor.in),
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        systemTerminal(),
        System.getenv());
  }

  // The launcher looks at each stream; Java could only tell whether all of them are a terminal.
  private static Terminal systemTerminal() {
    String told = System.getProperty("sluice.terminal", "");
    return new Terminal(told.contains("0"), told.contains("1"), told.contains("2"));
  }

  InputStream in() {
    return in;
  }

  /** For data. Buffered: {@link #flush} what a person is to see now. */
  PrintStream out() {
    return out;
  }

  /** For everything but data. */
  PrintStream err() {
    return err;
  }

  /**
   * Writes a line for people, above the progress bar where one is drawn. Passwords in it are
   * masked.
   */
  void message(String line) {
    synchronized (err) {
      err.println((barDrawn ? CLEAR_LINE : "") + Printable.line(line));
      barDrawn = false;
    }
  }

  /** Draws a line that the next one replaces. Only for a terminal. */
  void drawBar(String bar) {
    synchronized (err) {
      err.print(CLEAR_LINE + bar);
      err.flush();
      barDrawn = true;
    }
  }

  /** Removes the line that {@link #drawBar} drew last. */
  void clearBar() {
    synchronized (err) {
      if (barDrawn) {
        err.print(CLEAR_LINE);
        err.flush();
        barDrawn = false;
      }
    }
  }

  /** How wide the terminal is, in characters. */
  int columns() {
    return Integer.getInteger("sluice.columns", 80);
  }

  Terminal terminal() {
    return terminal;
  }

  /** The value of an environment variable; empty where it is not set, or set to nothing. */
  Optional<String> environment(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
  }

  /** Whether colours may be written to this kind of stream. */
  boolean colours(boolean streamIsTerminal) {
    return streamIsTerminal
        && environment("NO_COLOR").isEmpty()
        && !environment("TERM").orElse("").equals("dumb");
  }

  /**
   * Writes out what is buffered.
   *
   * @return whether there is still somebody to read it
   */
  boolean flush() {
    out.flush();
    return watched.failure().isEmpty();
  }

  /** What went wrong with writing data, if anything did. */
  Optional<WatchedOutput.Failure> outputFailure() {
    flush();
    return watched.failure();
  }
}
