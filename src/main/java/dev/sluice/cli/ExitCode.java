package dev.sluice.cli;

/** What the process ends with; scripts rely on it. */
final class ExitCode {
  static final int DONE = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;

  /** Tables are missing or different. */
  static final int SCHEMA = 3;

  /** Finished, but messages are left. */
  static final int LEFT = 4;

  /** Interrupted twice. */
  static final int INTERRUPTED = 130;

  /** The reader of our output went away: what a process killed by SIGPIPE ends with. */
  static final int PIPE_CLOSED = 141;

  private ExitCode() {}
}
