package dev.sluice.cli;

/** A command cannot go on; the message is the one line that the user reads. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  CommandException(int exitCode, String line) {
    super(line);
    this.exitCode = exitCode;
  }

  CommandException(int exitCode, String line, Throwable cause) {
    super(line, cause);
    this.exitCode = exitCode;
  }

  static CommandException failed(String line) {
    return new CommandException(ExitCode.FAILED, line);
  }

  static CommandException usage(String line) {
    return new CommandException(ExitCode.USAGE, line);
  }

  int exitCode() {
    return exitCode;
  }
}
