package dev.sluice.cli;

import dev.sluice.config.ConfigException;
import dev.sluice.monitor.MonitorException;
import dev.sluice.queue.QueueException;
import dev.sluice.queue.SchemaException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A failure as the user reads it: what failed, where, and what to do.
 *
 * @param exitCode what the process ends with
 * @param text one line without passwords
 */
record ErrorLine(int exitCode, String text) {

  ErrorLine {
    text = Printable.line(text);
  }

  /**
   * @param database where it happened, if a database was named
   */
  static ErrorLine of(Throwable failure, Optional<String> database) {
    if (failure instanceof CommandException e) {
      return new ErrorLine(e.exitCode(), message(e));
    }
    if (failure instanceof SchemaException e) {
      return new ErrorLine(ExitCode.SCHEMA, message(e));
    }
    if (failure instanceof ConfigException e) {
      return new ErrorLine(e.isUnanswered() ? ExitCode.FAILED : ExitCode.USAGE, message(e));
    }
    if (failure instanceof MonitorException e) {
      return new ErrorLine(ExitCode.FAILED, message(e));
    }
    if (failure instanceof QueueException e) {
      return ofQueue(e, database.orElse("the database"));
    }
    if (failure instanceof IllegalArgumentException e) {
      return new ErrorLine(ExitCode.USAGE, message(e));
    }
    if (failure instanceof IOException e) {
      return new ErrorLine(ExitCode.FAILED, ofFile(e));
    }
    if (failure instanceof OutOfMemoryError) {
      return new ErrorLine(
          ExitCode.FAILED,
          "out of memory; give it more with JAVA_OPTS=-Xmx512m, or claim less with --batch");
    }
    return new ErrorLine(
        ExitCode.FAILED,
        "unexpected "
            + failure.getClass().getName()
            + ": "
            + message(failure)
            + "; see it all with --debug");
  }

  private static ErrorLine ofQueue(QueueException e, String database) {
    String state = e.sqlState().orElse("");
    int exitCode =
        state.equals("42P01") || state.equals("42703") ? ExitCode.SCHEMA : ExitCode.FAILED;
    return new ErrorLine(
        exitCode, what(e, state, database) + advice(e, state).map(a -> "; " + a).orElse(""));
  }

  // Which statement it was that found no database, nobody needs to know.
  private static String what(QueueException e, String state, String database) {
    boolean connecting = e.isConnectionFailure() || state.startsWith("28") || state.equals("3D000");
    return connecting ? "no connection to " + database + ": " + reason(e) : message(e);
  }

  private static String reason(QueueException e) {
    String reason = message(e);
    for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
      if (cause instanceof UnknownHostException) {
        return "there is no host '" + cause.getMessage() + "'";
      }
      // A pool wraps what the driver says, which is the part that helps.
      if (cause instanceof SQLException) {
        reason = message(cause).lines().findFirst().orElse("");
      }
    }
    return reason.replaceFirst("\\. Check that .*", "");
  }

  private static Optional<String> advice(QueueException e, String state) {
    if (state.startsWith("28") || state.equals("08004")) {
      return Optional.of("check user and password in --uri, PGPASSWORD or ~/.pgpass");
    }
    return switch (state) {
      case "3D000" -> Optional.of("check the database's name in --uri");
      case "42P01", "42703" -> Optional.of("compare the tables with: sluice schema check");
      case "42501" -> Optional.of("grant this user what it needs, or connect as another in --uri");
      case "53300" -> Optional.of("try again, or raise the server's max_connections");
      case "25006" -> Optional.of("this server takes no writes: name the primary in --uri");
      default ->
          e.isConnectionFailure()
              ? Optional.of("check that PostgreSQL runs there, and the host and port in --uri")
              : Optional.empty();
    };
  }

  private static String ofFile(IOException e) {
    if (e instanceof NoSuchFileException || e instanceof FileNotFoundException) {
      return "there is no file " + e.getMessage() + "; check its name";
    }
    if (e instanceof AccessDeniedException) {
      return "no permission for " + e.getMessage();
    }
    String reason =
        e instanceof FileSystemException f && f.getReason() != null
            ? f.getFile() + ": " + f.getReason()
            : message(e);
    return "reading or writing failed: " + reason;
  }

  private static String message(Throwable failure) {
    return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
  }
}
